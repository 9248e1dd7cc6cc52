import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserAnswer } from "../support/browser.ts";
import { databases } from "../support/databases.ts";
import { goodPassword, openSignInFixture, type SignInFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(180_000);

const newPassword = "something quite different";

describe.each(databases)("locking out an account's owner on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  /** Tries again after a second when the global limit for unknown devices is reached. */
  const retried = async (ask: () => Promise<BrowserAnswer>): Promise<BrowserAnswer> => {
    for (;;) {
      const answer = await ask();
      if (answer.status !== 429 || answer.headers.get("retry-after") !== "1") return answer;
      await Bun.sleep(1_000);
    }
  };
  const signIn = (browser: Browser, email: string, password = goodPassword, from = {}) =>
    retried(() => browser.auth("/sign-in/email", { email, password }, from));
  /** The statuses of this many wrong passwords, each from its own IP address. */
  const guesses = async (email: string, count: number) => {
    const statuses: number[] = [];
    for (let time = 0; time < count; time++)
      statuses.push((await signIn(fixture.browser(), email, `guess number ${time}`)).status);
    return statuses;
  };
  const signedIn = async () => {
    const someone = await knownHere();
    expect((await signIn(someone.browser, someone.email)).status).toBe(200);
    return someone;
  };
  /** A user whose browser is a known device. */
  const knownHere = async () => {
    const someone = await fixture.createUser();
    expect((await signIn(someone.browser, someone.email)).status).toBe(200);
    await someone.browser.auth("/sign-out", {});
    return someone;
  };

  test("wrong passwords are rate limited, and the owner's known device can still sign in", async () => {
    const { browser, email } = await knownHere();
    expect(await guesses(email, 22)).toEqual([...Array(20).fill(401), 429, 429]);
    expect((await signIn(browser, email)).status).toBe(200);
    // On an unknown device the right password is limited too, so that it cannot be told from a wrong one.
    const refused = await signIn(fixture.browser(), email);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 181);
  });

  test("an email address without an account is limited with identical responses", async () => {
    const { email } = await fixture.createUser();
    const anonymous = `${newId()}@example.com`;
    expect(await guesses(email, 21)).toEqual(await guesses(anonymous, 21));
    const [known, unknown] = [
      await signIn(fixture.browser(), email),
      await signIn(fixture.browser(), anonymous),
    ];
    expect([known.status, known.body.code]).toEqual([unknown.status, unknown.body.code]);
  });

  test("one network gets only some of the attempts, whichever of its IPv6 addresses it uses", async () => {
    const { email } = await fixture.createUser();
    const statuses: number[] = [];
    for (let time = 0; time < 12; time++) {
      const from = { "x-forwarded-for": `2001:db8:77:1::${(time + 1).toString(16)}` };
      statuses.push((await signIn(fixture.browser(), email, `guess ${time}`, from)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await signIn(fixture.browser(), email)).status).toBe(200);
  });

  test("requests by others from the owner's IP address do not lock out the owner's device", async () => {
    const { browser, email } = await knownHere();
    const from = { "x-forwarded-for": "203.0.113.200" };
    for (let time = 0; time < 70; time++) await signIn(fixture.browser(), email, `guess ${time}`, from);
    expect((await signIn(fixture.browser(), email, goodPassword, from)).status).toBe(429);
    expect((await signIn(browser, email, goodPassword, from)).status).toBe(200);
  });

  test("a known device has its own limit, which a successful sign-in resets", async () => {
    const { browser, email } = await knownHere();
    const wrong = async (count: number) => {
      const statuses: number[] = [];
      for (let time = 0; time < count; time++)
        statuses.push((await signIn(browser, email, `guess ${time}`)).status);
      return statuses;
    };
    expect(await wrong(9)).toEqual(Array(9).fill(401));
    expect((await signIn(browser, email)).status).toBe(200);
    await browser.auth("/sign-out", {});
    expect(await wrong(11)).toEqual([...Array(10).fill(401), 429]);
    // Other devices have a separate limit.
    expect((await signIn(fixture.browser(), email)).status).toBe(200);
  });

  test("a device cookie is valid for its own account, if unmodified, until the password changes", async () => {
    const { browser, email } = await knownHere();
    const other = await knownHere();
    await guesses(email, 21);
    const name = [...browser.cookies.keys()].find((cookie) => cookie.endsWith(".device")) ?? "";
    const mark = browser.cookies.get(name) ?? "";
    expect(mark).not.toBe("");
    expect((await signIn(other.browser, email)).status).toBe(429);
    const forger = fixture.browser();
    forger.cookies.set(name, `${mark.slice(0, -3)}AAA`);
    expect((await signIn(forger, email)).status).toBe(429);
    expect((await signIn(browser, email)).status).toBe(200);
    const changed = await browser.auth("/change-password", { currentPassword: goodPassword, newPassword });
    expect(changed.status).toBe(200);
    const old = fixture.browser();
    old.cookies.set(name, mark);
    expect((await signIn(old, email, newPassword)).status).toBe(429);
    await browser.auth("/sign-out", {});
    expect((await signIn(browser, email, newPassword)).status).toBe(200);
  });

  test("the device cookie is hidden from scripts and other sites and contains no email address", async () => {
    const { email, browser } = await fixture.createUser();
    const answer = await signIn(browser, email);
    const mark = answer.headers.getSetCookie().find((cookie) => cookie.includes(".device="));
    expect(mark).toMatch(/^countersign\.device=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(mark).not.toContain("example");
    expect((await signIn(fixture.browser(), email, "wrong")).headers.getSetCookie()).toEqual([]);
  });

  test("code attempts by others do not use up those of the owner's device", async () => {
    const { browser, email } = await signedIn();
    const enabled = await browser.auth("/two-factor/enable", { password: goodPassword });
    const secret = totpSecret(enabled.body.totpURI);
    await browser.auth("/two-factor/verify-totp", { code: totpCode(secret) });
    await browser.auth("/sign-out", {});
    const statuses: number[] = [];
    for (let round = 0; round < 6; round++) {
      const guesser = fixture.browser();
      await signIn(guesser, email);
      for (let time = 0; time < 4; time++)
        statuses.push(
          (await guesser.auth("/two-factor/verify-totp", { code: `${100_000 + round * 10 + time}` })).status,
        );
    }
    expect(statuses.slice(-4)).toEqual([429, 429, 429, 429]);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect((await signIn(browser, email)).body.twoFactorRedirect).toBe(true);
    const right = await browser.auth("/two-factor/verify-totp", { code: totpCode(secret, 1) });
    expect(right.status).toBe(200);
  });

  test("with a second factor, the password alone does not make a device known", async () => {
    const { browser, email } = await signedIn();
    const enabled = await browser.auth("/two-factor/enable", { password: goodPassword });
    const secret = totpSecret(enabled.body.totpURI);
    await browser.auth("/two-factor/verify-totp", { code: totpCode(secret) });
    const half = fixture.browser();
    await signIn(half, email);
    expect([...half.cookies.keys()].filter((cookie) => cookie.endsWith(".device"))).toEqual([]);
  });

  test("reset emails requested by others do not use up the owner's", async () => {
    const { browser, email } = await knownHere();
    const ask = (at: Browser) => retried(() => at.auth("/request-password-reset", { email }));
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++) statuses.push((await ask(fixture.browser())).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await ask(browser)).status).toBe(200);
    const emails = (await fixture.emails(email)).filter(({ kind }) => kind === "password_reset");
    expect(emails).toHaveLength(5);
    // Every link works, because links that others requested reach only the owner.
    const fresh = fixture.browser();
    const reset = await fresh.auth("/reset-password", { token: tokenIn(emails[0]), newPassword });
    expect(reset.status).toBe(200);
  });

  test("one network cannot use up an account's reset emails", async () => {
    const { email } = await fixture.createUser();
    const loud = fixture.browser();
    const statuses: number[] = [];
    for (let time = 0; time < 4; time++)
      statuses.push((await retried(() => loud.auth("/request-password-reset", { email }))).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await fixture.browser().auth("/request-password-reset", { email })).status).toBe(200);
  });

  test("resetting the password makes the device known, so that a reset always restores access", async () => {
    const { email } = await fixture.createUser();
    await fixture.browser().auth("/request-password-reset", { email });
    await guesses(email, 21);
    const fresh = fixture.browser();
    expect((await signIn(fresh, email)).status).toBe(429);
    const token = tokenIn((await fixture.emails(email))[0]);
    expect((await fresh.auth("/reset-password", { token, newPassword })).status).toBe(200);
    expect((await signIn(fresh, email, newPassword)).status).toBe(200);
  });

  test("a flood from unknown devices does not keep a known device from signing in", async () => {
    const { browser, email } = await knownHere();
    const crowd = Array.from({ length: 60 }, () =>
      signIn(fixture.browser(), `${newId()}@example.com`, "guess"),
    );
    // The first 429 shows that the password queue is full.
    await Promise.any(
      crowd.map((answer) => answer.then(({ status }) => (status === 429 ? true : Promise.reject()))),
    );
    const answer = await signIn(browser, email);
    expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
    await Promise.all(crowd);
  });
});
