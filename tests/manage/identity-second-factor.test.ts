import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import {
  goodPassword,
  openSignInFixture,
  type SignInFixture,
  type TestUser,
} from "../support/sign-in-fixture.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

interface Guarded extends TestUser {
  readonly secret: Uint8Array;
  readonly recoveryCodes: readonly string[];
}

describe.each(databases)("the second factor on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  /** A user with a second factor. Each code works once, so the next sign-in needs the next code. */
  const guarded = async (): Promise<Guarded> => {
    const someone = await fixture.createSignedInUser();
    const enabled = await someone.browser.auth("/two-factor/enable", { password: goodPassword });
    const secret = totpSecret(enabled.body.totpURI);
    const checked = await someone.browser.auth("/two-factor/verify-totp", { code: totpCode(secret) });
    expect([enabled.status, checked.status]).toEqual([200, 200]);
    return { ...someone, secret, recoveryCodes: enabled.body.backupCodes };
  };
  const begin = async (email: string) => {
    const browser = fixture.browser();
    const answer = await browser.auth("/sign-in/email", { email, password: goodPassword });
    return { browser, answer };
  };

  test("is enabled by a correct code, and the user is notified", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    expect((await browser.auth("/two-factor/enable", { password: "not the one" })).status).toBe(401);
    const { totpURI } = (await browser.auth("/two-factor/enable", { password: goodPassword })).body;
    expect((await browser.manage("GET", "/me")).body.two_factor_enabled).toBe(false);
    expect((await browser.auth("/two-factor/verify-totp", { code: "000000" })).status).toBe(401);
    const on = await browser.auth("/two-factor/verify-totp", { code: totpCode(totpSecret(totpURI)) });
    expect(on.status).toBe(200);
    expect((await browser.manage("GET", "/me")).body.two_factor_enabled).toBe(true);
    expect((await fixture.emails(email)).map((message) => message.kind)).toContain("account_security");
    expect(await fixture.actions(userId)).toEqual(["person.second_factor_enabled"]);
    const rows = JSON.stringify(await fixture.store.reads.selectFrom("two_factors").selectAll().execute());
    expect(rows).not.toContain(new URL(totpURI).searchParams.get("secret") ?? "?");
  });

  test("prevents any access by password alone", async () => {
    const { email, secret } = await guarded();
    const { browser, answer } = await begin(email);
    expect(answer.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ["totp"] });
    expect(browser.cookies.has("countersign.session_token")).toBe(false);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    expect((await browser.auth("/get-session")).body).toBeNull();
    expect((await browser.auth("/two-factor/disable", { password: goodPassword })).status).toBe(401);
    expect((await browser.auth("/two-factor/verify-totp", { code: totpCode(secret, 1) })).status).toBe(200);
    expect((await browser.manage("GET", "/me")).status).toBe(200);
  });

  test("accepts each code once, even concurrently", async () => {
    const { email, secret } = await guarded();
    const pair = await Promise.all([begin(email), begin(email)]);
    const code = totpCode(secret, 1);
    const answers = await Promise.all(
      pair.map(({ browser }) => browser.auth("/two-factor/verify-totp", { code })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401]);
    const { browser } = await begin(email);
    expect((await browser.auth("/two-factor/verify-totp", { code })).status).toBe(401);
  });

  test("accepts each recovery code once, and new recovery codes replace the old", async () => {
    const { browser: own, email, recoveryCodes } = await guarded();
    const [first, second] = recoveryCodes;
    const { browser } = await begin(email);
    expect((await browser.auth("/two-factor/verify-backup-code", { code: first })).status).toBe(200);
    expect((await browser.manage("GET", "/me")).status).toBe(200);
    const again = await begin(email);
    expect((await again.browser.auth("/two-factor/verify-backup-code", { code: first })).status).toBe(401);
    const renewed = await own.auth("/two-factor/generate-backup-codes", { password: goodPassword });
    expect(renewed.body.backupCodes).toHaveLength(10);
    expect((await again.browser.auth("/two-factor/verify-backup-code", { code: second })).status).toBe(401);
    const code = renewed.body.backupCodes[0];
    expect((await again.browser.auth("/two-factor/verify-backup-code", { code })).status).toBe(200);
  });

  test("limits code attempts, even across new sign-ins", async () => {
    const { email, secret } = await guarded();
    const statuses: number[] = [];
    for (let round = 0; round < 4; round++) {
      const { browser } = await begin(email);
      for (let time = 0; time < 4; time++) {
        const code = String(100_000 + round * 10 + time);
        statuses.push((await browser.auth("/two-factor/verify-totp", { code })).status);
      }
    }
    expect(statuses.slice(-3)).toEqual([429, 429, 429]);
    const { browser } = await begin(email);
    const right = await browser.auth("/two-factor/verify-totp", { code: totpCode(secret, 1) });
    expect(right.status).toBe(429);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("can be turned off with the password, after which the password alone signs in", async () => {
    const { browser, email, userId } = await guarded();
    expect((await browser.auth("/two-factor/disable", { password: "not the one" })).status).toBe(401);
    expect((await browser.auth("/two-factor/disable", { password: goodPassword })).status).toBe(200);
    const { browser: next } = await begin(email);
    expect((await next.manage("GET", "/me")).status).toBe(200);
    expect(await fixture.actions(userId)).toContain("person.second_factor_disabled");
  });

  test("stays on after a password reset", async () => {
    const { email } = await guarded();
    await fixture.browser().auth("/request-password-reset", { email });
    const message = (await fixture.emails(email)).find(({ kind }) => kind === "password_reset");
    const token = /token=([\w-]+)/.exec(message?.body_text ?? "")?.[1];
    const browser = fixture.browser();
    const newPassword = "a password after the reset";
    expect((await browser.auth("/reset-password", { token, newPassword })).status).toBe(200);
    expect(
      (await browser.auth("/sign-in/email", { email, password: newPassword })).body.twoFactorRedirect,
    ).toBe(true);
  });
});
