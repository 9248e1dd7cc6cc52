import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { problemOf } from "../support/answers.ts";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { refusal } from "../support/licenses.ts";
import { manageClient } from "../support/manage-client.ts";
import { goodPassword, openSignInFixture, type TestUser } from "../support/sign-in-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

const wanted = { name: "CI", permissions: ["licenses:view"] };
const right = { password: goodPassword };

testsOn("sqlite", "confirming an identity", openSignInFixture, (fixture) => {
  const begin = async (browser: Browser) => (await browser.auth("/confirm/begin", {})).body;
  const confirm = async (browser: Browser, proof: object) => (await browser.auth("/confirm", proof)).status;
  const withPasskey = async (browser: Browser, device: Authenticator) =>
    browser.auth("/confirm", { response: device.authenticate(await begin(browser)) });
  const createToken = (browser: Browser, proof: object) =>
    browser.manage("POST", "/me/access-tokens", { ...wanted, ...proof });
  const setAge = (user_id: string, minutes: number) => {
    const created_at = new Date(Date.now() - minutes * 60_000).toISOString();
    return fixture.change("sessions", { user_id }, { created_at });
  };
  const confirmed = async (browser: Browser, device: Authenticator) => ({
    confirmation: (await withPasskey(browser, device)).body.confirmation,
  });
  const sessionOf = async (browser: Browser): Promise<string> =>
    (await browser.manage("GET", "/me/sessions")).body.data[0].id;
  /** A user who signed up with Discord: only a passkey, and a session that is an hour old. */
  const withoutPassword = async (): Promise<TestUser & { device: Authenticator; passkeyId: string }> => {
    const someone = await fixture.createSignedInUser();
    const { device, id } = await fixture.addPasskey(someone.browser);
    await fixture.store.transaction((db) =>
      db.deleteFrom("accounts").where("user_id", "=", someone.userId).execute(),
    );
    await setAge(someone.userId, 60);
    return { ...someone, device, passkeyId: id };
  };

  describe("someone with a session alone", () => {
    test("cannot add a passkey or a token", async () => {
      const { browser, userId, email } = await fixture.createSignedInUser();
      const { body: organization } = await browser.manage("POST", "/organizations", { name: "Acme" });
      const tries = (proof: object) => [
        browser.auth("/passkey/generate-register-options", proof),
        createToken(browser, proof),
        browser.manage("POST", `/organizations/${organization.id}/access-tokens`, { ...wanted, ...proof }),
      ];
      for (const answer of await Promise.all(tries({}))) expect(refusal(answer)).toEqual([422, "password"]);
      for (const answer of await Promise.all(tries({ password: "not the one" })))
        expect(problemOf(answer)).toEqual([401, "wrong_password"]);
      const begun = await browser.auth("/passkey/generate-authenticate-options");
      const response = new Authenticator(fixture.url).register(begun.body);
      expect((await browser.auth("/passkey/verify-registration", { response })).status).toBe(409);
      expect((await browser.manage("GET", "/me")).body.sign_in_methods.passkeys).toEqual([]);
      expect((await browser.manage("GET", "/me/access-tokens")).body.data).toEqual([]);
      expect(await fixture.actions(userId)).toEqual([]);
      expect(await fixture.emailKinds(email)).toEqual([]);
    });

    test("has few password attempts, which do not count against the owner's session", async () => {
      const { browser, email } = await fixture.createSignedInUser();
      const owner = fixture.browser();
      await fixture.signIn(email, { browser: owner });
      await fixture.useUp("password", await sessionOf(browser), 9);
      expect((await createToken(browser, { password: "guess" })).status).toBe(401);
      expect((await createToken(browser, right)).status).toBe(429);
      for (const path of ["/two-factor/enable", "/passkey/generate-register-options"])
        expect((await browser.auth(path, right)).status).toBe(429);
      expect((await createToken(owner, right)).body.token).toStartWith("cst_");
    });

    test("cannot add a passkey or a token without an email to the owner", async () => {
      const { browser, email, userId } = await fixture.createSignedInUser();
      await fixture.addPasskey(browser);
      expect(await fixture.emailKinds(email)).toEqual(["account_security"]);
      const { body: organization } = await browser.manage("POST", "/organizations", { name: "Acme" });
      const tokens = `/organizations/${organization.id}/access-tokens`;
      expect((await createToken(browser, right)).status).toBe(201);
      expect((await browser.manage("POST", tokens, { ...wanted, ...right })).status).toBe(201);
      const { data } = (await browser.manage("GET", "/permissions")).body;
      const permissions = data.map(({ code }: { code: string }) => code);
      const strong = await createToken(browser, { ...right, permissions });
      // A token with all permissions needs no password to create others.
      const byToken = await manageClient(fixture.url, strong.body.token).post("/me/access-tokens", wanted);
      expect(byToken.status).toBe(201);
      expect(await fixture.emailKinds(email)).toEqual(Array(5).fill("account_security"));
      expect((await fixture.emails(email))[1]?.body_text).toContain("access token");
      expect(await fixture.actions(userId)).toEqual(["person.passkey_added"]);
    });
  });

  test.each<[path: string, body: object, status: number]>([
    ["/me/access-tokens", wanted, 201],
    ["/me/email", { new_email: "new@example.com" }, 202],
    ["/passkey/generate-register-options", {}, 200],
    ["/passkey/delete-passkey", {}, 200],
    ["/two-factor/enable", {}, 200],
    ["/two-factor/disable", {}, 200],
    // Said after the confirmation: there is no second factor.
    ["/two-factor/generate-backup-codes", {}, 409],
  ])(
    "%s needs a sign-in within ten minutes or a passkey, if there is no password",
    async (path, body, status) => {
      const { browser, userId, device, passkeyId: id } = await withoutPassword();
      const act = async (proof: object) => {
        const sent = path === "/passkey/delete-passkey" ? { id, ...proof } : { ...body, ...proof };
        return path.startsWith("/me/") ? browser.manage("POST", path, sent) : browser.auth(path, sent);
      };
      await setAge(userId, 11);
      expect(problemOf(await act({}))).toEqual([403, "recent_sign_in_required"]);
      const proof = await confirmed(browser, device);
      expect((await act(proof)).status).toBe(status);
      expect(problemOf(await act(proof))).toEqual([401, "invalid_confirmation"]);
      await setAge(userId, 9);
      // The passkey is removed already.
      expect((await act({})).status).toBe(path.endsWith("delete-passkey") ? 404 : status);
    },
  );

  test("a removed passkey no longer confirms, and another one does", async () => {
    const { browser, device, passkeyId: id } = await withoutPassword();
    const second = await fixture.addPasskey(browser, await confirmed(browser, device));
    const remove = { id, ...(await confirmed(browser, device)) };
    expect((await browser.auth("/passkey/delete-passkey", remove)).status).toBe(200);
    expect((await withPasskey(browser, device)).status).toBe(401);
    expect((await withPasskey(browser, second.device)).status).toBe(200);
  });

  test("a challenge is valid once, for the user and session that requested it", async () => {
    const { browser, device } = await withoutPassword();
    const other = await withoutPassword();
    const response = device.authenticate(await begin(browser));
    expect(await confirm(other.browser, { response })).toBe(401);
    // An attempt by another user consumes the challenge.
    expect(await confirm(browser, { response })).toBe(401);
    const fresh = device.authenticate(await begin(browser));
    expect(await confirm(browser, { response: fresh })).toBe(200);
    expect(await confirm(browser, { response: fresh })).toBe(401);
    // Neither an invented challenge nor a sign-in challenge is accepted.
    const invented = { challenge: Buffer.alloc(32, 7).toString("base64url") };
    const { body: ofSignIn } = await browser.auth("/passkey/generate-authenticate-options");
    for (const challenge of [invented, ofSignIn])
      expect(await confirm(browser, { response: device.authenticate(challenge) })).toBe(401);
  });

  test("passkeys that are foreign, unknown or without user verification confirm nothing", async () => {
    const { browser, device } = await withoutPassword();
    const other = await withoutPassword();
    const unknown = [new Authenticator(fixture.url), new Authenticator("https://evil.example")];
    for (const wrong of [other.device, ...unknown])
      expect((await withPasskey(browser, wrong)).status).toBe(401);
    const response = device.authenticate(await begin(browser), false);
    expect(await confirm(browser, { response })).toBe(401);
    expect((await withPasskey(browser, device)).status).toBe(200);
  });

  test("a second-factor code confirms; a used, wrong or foreign one does not", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const { secret, recoveryCodes } = await fixture.enableSecondFactor(browser);
    await setAge(userId, 60);
    const code = totpCode(secret, 1);
    const { confirmation } = (await browser.auth("/confirm", { code })).body;
    expect((await createToken(browser, { confirmation })).status).toBe(201);
    expect(await confirm(browser, { code })).toBe(401);
    expect(await confirm(browser, { code: "000000" })).toBe(401);
    expect(await confirm(browser, { code: recoveryCodes[0] })).toBe(200);
    expect(await confirm(browser, { code: recoveryCodes[0] })).toBe(401);
    const other = await fixture.createSignedInUser();
    await fixture.enableSecondFactor(other.browser);
    expect(await confirm(other.browser, { code: recoveryCodes[1] })).toBe(401);
  });

  test("a code does not complete the set-up of a second factor", async () => {
    const { browser } = await fixture.createSignedInUser();
    const { body } = await browser.auth("/two-factor/enable", right);
    const refused = await browser.auth("/confirm", { code: totpCode(totpSecret(body.totpURI)) });
    expect(problemOf(refused)).toEqual([409, "second_factor_off"]);
    expect((await browser.manage("GET", "/me")).body.two_factor_enabled).toBe(false);
  });

  test("a confirmation is valid only in its session, until the password changes", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const { device } = await fixture.addPasskey(browser);
    const second = fixture.browser();
    await fixture.signIn(email, { browser: second });
    expect((await createToken(second, await confirmed(browser, device))).status).toBe(401);
    const stolen = await confirmed(browser, device);
    const newPassword = "something quite different";
    await browser.auth("/change-password", { currentPassword: goodPassword, newPassword });
    expect((await createToken(browser, stolen)).status).toBe(401);
  });

  test("failed confirmations of every kind count towards one limit per session", async () => {
    const { browser } = await withoutPassword();
    await fixture.useUp("password", await sessionOf(browser), 8);
    const statuses: number[] = [];
    for (let time = 0; time < 2; time++) {
      statuses.push((await withPasskey(browser, new Authenticator(fixture.url))).status);
      statuses.push((await createToken(browser, { confirmation: "made up" })).status);
    }
    expect(statuses).toEqual([401, 401, 429, 429]);
  });

  test("confirming requires a session and exactly one proof", async () => {
    const code = "123456";
    expect((await fixture.browser().auth("/confirm/begin", {})).status).toBe(401);
    expect(await confirm(fixture.browser(), { code })).toBe(401);
    const { browser, device } = await withoutPassword();
    const response = device.authenticate(await begin(browser));
    for (const proof of [{}, { response, code }]) expect(await confirm(browser, proof)).toBe(422);
  });
});
