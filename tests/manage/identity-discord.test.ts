import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "../support/browser.ts";
import { databases } from "../support/databases.ts";
import { type DiscordProfile, type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { suspendUserForTest } from "../support/suspend.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

let lastId = 0;
function profile(parts: Partial<DiscordProfile> = {}): DiscordProfile {
  lastId += 1;
  return {
    id: `9000000000000${lastId}`,
    username: "grace",
    email: `discord-${lastId}@example.com`,
    verified: true,
    ...parts,
  };
}

describe.each(databases)("Discord on $kind", ({ make }) => {
  let discord: FakeDiscord;
  let fixture: SignInFixture;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    fixture = await openSignInFixture(make, { ...discord.settings, COUNTERSIGN_SIGN_UP: "open" });
  });
  afterAll(async () => {
    await fixture.close();
    discord.close();
  });

  const authorize = async (browser: Browser, who: DiscordProfile, start = "/sign-in/social") => {
    const begun = await browser.auth(start, {
      provider: "discord",
      callbackURL: "/welcome",
      errorCallbackURL: "/sign-in",
      ...(start === "/link-social" ? { password: goodPassword } : {}),
    });
    expect(begun.status).toBe(200);
    return browser.send("GET", discord.approve(begun.body.url, who));
  };
  const errorOf = (answer: { headers: Headers }) =>
    new URL(answer.headers.get("location") ?? "/", fixture.url).searchParams.get("error");

  test("a new user gets an account with the email address that Discord verified, and keeps it", async () => {
    const who = profile();
    const browser = fixture.browser();
    const back = await authorize(browser, who);
    expect([back.status, back.headers.get("location")]).toEqual([302, "/welcome"]);
    const me = (await browser.manage("GET", "/me")).body;
    expect(me).toMatchObject({ email: who.email, email_verified: true, name: "grace" });
    expect(me.sign_in_methods).toMatchObject({ password: false, discord: { discord_id: who.id } });
    const later = fixture.browser();
    await authorize(later, { ...who, email: "moved@example.com" });
    expect((await later.manage("GET", "/me")).body.id).toBe(me.id);
    const rows = await fixture.store.reads
      .selectFrom("accounts")
      .selectAll()
      .where("account_id", "=", who.id)
      .execute();
    expect(rows).toMatchObject([{ access_token: null, refresh_token: null, id_token: null }]);
  });

  test("an existing account with the same email address is not signed in, verified or not", async () => {
    for (const verified of [true, false]) {
      const { email } = await fixture.createUser();
      const browser = fixture.browser();
      const back = await authorize(browser, profile({ email, verified }));
      expect(back.status).toBe(302);
      expect(errorOf(back)).toBe(verified ? "account_not_linked" : "email_not_verified");
      expect((await browser.manage("GET", "/me")).status).toBe(401);
    }
  });

  test("an email address that Discord did not verify creates no account", async () => {
    for (const parts of [{ verified: false }, { email: null, verified: true }]) {
      const browser = fixture.browser();
      const back = await authorize(browser, profile(parts));
      expect(errorOf(back)).toBe("email_not_verified");
      expect((await browser.manage("GET", "/me")).status).toBe(401);
    }
  });

  test("a linked Discord account signs in its user only, whatever its email address", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const who = profile({ verified: false });
    const linked = await authorize(browser, who, "/link-social");
    expect(linked.headers.get("location")).toBe("/welcome");
    const me = (await browser.manage("GET", "/me")).body;
    expect(me.sign_in_methods.discord.discord_id).toBe(who.id);
    const later = fixture.browser();
    await authorize(later, who);
    expect((await later.manage("GET", "/me")).body.id).toBe(userId);

    const other = await fixture.createSignedInUser();
    const stolen = await authorize(other.browser, who, "/link-social");
    expect(errorOf(stolen)).toBe("account_already_linked_to_different_user");
    const { account_id: accountId } = me.sign_in_methods.discord;
    // Refused both with and without another sign-in method.
    expect((await other.browser.auth("/unlink-account", { accountId })).status).toBe(409);
    await authorize(other.browser, profile(), "/link-social");
    expect((await other.browser.auth("/unlink-account", { accountId })).status).toBe(404);
    expect((await browser.auth("/unlink-account", { accountId })).status).toBe(200);
    expect((await browser.manage("GET", "/me")).body.sign_in_methods.discord).toBeNull();
  });

  test("linking needs a session, and the last sign-in method cannot be removed", async () => {
    expect((await fixture.browser().auth("/link-social", { provider: "discord" })).status).toBe(401);
    const browser = fixture.browser();
    await authorize(browser, profile());
    const me = (await browser.manage("GET", "/me")).body;
    const { account_id: accountId } = me.sign_in_methods.discord;
    expect((await browser.auth("/unlink-account", { accountId })).status).toBe(409);
  });

  test("signing in with Discord still requires the second factor", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const who = profile();
    await authorize(browser, who, "/link-social");
    const { totpURI } = (await browser.auth("/two-factor/enable", { password: goodPassword })).body;
    const secret = totpSecret(totpURI);
    await browser.auth("/two-factor/verify-totp", { code: totpCode(secret) });
    const later = fixture.browser();
    const back = await authorize(later, who);
    // The requested page is preserved.
    const asked = `${fixture.url}/sign-in/second-factor?next=%2Fwelcome`;
    expect([back.status, back.headers.get("location")]).toEqual([302, asked]);
    expect(later.cookies.has("countersign.session_token")).toBe(false);
    expect((await later.manage("GET", "/me")).status).toBe(401);
    expect((await later.auth("/two-factor/verify-totp", { code: totpCode(secret, 1) })).status).toBe(200);
    expect((await later.manage("GET", "/me")).body.id).toBe(userId);
  });

  test("a callback for another browser, or with a foreign return URL, creates no session", async () => {
    const victim = fixture.browser();
    const begun = await fixture.browser().auth("/sign-in/social", { provider: "discord" });
    const address = discord.approve(begun.body.url, profile());
    expect(errorOf(await victim.send("GET", address))).toBe("state_mismatch");
    expect((await victim.manage("GET", "/me")).status).toBe(401);
    const elsewhere = await fixture
      .browser()
      .auth("/sign-in/social", { provider: "discord", callbackURL: "https://evil.example/" });
    expect([elsewhere.status, elsewhere.body.errors[0].field]).toEqual([422, "callbackURL"]);
  });

  test("a suspended user cannot sign in", async () => {
    const who = profile();
    const browser = fixture.browser();
    await authorize(browser, who);
    await suspendUserForTest(fixture.store, (await browser.manage("GET", "/me")).body.id);
    const later = fixture.browser();
    const back = await authorize(later, who);
    expect(later.cookies.has("countersign.session_token")).toBe(false);
    expect(back.status).toBe(302);
    expect(errorOf(back)).toBe("SUSPENDED");
  });

  test("with sign-up closed, only linked accounts can sign in", async () => {
    const closed = await openSignInFixture(make, discord.settings);
    const begun = await closed
      .browser()
      .auth("/sign-in/social", { provider: "discord", errorCallbackURL: "/sign-in" });
    expect((await closed.browser().manage("GET", "/setup")).body.discord).toBe(true);
    const browser = closed.browser();
    const asked = await browser.auth("/sign-in/social", {
      provider: "discord",
      errorCallbackURL: "/sign-in",
    });
    expect(begun.status).toBe(200);
    const back = await browser.send("GET", discord.approve(asked.body.url, profile()));
    expect(errorOf(back)).toBe("signup_disabled");
    expect(await closed.store.reads.selectFrom("users").select("id").execute()).toEqual([]);
    await closed.close();
  });
});
