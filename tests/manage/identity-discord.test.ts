import { expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "../support/browser.ts";
import type { DiscordProfile } from "../support/fake-discord.ts";
import { refusal } from "../support/licenses.ts";
import { goodPassword, openSignUpFixture } from "../support/sign-in-fixture.ts";
import { suspendUserForTest } from "../support/suspend.ts";
import { testsOn } from "../support/tests-on.ts";
import { totpCode } from "../support/totp.ts";

setDefaultTimeout(60_000);

let lastId = 0;
function profile(parts: Partial<DiscordProfile> = {}): DiscordProfile {
  const id = `9000000000000${++lastId}`;
  return { id, username: "grace", email: `${id}@example.com`, verified: true, ...parts };
}

testsOn("postgres", "Discord", openSignUpFixture, (fixture) => {
  /** Signs in with Discord, or links the account of a signed-in user. */
  const authorize = async (browser: Browser, who: DiscordProfile, start = "/sign-in/social") => {
    const pages = { callbackURL: "/welcome", errorCallbackURL: "/sign-in" };
    const proof = start === "/link-social" ? { password: goodPassword } : {};
    const begun = await browser.auth(start, { provider: "discord", ...pages, ...proof });
    const back = await browser.send("GET", fixture.discord.approve(begun.body.url, who));
    expect(back.status).toBe(302);
    const location = back.headers.get("location") ?? "/";
    return { location, error: new URL(location, fixture.url).searchParams.get("error") };
  };
  const link = (browser: Browser, who: DiscordProfile) => authorize(browser, who, "/link-social");
  const unlink = async (browser: Browser, accountId: string) =>
    (await browser.auth("/unlink-account", { accountId })).status;
  const me = async (browser: Browser) => (await browser.manage("GET", "/me")).body;
  const expectSignedOut = async (browser: Browser) =>
    expect((await browser.manage("GET", "/me")).status).toBe(401);

  test("a new user gets an account with the email address that Discord verified, and keeps it", async () => {
    const who = profile();
    const browser = fixture.browser();
    expect((await authorize(browser, who)).location).toBe("/welcome");
    const user = await me(browser);
    expect(user).toMatchObject({ email: who.email, email_verified: true, name: "grace" });
    expect(user.sign_in_methods).toMatchObject({ password: false, discord: { discord_id: who.id } });
    const later = fixture.browser();
    await authorize(later, { ...who, email: "moved@example.com" });
    expect((await me(later)).id).toBe(user.id);
    const none = { access_token: null, refresh_token: null, id_token: null };
    expect(await fixture.stored("accounts", { account_id: who.id })).toMatchObject([none]);
    const { account_id: accountId } = user.sign_in_methods.discord;
    // It is the only way to sign in.
    expect(await unlink(browser, accountId)).toBe(409);
  });

  test("a suspended user cannot sign in", async () => {
    const who = profile();
    const [browser, later] = [fixture.browser(), fixture.browser()];
    await authorize(browser, who);
    await suspendUserForTest(fixture.store, (await me(browser)).id);
    expect((await authorize(later, who)).error).toBe("SUSPENDED");
    expect(later.cookies.has("countersign.session_token")).toBe(false);
  });

  const notVerified = "email_not_verified";
  test.each([
    ["that has an account is not signed in", { verified: true }, true, "account_not_linked"],
    ["that has an account and is not verified is not signed in", { verified: false }, true, notVerified],
    ["that Discord did not verify creates no account", { verified: false }, false, notVerified],
    ["that is missing creates no account", { email: null }, false, notVerified],
  ])("an email address %s", async (_, parts, hasAccount, error) => {
    const own = hasAccount ? { email: (await fixture.createUser()).email } : {};
    const browser = fixture.browser();
    expect((await authorize(browser, profile({ ...own, ...parts }))).error).toBe(error);
    await expectSignedOut(browser);
  });

  test("a linked Discord account signs in its user only, whatever its email address", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const who = profile({ verified: false });
    const withoutProof = await browser.auth("/link-social", { provider: "discord" });
    expect(refusal(withoutProof)).toEqual([422, "password"]);
    expect((await link(browser, who)).location).toBe("/welcome");
    const { discord } = (await me(browser)).sign_in_methods;
    const later = fixture.browser();
    await authorize(later, who);
    expect((await me(later)).id).toBe(userId);
    const other = await fixture.createSignedInUser();
    expect((await link(other.browser, who)).error).toBe("account_already_linked_to_different_user");
    // Refused both with and without another sign-in method.
    expect(await unlink(other.browser, discord.account_id)).toBe(409);
    await link(other.browser, profile());
    expect(await unlink(other.browser, discord.account_id)).toBe(404);
    expect(await unlink(browser, discord.account_id)).toBe(200);
    expect((await me(browser)).sign_in_methods.discord).toBeNull();
  });

  test("signing in with Discord still requires the second factor", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const who = profile();
    await link(browser, who);
    const { secret } = await fixture.enableSecondFactor(browser);
    const later = fixture.browser();
    // The requested page is preserved.
    expect((await authorize(later, who)).location).toBe(
      `${fixture.url}/sign-in/second-factor?next=%2Fwelcome`,
    );
    expect(later.cookies.has("countersign.session_token")).toBe(false);
    await expectSignedOut(later);
    expect((await later.auth("/two-factor/verify-totp", { code: totpCode(secret, 1) })).status).toBe(200);
    expect((await me(later)).id).toBe(userId);
  });

  test("a callback for another browser, or with a foreign return URL, creates no session", async () => {
    const victim = fixture.browser();
    const begun = await fixture.browser().auth("/sign-in/social", { provider: "discord" });
    const back = await victim.send("GET", fixture.discord.approve(begun.body.url, profile()));
    expect(back.headers.get("location")).toEndWith("error=state_mismatch");
    await expectSignedOut(victim);
    const foreign = { provider: "discord", callbackURL: "https://evil.example/" };
    expect(refusal(await fixture.browser().auth("/sign-in/social", foreign))).toEqual([422, "callbackURL"]);
  });

  test("a flow on Discord is used once, also by simultaneous returns with copies of its cookie", async () => {
    const browser = fixture.browser();
    const begun = await browser.auth("/sign-in/social", { provider: "discord", callbackURL: "/welcome" });
    const copies = [1, 2, 3, 4, 5, 6].map(() => {
      const copy = fixture.browser();
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      return copy;
    });
    const returnAll = () =>
      Promise.all(
        copies.map(async (copy) => {
          const back = await copy.send("GET", fixture.discord.approve(begun.body.url, profile()));
          return [back.status, (back.headers.get("location") ?? "").replace(fixture.url, "")].join(" ");
        }),
      );
    const refused = "302 /sign-in?error=state_mismatch";
    expect((await returnAll()).sort()).toEqual([...Array(5).fill(refused), "302 /welcome"].sort());
    for (const copy of copies) for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expect(new Set(await returnAll())).toEqual(new Set([refused]));
  });

  test("with sign-up closed, only linked accounts can sign in", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const [linked, unknown] = [profile(), profile()];
    await link(browser, linked);
    await fixture.setSignUp("closed");
    const setup = await fixture.browser().manage("GET", "/setup");
    expect(setup.body).toMatchObject({ discord: true, sign_up: "closed" });
    const [later, stranger] = [fixture.browser(), fixture.browser()];
    await authorize(later, linked);
    const { error } = await authorize(stranger, unknown);
    await fixture.setSignUp("open");
    expect((await me(later)).id).toBe(userId);
    expect(error).toBe("signup_disabled");
    await expectSignedOut(stranger);
    expect(await fixture.stored("users", { email: String(unknown.email) })).toEqual([]);
  });
});
