import { expect, setDefaultTimeout, test } from "bun:test";
import { problemOf } from "../support/answers.ts";
import type { Browser } from "../support/browser.ts";
import { goodPassword, openSignInFixture, type SignInFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { totpCode } from "../support/totp.ts";

setDefaultTimeout(60_000);

const newPassword = "something quite different";
const wrong = { password: "not the one" };

/** The limits themselves are tested in flood-limits.test.ts and auth-gate.test.ts. */
testsOn("sqlite", "limits and lockouts of an account", openSignInFixture, (fixture) => {
  const statusOf = async (email: string, options: Parameters<SignInFixture["signIn"]>[1] = {}) =>
    (await fixture.signIn(email, options)).status;
  /** A user whose browser is a known device, signed out. */
  const knownHere = async () => {
    const someone = await fixture.createUser();
    await fixture.signIn(someone.email, { browser: someone.browser });
    await someone.browser.auth("/sign-out", {});
    return someone;
  };
  const deviceCookie = (browser: Browser): [name: string, value: string] =>
    [...browser.cookies].find(([name]) => name.endsWith(".device")) ?? ["", ""];
  const askForReset = async (browser: Browser, email: string, headers = {}) =>
    (await browser.auth("/request-password-reset", { email }, headers)).status;

  test("wrong passwords are rate limited, and the owner's known device can still sign in", async () => {
    const { browser, email } = await knownHere();
    await fixture.useUp("sign_in", email, 19);
    const failed = await fixture.signIn(email, wrong);
    expect([failed.status, failed.headers.getSetCookie()]).toEqual([401, []]);
    // On an unknown device the right password is limited too, so that it cannot be told from a wrong one.
    const refused = await fixture.signIn(email);
    expect(problemOf(refused)).toEqual([429, "too_many_attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 181);
    // An email address without an account is limited with identical responses.
    const unknown = `${newId()}@example.com`;
    await fixture.useUp("sign_in", unknown, 20);
    const { body } = await fixture.signIn(unknown);
    expect({ ...body, request_id: "" }).toEqual({ ...refused.body, request_id: "" });
    expect(await statusOf(email, { browser })).toBe(200);
  });

  test("one network gets only some of an account's attempts, whichever of its IPv6 addresses it uses", async () => {
    const { browser, email } = await knownHere();
    const headers = { "x-forwarded-for": "2001:db8:77:1::2" };
    await fixture.useUp("sign_in", email, 9, { ip: "2001:db8:77:1::1" });
    expect(await statusOf(email, { ...wrong, headers })).toBe(401);
    expect(await statusOf(email, { headers })).toBe(429);
    expect(await statusOf(email)).toBe(200);
    // The owner's device is not locked out, even there.
    expect(await statusOf(email, { browser, headers })).toBe(200);
    await fixture.useUp("reset", email, 2, { ip: "2001:db8:77:1::1" });
    expect(await askForReset(fixture.browser(), email, headers)).toBe(429);
    expect(await askForReset(fixture.browser(), email)).toBe(200);
  });

  test("a known device has its own limit, which a successful sign-in resets", async () => {
    const { browser, email } = await knownHere();
    const deviceId = deviceCookie(browser)[1].split(".")[1] ?? null;
    await fixture.useUp("sign_in", email, 9, { deviceId });
    expect(await statusOf(email, { browser })).toBe(200);
    await browser.auth("/sign-out", {});
    await fixture.useUp("sign_in", email, 9, { deviceId });
    expect(await statusOf(email, { ...wrong, browser })).toBe(401);
    expect(await statusOf(email, { browser })).toBe(429);
    // Other devices have a separate limit.
    expect(await statusOf(email)).toBe(200);
  });

  test("a device cookie is valid for its own account, if unmodified, until the password changes", async () => {
    const { browser, email } = await knownHere();
    const other = await knownHere();
    await fixture.useUp("sign_in", email, 20);
    const [name, mark] = deviceCookie(browser);
    expect(mark).not.toContain("example");
    const withMark = (value: string) => {
      const copy = fixture.browser();
      copy.cookies.set(name, value);
      return copy;
    };
    expect(await statusOf(email, { browser: other.browser })).toBe(429);
    expect(await statusOf(email, { browser: withMark(`${mark.slice(0, -3)}AAA`) })).toBe(429);
    expect(await statusOf(email, { browser })).toBe(200);
    await browser.auth("/change-password", { currentPassword: goodPassword, newPassword });
    expect(await statusOf(email, { browser: withMark(mark), password: newPassword })).toBe(429);
    await browser.auth("/sign-out", {});
    expect(await statusOf(email, { browser, password: newPassword })).toBe(200);
  });

  test.each(["/two-factor/verify-totp", "/two-factor/verify-backup-code"])(
    "guesses at %s are limited across sign-ins, and do not use up those of the owner's device",
    async (path) => {
      const { browser, email, userId } = await fixture.createSignedInUser();
      const { secret } = await fixture.enableSecondFactor(browser);
      await browser.auth("/sign-out", {});
      await fixture.useUp("second_factor", userId, 9);
      for (const status of [401, 429]) {
        const guesser = fixture.browser();
        await fixture.signIn(email, { browser: guesser });
        // The password alone does not make a device known.
        expect(deviceCookie(guesser)).toEqual(["", ""]);
        expect((await guesser.auth(path, { code: "100000" })).status).toBe(status);
      }
      expect((await fixture.signIn(email, { browser })).body.twoFactorRedirect).toBe(true);
      const right = await browser.auth("/two-factor/verify-totp", { code: totpCode(secret, 1) });
      expect(right.status).toBe(200);
    },
  );

  test("an account gets few reset emails, of which others use up none of the owner's, and a reset always restores access", async () => {
    const { browser, email } = await knownHere();
    await fixture.useUp("reset", email, 3);
    expect(await askForReset(fixture.browser(), email)).toBe(200);
    expect(await askForReset(fixture.browser(), email)).toBe(429);
    expect(await askForReset(browser, email)).toBe(200);
    const emails = await fixture.emails(email);
    expect(emails.map(({ kind }) => kind)).toEqual(["password_reset", "password_reset"]);
    // Every link works, because links that others requested reach only the owner. It makes the device known.
    await fixture.useUp("sign_in", email, 20);
    const other = fixture.browser();
    expect(await statusOf(email, { browser: other })).toBe(429);
    const reset = { token: tokenIn(emails[0]), newPassword };
    expect((await other.auth("/reset-password", reset)).status).toBe(200);
    expect(await statusOf(email, { browser: other, password: newPassword })).toBe(200);
  });
});
