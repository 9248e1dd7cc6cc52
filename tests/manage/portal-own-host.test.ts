import { expect, test } from "bun:test";
import { problemOf } from "../support/answers.ts";
import { Browser } from "../support/browser.ts";
import type { TestDatabase } from "../support/databases.ts";
import { type DiscordProfile, startFakeDiscord } from "../support/fake-discord.ts";
import { freePort } from "../support/free-port.ts";
import { newestCode, PortalClient, signedInWith } from "../support/portal-client.ts";
import { openPortalFixture } from "../support/portal-fixture.ts";
import { openDashboardSession } from "../support/sign-in-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

async function openOwnHost(make: () => Promise<TestDatabase>) {
  const discord = await startFakeDiscord();
  const port = String(await freePort());
  // Two names of one server: to a browser, they are two hosts.
  const portalUrl = `http://localhost:${port}`;
  const environment = { ...discord.settings, PORT: port, COUNTERSIGN_PORTAL_URL: portalUrl };
  const why = "the portal has its own host, and people sign in with Discord";
  const fixture = await openPortalFixture(make, { why, environment });
  const close = async () => {
    await fixture.close();
    discord.close();
  };
  return { ...fixture, discord, portalUrl, close };
}

/** Which page is on which host is tested beside the pages, and signing in there in the browser. */
testsOn("postgres", "a portal with its own host", openOwnHost, (fixture) => {
  const client = () => new PortalClient(fixture.portalUrl);
  const signedIn = (email: string) =>
    signedInWith({ store: fixture.store, url: fixture.portalUrl }, { emails: [email] });
  const isSignedIn = async (browser: PortalClient) => (await browser.get("/me")).status === 200;

  test("pages of the dashboard and the documentation are not on the portal's host, whatever the caller says", async () => {
    const page = { accept: "text/html" };
    const get = async (url: string, headers: Record<string, string> = page) => {
      const answer = await fetch(url, { headers, redirect: "manual" });
      return [answer.status, (await answer.text()).includes('name="portal-base"')];
    };
    for (const path of ["/", "/sign-in/link", "/admin", "/o/acme", "/setup", "/docs", "/nothing"])
      expect([path, ...(await get(fixture.portalUrl + path))]).toEqual([path, 200, true]);
    for (const path of ["/admin", "/docs", "/openapi.json"])
      expect([path, ...(await get(fixture.portalUrl + path, {}))]).toEqual([path, 404, false]);
    expect(await get(fixture.url, { ...page, "x-countersign-site": "portal" })).toEqual([200, false]);
    expect(await get(`${fixture.url}/openapi.json`)).toEqual([200, false]);
    // Errors of the portal's API link to their descriptions.
    expect(await get(`${fixture.portalUrl}/problems/wrong_origin`)).toEqual([200, false]);
    // What a preview of the portal in the dashboard needs is on both hosts.
    for (const url of [fixture.url, fixture.portalUrl])
      expect(await get(`${url}/api/portal/v1/options`)).toEqual([200, false]);
  });

  test("a customer signs in with the code on the portal's host, and the cookie is for that host only", async () => {
    const email = await fixture.customer();
    const browser = client();
    const { headers } = await browser.signIn(fixture.store, email);
    const { link } = await newestCode(fixture.store, email);
    expect(link).toStartWith(`${fixture.portalUrl}/sign-in/link#`);
    expect(headers.getSetCookie().length).toBeGreaterThan(1);
    for (const cookie of headers.getSetCookie()) {
      expect(cookie).not.toMatch(/domain=/i);
      expect(cookie).toContain("; Path=/; HttpOnly; SameSite=Lax");
    }
    expect((await browser.get("/me")).body.identities).toMatchObject([{ value: email }]);
  });

  test("the portal's API accepts changes only from the portal's origin", async () => {
    const email = await fixture.customer();
    const browser = await signedIn(email);
    for (const origin of [fixture.url, "https://elsewhere.example", "null", ""]) {
      const answer = await browser.post("/sign-out", { everywhere: true }, { origin });
      expect([origin, ...problemOf(answer)]).toEqual([origin, 403, "wrong_origin"]);
    }
    const anonymous = await client().post("/sign-in", { email }, { origin: fixture.url });
    expect(problemOf(anonymous)).toEqual([403, "wrong_origin"]);
    // The main host is no way around it.
    const main = new PortalClient(fixture.url);
    expect((await main.post("/sign-in", { email })).body.code).toBe("wrong_origin");
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("the management and sign-in APIs refuse the portal's origin, and are not on its host", async () => {
    const { owner, organizationId, portalUrl, url } = fixture;
    const cookie = await openDashboardSession(fixture, owner);
    const path = `/organizations/${organizationId}`;
    const main = new Browser(url, "198.18.254.1");
    expect((await main.manage("PATCH", path, { name: "Mine" }, { cookie })).status).toBe(200);
    const signIn = { email: owner.email, password: "wrong" };
    for (const refused of [
      await main.manage("PATCH", path, { name: "Theirs" }, { cookie, origin: portalUrl }),
      await main.auth("/sign-in/email", signIn, { origin: portalUrl }),
    ])
      expect(problemOf(refused)).toEqual([403, "wrong_origin"]);
    const other = new Browser(portalUrl, "198.18.254.2");
    for (const origin of [portalUrl, url]) {
      expect((await other.manage("PATCH", path, { name: "Theirs" }, { cookie, origin })).status).toBe(404);
      expect((await other.auth("/sign-in/email", signIn, { origin })).status).toBe(404);
    }
    for (const headers of [{ cookie }, { authorization: `Bearer ${owner.token}` }])
      expect((await other.manage("GET", path, undefined, headers)).status).toBe(404);
    expect((await main.manage("GET", path, undefined, { cookie })).body.name).toBe("Mine");
    // The seller sees the portal's host as its URL.
    const branding = await owner.api.get(`${path}/branding`);
    expect(branding.body.portal_url).toStartWith(`${portalUrl}/?seller=`);
  });

  let lastId = 0;
  const profile = (parts: Partial<DiscordProfile> = {}): DiscordProfile => {
    lastId += 1;
    return { id: `8000000000000${lastId}`, username: "grace", email: null, verified: false, ...parts };
  };
  /** Starts to sign in, or to add an account. Returns the URL of Discord's page. */
  const start = async (browser: PortalClient, path = "/sign-in/discord", body: object | undefined = {}) =>
    String((await browser.post(path, body)).body.url);
  /** Where a return from Discord leads, on the portal's host. */
  const returnTo = async (browser: PortalClient, url: string) => {
    const { status, headers } = await browser.browser.send("GET", url);
    expect(status).toBe(302);
    return (headers.get("location") ?? "").replace(fixture.portalUrl, "");
  };
  const signIn = async (browser: PortalClient, who: DiscordProfile) =>
    returnTo(browser, fixture.discord.approve(await start(browser), who));
  const identitiesOf = async (browser: PortalClient) => (await browser.get("/me")).body.identities;
  const expired = "/sign-in?error=discord_expired";

  test("a customer signs in with Discord and continues to the page that was asked for", async () => {
    expect((await client().get("/options")).body.discord).toBe(true);
    const who = profile();
    const browser = client();
    const url = new URL(await start(browser, "/sign-in/discord", { next: "/licenses?x=1" }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      scope: "identify",
      redirect_uri: `${fixture.portalUrl}/api/portal/v1/sign-in/discord/callback`,
      code_challenge_method: "S256",
    });
    const back = await browser.browser.send("GET", fixture.discord.approve(url.href, who));
    expect(back.headers.get("location")).toBe(`${fixture.portalUrl}/licenses?x=1`);
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
    expect(await signIn(later, { ...who, username: "hopper" })).toBe("/");
    expect(await identitiesOf(later)).toMatchObject([{ id: me.identities[0].id, name: "hopper" }]);
    for (const next of ["//evil.example.com", "https://evil.example.com", "/\\evil.example.com", "evil"])
      expect((await client().post("/sign-in/discord", { next })).status).toBe(422);
  });

  test("neither an email address from Discord nor one beside which a seller wrote the Discord ID is proven", async () => {
    for (const verified of [true, false]) {
      const who = profile({ email: await fixture.customer(), verified });
      const path = `/organizations/${fixture.organizationId}/customers`;
      await fixture.owner.api.post(path, { email: `victim-${who.id}@example.com`, discord_id: who.id });
      const browser = client();
      await signIn(browser, who);
      expect(await identitiesOf(browser)).toMatchObject([{ kind: "discord" }]);
    }
  });

  test("only the browser that started can return, once and with its state", async () => {
    const browser = client();
    const returned = fixture.discord.approve(await start(browser), profile());
    const elsewhere = client();
    expect(await returnTo(elsewhere, returned)).toBe(expired);
    expect(await isSignedIn(elsewhere)).toBe(false);
    const forged = new URL(returned);
    forged.searchParams.set("state", "x".repeat(43));
    const other = client();
    await start(other);
    expect(await returnTo(other, forged.href)).toBe(expired);
    // The failed return has ended the flow of that browser.
    expect(other.browser.cookies.has("countersign_portal_discord")).toBe(false);
    expect(await returnTo(browser, returned)).toBe("/");
    expect(await returnTo(browser, returned)).toBe(expired);
  });

  test("a flow on Discord is used once, also with a copy of its cookie or by simultaneous returns", async () => {
    const browser = client();
    const url = await start(browser);
    const flow = browser.browser.cookies.get("countersign_portal_discord") ?? "";
    const copies = [1, 2, 3, 4].map(() => {
      const copy = client();
      copy.browser.cookies.set("countersign_portal_discord", flow);
      return copy;
    });
    const returnAll = () =>
      Promise.all(copies.map((copy) => returnTo(copy, fixture.discord.approve(url, profile()))));
    expect((await returnAll()).sort()).toEqual(["/", expired, expired, expired]);
    for (const copy of copies) copy.browser.cookies.set("countersign_portal_discord", flow);
    expect(await returnAll()).toEqual(Array(4).fill(expired));
  });

  test("a changed cookie, a refusal and a wrong code lead back to the sign-in page", async () => {
    const browser = client();
    const url = await start(browser);
    const name = "countersign_portal_discord";
    const [payload = "", signature = ""] = (browser.browser.cookies.get(name) ?? "").split(".");
    const text = Buffer.from(payload, "base64url").toString().replace("null", '"x"');
    browser.browser.cookies.set(name, `${Buffer.from(text).toString("base64url")}.${signature}`);
    expect(await returnTo(browser, fixture.discord.approve(url, profile()))).toBe(expired);

    const backWith = async (query: string) => {
      const state = new URL(await start(browser)).searchParams.get("state") ?? "";
      const callback = `/api/portal/v1/sign-in/discord/callback?${query}`;
      return returnTo(browser, `${callback}&state=${encodeURIComponent(state)}`);
    };
    expect(await backWith("error=access_denied")).toBe("/sign-in?error=discord_denied");
    expect(await backWith("code=nonsense")).toBe("/sign-in?error=discord_failed");
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("a signed-in customer adds their Discord account, also from another person, in the session that started it", async () => {
    const who = profile();
    const before = client();
    await signIn(before, who);
    const email = await fixture.customer();
    const browser = await signedIn(email);
    const startAdding = async () =>
      fixture.discord.approve(await start(browser, "/me/discord", undefined), who);
    const outdated = await startAdding();
    await browser.signIn(fixture.store, email);
    expect(await returnTo(browser, outdated)).toBe(expired);
    expect(await identitiesOf(browser)).toHaveLength(1);
    expect(await returnTo(browser, await startAdding())).toBe("/account");
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

  test("a flow to sign in adds nothing, even if someone is signed in on return", async () => {
    const who = profile();
    const browser = client();
    const returned = fixture.discord.approve(await start(browser), who);
    await browser.signIn(fixture.store, await fixture.customer());
    await returnTo(browser, returned);
    expect(await identitiesOf(browser)).toMatchObject([{ kind: "discord", value: who.id }]);
  });
});
