import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { databases } from "../support/databases.ts";
import {
  goodPassword,
  openSignInFixture,
  type SignInFixture,
  type TestUser,
} from "../support/sign-in-fixture.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

const wanted = { name: "CI", permissions: ["licenses:view"] };

describe.each(databases)("confirming an identity on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  const addPasskey = async (browser: Browser, proof: object = { password: goodPassword }) => {
    const device = new Authenticator(fixture.url);
    const options = await browser.auth("/passkey/generate-register-options", proof);
    expect([options.status, options.text]).toEqual([200, options.text]);
    const response = device.register(options.body);
    const added = await browser.auth("/passkey/verify-registration", { response, name: "Phone" });
    return { device, id: String(added.body.id) };
  };
  const begin = async (browser: Browser) => (await browser.auth("/confirm/begin", {})).body;
  const withPasskey = async (browser: Browser, device: Authenticator) =>
    browser.auth("/confirm", { response: device.authenticate(await begin(browser)) });
  const turnOnSecondFactor = async (browser: Browser) => {
    const { body } = await browser.auth("/two-factor/enable", { password: goodPassword });
    const secret = totpSecret(body.totpURI);
    expect((await browser.auth("/two-factor/verify-totp", { code: totpCode(secret) })).status).toBe(200);
    return { secret, recoveryCodes: body.backupCodes as string[] };
  };
  const makeStale = (userId: string) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("sessions")
        .set({ created_at: new Date(Date.now() - 60 * 60_000).toISOString() })
        .where("user_id", "=", userId)
        .execute(),
    );
  /** A user who signed up with Discord: only a passkey, and a session that is an hour old. */
  const withoutPassword = async (): Promise<TestUser & { device: Authenticator; passkeyId: string }> => {
    const someone = await fixture.createSignedInUser();
    const { device, id } = await addPasskey(someone.browser);
    await fixture.store.transaction((db) =>
      db.deleteFrom("accounts").where("user_id", "=", someone.userId).execute(),
    );
    await makeStale(someone.userId);
    return { ...someone, device, passkeyId: id };
  };
  const createToken = (browser: Browser, proof: object) =>
    browser.manage("POST", "/me/access-tokens", { ...wanted, ...proof });

  test("a passkey confirms a user without a password, once, for every protected action", async () => {
    const { browser, device, passkeyId } = await withoutPassword();
    expect((await createToken(browser, {})).status).toBe(403);
    const confirmed = await withPasskey(browser, device);
    expect(confirmed.status).toBe(200);
    const { confirmation } = confirmed.body;
    expect((await createToken(browser, { confirmation })).status).toBe(201);
    const again = await createToken(browser, { confirmation });
    expect([again.status, again.body.code]).toEqual([401, "invalid_confirmation"]);

    const proof = async () => ({ confirmation: (await withPasskey(browser, device)).body.confirmation });
    const second = await addPasskey(browser, await proof());
    const email = { new_email: "other@confirm.example" };
    expect((await browser.manage("POST", "/me/email", email)).status).toBe(403);
    expect((await browser.manage("POST", "/me/email", { ...email, ...(await proof()) })).status).toBe(202);
    expect((await browser.auth("/two-factor/enable", await proof())).status).toBe(200);
    expect((await browser.auth("/passkey/delete-passkey", { id: passkeyId })).status).toBe(403);
    const removed = await browser.auth("/passkey/delete-passkey", { id: passkeyId, ...(await proof()) });
    expect(removed.status).toBe(200);
    // A removed passkey no longer confirms.
    expect((await withPasskey(browser, device)).status).toBe(401);
    expect((await withPasskey(browser, second.device)).status).toBe(200);
  });

  test("removing a passkey requires the password of a user who has one", async () => {
    const { browser } = await fixture.createSignedInUser();
    const { id } = await addPasskey(browser);
    const bare = await browser.auth("/passkey/delete-passkey", { id });
    expect([bare.status, bare.body.errors?.[0]?.field]).toEqual([422, "password"]);
    expect((await browser.auth("/passkey/delete-passkey", { id, password: "wrong" })).status).toBe(401);
    const right = await browser.auth("/passkey/delete-passkey", { id, password: goodPassword });
    expect(right.status).toBe(200);
  });

  test("a challenge is valid once, for the user and session that requested it", async () => {
    const one = await withoutPassword();
    const other = await withoutPassword();
    const response = one.device.authenticate(await begin(one.browser));
    const elsewhere = await other.browser.auth("/confirm", { response });
    expect([elsewhere.status, elsewhere.body.confirmation]).toEqual([401, undefined]);
    // An attempt by another user consumes the challenge.
    expect((await one.browser.auth("/confirm", { response })).status).toBe(401);
    const fresh = one.device.authenticate(await begin(one.browser));
    expect((await one.browser.auth("/confirm", { response: fresh })).status).toBe(200);
    expect((await one.browser.auth("/confirm", { response: fresh })).status).toBe(401);
    // Neither an invented challenge nor a sign-in challenge is accepted.
    const madeUp = one.device.authenticate({ challenge: Buffer.alloc(32, 7).toString("base64url") });
    expect((await one.browser.auth("/confirm", { response: madeUp })).status).toBe(401);
    const { body } = await one.browser.auth("/passkey/generate-authenticate-options");
    const signIn = one.device.authenticate(body);
    expect((await one.browser.auth("/confirm", { response: signIn })).status).toBe(401);
  });

  test("passkeys that are foreign, unknown or without user verification confirm nothing", async () => {
    const { browser } = await withoutPassword();
    const other = await withoutPassword();
    for (const device of [
      other.device,
      new Authenticator(fixture.url),
      new Authenticator("https://evil.example"),
    ])
      expect((await withPasskey(browser, device)).status).toBe(401);
    const lax = await withoutPassword();
    const response = lax.device.authenticate(await begin(lax.browser), false);
    expect((await lax.browser.auth("/confirm", { response })).status).toBe(401);
    expect((await withPasskey(lax.browser, lax.device)).status).toBe(200);
  });

  test("a second-factor code confirms; a used, wrong or foreign one does not", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const { secret, recoveryCodes } = await turnOnSecondFactor(browser);
    await makeStale(userId);
    const code = totpCode(secret, 1);
    const confirmed = await browser.auth("/confirm", { code });
    expect(confirmed.status).toBe(200);
    const { confirmation } = confirmed.body;
    expect((await createToken(browser, { confirmation })).status).toBe(201);
    expect((await browser.auth("/confirm", { code })).status).toBe(401);
    expect((await browser.auth("/confirm", { code: "000000" })).status).toBe(401);
    const [recovery = ""] = recoveryCodes;
    const byRecovery = await browser.auth("/confirm", { code: recovery });
    expect(byRecovery.status).toBe(200);
    expect((await browser.auth("/confirm", { code: recovery })).status).toBe(401);
    const other = await fixture.createSignedInUser();
    await turnOnSecondFactor(other.browser);
    expect((await other.browser.auth("/confirm", { code: recoveryCodes[1] })).status).toBe(401);
  });

  test("a code does not complete the set-up of a second factor", async () => {
    const { browser } = await fixture.createSignedInUser();
    const { body } = await browser.auth("/two-factor/enable", { password: goodPassword });
    const answer = await browser.auth("/confirm", { code: totpCode(totpSecret(body.totpURI)) });
    expect([answer.status, answer.body.code]).toEqual([409, "second_factor_off"]);
    expect((await browser.manage("GET", "/me")).body.two_factor_enabled).toBe(false);
  });

  test("a confirmation is valid only in its session, until the password changes", async () => {
    const someone = await fixture.createSignedInUser();
    const { device } = await addPasskey(someone.browser);
    const second = fixture.browser();
    await second.auth("/sign-in/email", { email: someone.email, password: goodPassword });
    const { confirmation } = (await withPasskey(someone.browser, device)).body;
    expect((await createToken(second, { confirmation })).status).toBe(401);
    const stolen = (await withPasskey(someone.browser, device)).body.confirmation;
    const newPassword = "something quite different";
    await someone.browser.auth("/change-password", { currentPassword: goodPassword, newPassword });
    expect((await createToken(someone.browser, { confirmation: stolen })).status).toBe(401);
  });

  test("failed confirmations of every kind count towards one limit per session", async () => {
    const { browser } = await withoutPassword();
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++) {
      statuses.push((await withPasskey(browser, new Authenticator(fixture.url))).status);
      statuses.push((await createToken(browser, { confirmation: "made up" })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });

  test("confirming requires a session and exactly one proof", async () => {
    expect((await fixture.browser().auth("/confirm/begin", {})).status).toBe(401);
    expect((await fixture.browser().auth("/confirm", { code: "123456" })).status).toBe(401);
    const { browser } = await fixture.createSignedInUser();
    const { device } = await addPasskey(browser);
    expect((await browser.auth("/confirm", {})).status).toBe(422);
    const response = device.authenticate(await begin(browser));
    expect((await browser.auth("/confirm", { response, code: "123456" })).status).toBe(422);
  });
});
