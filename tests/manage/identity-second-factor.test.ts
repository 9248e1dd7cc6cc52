import { expect, setDefaultTimeout, test } from "bun:test";
import { statusesAtOnce } from "../support/answers.ts";
import type { Browser } from "../support/browser.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

/** How many codes can be tried is tested in identity-lockout.test.ts. */
testsOn("postgres", "second factor", openSignInFixture, (fixture) => {
  /** A user with a second factor. Each code works once, so the next sign-in needs the next code. */
  const guarded = async () => {
    const someone = await fixture.createSignedInUser();
    return { ...someone, ...(await fixture.enableSecondFactor(someone.browser)) };
  };
  /** Gives the password. */
  const begin = async (email: string) => {
    const browser = fixture.browser();
    return { browser, answer: await fixture.signIn(email, { browser }) };
  };

  test("a correct code enables the second factor, and the user is notified", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    expect((await browser.auth("/two-factor/enable", { password: "not the one" })).status).toBe(401);
    const { totpURI } = (await browser.auth("/two-factor/enable", { password: goodPassword })).body;
    const isEnabled = async () => (await browser.manage("GET", "/me")).body.two_factor_enabled;
    const verify = async (code: string) => (await browser.auth("/two-factor/verify-totp", { code })).status;
    expect([await verify("000000"), await isEnabled()]).toEqual([401, false]);
    expect([await verify(totpCode(totpSecret(totpURI))), await isEnabled()]).toEqual([200, true]);
    expect(await fixture.emailKinds(email)).toContain("account_security");
    expect(await fixture.actions(userId)).toEqual(["person.second_factor_enabled"]);
    expect(JSON.stringify(await fixture.stored("two_factors", {}))).not.toContain(
      new URL(totpURI).searchParams.get("secret") ?? "?",
    );
  });

  test("the password alone grants no access, and each code works once, even concurrently", async () => {
    const { email, secret } = await guarded();
    const { browser, answer } = await begin(email);
    expect(answer.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ["totp"] });
    expect(browser.cookies.has("countersign.session_token")).toBe(false);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    expect((await browser.auth("/get-session")).body).toBeNull();
    expect((await browser.auth("/two-factor/disable", { password: goodPassword })).status).toBe(401);
    const browsers = [browser, (await begin(email)).browser];
    // One code, even if its half minute ends meanwhile.
    const code = totpCode(secret, 1);
    const verify = (at: Browser) => at.auth("/two-factor/verify-totp", { code });
    expect(await statusesAtOnce(2, (index) => verify(browsers[index] ?? browser))).toEqual([200, 401]);
    expect(await statusesAtOnce(2, (index) => (browsers[index] ?? browser).manage("GET", "/me"))).toEqual([
      200, 401,
    ]);
    expect((await verify((await begin(email)).browser)).status).toBe(401);
  });

  test("each recovery code works once, and new recovery codes replace the old", async () => {
    const { browser: own, email, recoveryCodes } = await guarded();
    const recover = async (code: string | undefined) => {
      const { browser } = await begin(email);
      const { status } = await browser.auth("/two-factor/verify-backup-code", { code });
      expect((await browser.manage("GET", "/me")).status).toBe(status);
      return status;
    };
    expect([await recover(recoveryCodes[0]), await recover(recoveryCodes[0])]).toEqual([200, 401]);
    const renewed = await own.auth("/two-factor/generate-backup-codes", { password: goodPassword });
    expect(renewed.body.backupCodes).toHaveLength(10);
    expect(await recover(recoveryCodes[1])).toBe(401);
    expect(await recover(renewed.body.backupCodes[0])).toBe(200);
  });

  test("the second factor stays on after a password reset, and the password turns it off", async () => {
    const { email, userId } = await guarded();
    const password = "a password after the reset";
    const reset = { token: await fixture.resetToken(userId), newPassword: password };
    expect((await fixture.browser().auth("/reset-password", reset)).status).toBe(200);
    expect((await fixture.signIn(email, { password })).body.twoFactorRedirect).toBe(true);
    const other = await guarded();
    expect((await other.browser.auth("/two-factor/disable", { password })).status).toBe(401);
    await other.browser.auth("/two-factor/disable", { password: goodPassword });
    const { browser: next } = await begin(other.email);
    expect((await next.manage("GET", "/me")).status).toBe(200);
    expect(await fixture.actions(other.userId)).toContain("person.second_factor_disabled");
  });
});
