import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type DiscordProfile, type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { PortalClient } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";

setDefaultTimeout(60_000);

let lastId = 0;
function profile(parts: Partial<DiscordProfile> = {}): DiscordProfile {
  lastId += 1;
  return { id: `8000000000000${lastId}`, username: "grace", email: null, verified: false, ...parts };
}

describe.each(on("sqlite"))("the portal and Discord on $kind", ({ make }) => {
  let discord: FakeDiscord;
  let fixture: PortalFixture;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    fixture = await openPortalFixture(make, {
      why: "people sign in with Discord",
      environment: discord.settings,
    });
  });
  afterAll(async () => {
    await fixture.close();
    discord.close();
  });

  const client = () => new PortalClient(fixture.url);
  const start = async (browser: PortalClient, path = "/sign-in/discord", body: object | undefined = {}) => {
    const answer = await browser.post(path, body);
    expect(answer.status).toBe(200);
    return String(answer.body.url);
  };
  const signIn = async (browser: PortalClient, who: DiscordProfile, body = {}) =>
    browser.browser.send("GET", discord.approve(await start(browser, "/sign-in/discord", body), who));
  const add = async (browser: PortalClient, who: DiscordProfile) =>
    browser.browser.send("GET", discord.approve(await start(browser, "/me/discord", undefined), who));
  const locationOf = (answer: { status: number; headers: Headers }) => {
    expect(answer.status).toBe(302);
    return (answer.headers.get("location") ?? "").replace(`${fixture.url}/portal`, "");
  };
  const identitiesOf = async (browser: PortalClient) => (await browser.get("/me")).body.identities;
  const isSignedIn = async (browser: PortalClient) => (await browser.get("/me")).status === 200;

  test("a customer signs in with Discord and continues to the page that was asked for", async () => {
    expect((await client().get("/options")).body.discord).toBe(true);
    const who = profile();
    const browser = client();
    const url = new URL(await start(browser, "/sign-in/discord", { next: "/licenses?x=1" }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      scope: "identify",
      redirect_uri: `${fixture.url}/api/portal/v1/sign-in/discord/callback`,
      code_challenge_method: "S256",
    });
    const back = await browser.browser.send("GET", discord.approve(url.href, who));
    expect(locationOf(back)).toBe("/licenses?x=1");
    expect(back.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "=…"))).toContain(
      "countersign_portal=…; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
    );
    expect(browser.browser.cookies.has("countersign_portal_discord")).toBe(false);
    const me = (await browser.get("/me")).body;
    expect(me).toMatchObject({
      signed_in_by: "discord",
      identities: [{ kind: "discord", value: who.id, name: "grace" }],
    });
    const later = client();
    expect(locationOf(await signIn(later, { ...who, username: "hopper" }))).toBe("/");
    expect(await identitiesOf(later)).toMatchObject([{ id: me.identities[0].id, name: "hopper" }]);
  });

  test("an email address from Discord proves nothing, verified or not", async () => {
    const email = await fixture.customer();
    for (const verified of [true, false]) {
      const browser = client();
      await signIn(browser, profile({ email, verified }));
      expect(await identitiesOf(browser)).toMatchObject([{ kind: "discord" }]);
    }
  });

  test("only the browser that started can return, once and with its state", async () => {
    const who = profile();
    const browser = client();
    const returned = discord.approve(await start(browser), who);
    const elsewhere = client();
    expect(locationOf(await elsewhere.browser.send("GET", returned))).toBe("/sign-in?error=discord_expired");
    expect(await isSignedIn(elsewhere)).toBe(false);
    const forged = new URL(returned);
    forged.searchParams.set("state", "x".repeat(43));
    const other = client();
    await start(other);
    expect(locationOf(await other.browser.send("GET", forged.href))).toBe("/sign-in?error=discord_expired");
    // The failed return has ended the flow of that browser.
    expect(other.browser.cookies.has("countersign_portal_discord")).toBe(false);
    expect(locationOf(await browser.browser.send("GET", returned))).toBe("/");
    const again = await browser.browser.send("GET", returned);
    expect(locationOf(again)).toBe("/sign-in?error=discord_expired");
  });

  test("a changed cookie, a refusal and a wrong code lead back to the sign-in page", async () => {
    const browser = client();
    const url = await start(browser);
    const cookie = browser.browser.cookies.get("countersign_portal_discord") ?? "";
    const [payload = "", signature = ""] = cookie.split(".");
    const text = Buffer.from(payload, "base64url").toString().replace("null", '"x"');
    browser.browser.cookies.set(
      "countersign_portal_discord",
      `${Buffer.from(text).toString("base64url")}.${signature}`,
    );
    const returned = discord.approve(url, profile());
    expect(locationOf(await browser.browser.send("GET", returned))).toBe("/sign-in?error=discord_expired");

    const backWith = async (query: string) => {
      const state = new URL(await start(browser)).searchParams.get("state") ?? "";
      const callback = `/api/portal/v1/sign-in/discord/callback?${query}`;
      return locationOf(await browser.browser.send("GET", `${callback}&state=${encodeURIComponent(state)}`));
    };
    expect(await backWith("error=access_denied")).toBe("/sign-in?error=discord_denied");
    expect(await backWith("code=nonsense")).toBe("/sign-in?error=discord_failed");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("the page to continue to is always one of the portal", async () => {
    for (const next of ["//evil.example.com", "https://evil.example.com", "/\\evil.example.com", "evil"])
      expect((await client().post("/sign-in/discord", { next })).status).toBe(422);
  });

  test("a signed-in customer adds their Discord account, also from another person", async () => {
    const who = profile();
    const before = client();
    await signIn(before, who);
    const email = await fixture.customer();
    const browser = await fixture.signedIn(email);
    expect(locationOf(await add(browser, who))).toBe("/account");
    expect(await identitiesOf(browser)).toMatchObject([
      { kind: "email", value: email },
      { kind: "discord", value: who.id },
    ]);
    // The previous person had nothing else.
    expect(await isSignedIn(before)).toBe(false);
    const later = client();
    await signIn(later, who);
    expect(await identitiesOf(later)).toHaveLength(2);
  });

  test("adding works only in the session that started it", async () => {
    const email = await fixture.customer();
    const browser = await fixture.signedIn(email);
    const returned = discord.approve(await start(browser, "/me/discord", undefined), profile());
    await browser.signIn(fixture.store, email);
    expect(locationOf(await browser.browser.send("GET", returned))).toBe("/sign-in?error=discord_expired");
    expect(await identitiesOf(browser)).toHaveLength(1);
    expect((await client().post("/me/discord")).status).toBe(401);
  });

  test("a flow to sign in adds nothing, even if someone is signed in on return", async () => {
    const who = profile();
    const email = await fixture.customer();
    const browser = client();
    const returned = discord.approve(await start(browser), who);
    await browser.signIn(fixture.store, email);
    await browser.browser.send("GET", returned);
    expect(await identitiesOf(browser)).toMatchObject([{ kind: "discord", value: who.id }]);
  });

  test("a Discord ID that an organization wrote beside an email address gains nothing", async () => {
    const who = profile();
    const victim = `victim-${who.id}@example.com`;
    const path = `/organizations/${fixture.organizationId}/customers`;
    await fixture.owner.api.post(path, { email: victim, discord_id: who.id });
    const seller = client();
    await signIn(seller, who);
    expect(await identitiesOf(seller)).toHaveLength(1);
  });

  test("deleting a customer with only a Discord ID ends their sessions", async () => {
    const who = profile();
    const path = `/organizations/${fixture.organizationId}/customers`;
    const { id } = (await fixture.owner.api.post(path, { discord_id: who.id })).body;
    const browser = client();
    await signIn(browser, who);
    expect((await fixture.owner.api.delete(`${path}/${id}`)).status).toBe(204);
    expect(await isSignedIn(browser)).toBe(false);
  });
});
