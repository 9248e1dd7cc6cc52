import { expect, setDefaultTimeout, test } from "bun:test";
import { problemOf } from "../support/answers.ts";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { refusal } from "../support/licenses.ts";
import { manageClient } from "../support/manage-client.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

const wanted = { name: "CI", permissions: ["licenses:view"] };
const right = { password: goodPassword };
const wrong = { password: "not the one" };

testsOn("sqlite", "confirming an identity", openSignInFixture, (fixture) => {
  const begin = async (browser: Browser) => (await browser.auth("/confirm/begin", {})).body;
  const confirm = async (browser: Browser, proof: object) => (await browser.auth("/confirm", proof)).status;
  const withPasskey = async (browser: Browser, device: Authenticator) =>
    browser.auth("/confirm", { response: device.authenticate(await begin(browser)) });
  const confirmed = async (browser: Browser, device: Authenticator) => ({
    confirmation: (await withPasskey(browser, device)).body.confirmation,
  });
  const createToken = (browser: Browser, proof: object) =>
    browser.manage("POST", "/me/access-tokens", { ...wanted, ...proof });
  const sessionOf = async (browser: Browser): Promise<string> =>
    (await browser.manage("GET", "/me/sessions")).body.data[0].id;
  const setAge = (user_id: string, minutes: number) => {
    const created_at = new Date(Date.now() - minutes * 60_000).toISOString();
    return fixture.change("sessions", { user_id }, { created_at });
  };
  const forgetPassword = (userId: string) =>
    fixture.store.transaction((db) => db.deleteFrom("accounts").where("user_id", "=", userId).execute());
  /** A user who signed up with Discord, an hour ago, and has only a passkey besides. */
  const withoutPassword = async () => {
    const someone = await fixture.createSignedInUser();
    const { device, id: passkeyId } = await fixture.addPasskey(someone.browser);
    await forgetPassword(someone.userId);
    await setAge(someone.userId, 60);
    return { ...someone, device, passkeyId };
  };

  test.each<[path: string, body: object, accepted: number, withoutProof: number]>([
    ["/me/access-tokens", wanted, 201, 422],
    ["/organizations/{id}/access-tokens", wanted, 201, 422],
    ["/products/{id}/reveal-signing-secret", {}, 200, 422],
    ["/me/email", { new_email: "new@example.com" }, 202, 422],
    ["/passkey/generate-register-options", {}, 200, 422],
    ["/passkey/delete-passkey", {}, 200, 422],
    ["/two-factor/enable", {}, 200, 401],
    ["/two-factor/disable", {}, 200, 401],
    // There is no second factor.
    ["/two-factor/generate-backup-codes", {}, 409, 409],
  ])(
    "%s needs the password, or without one a sign-in within ten minutes or a passkey",
    async (path, body, accepted, withoutProof) => {
      const { browser, userId } = await fixture.createSignedInUser();
      const { device, id } = await fixture.addPasskey(browser);
      const { body: organization } = await browser.manage("POST", "/organizations", { name: "Acme" });
      const products = `/organizations/${organization.id}/products`;
      const { body: product } = await browser.manage("POST", products, { name: "Editor" });
      const act = (proof: object) => {
        if (path === "/passkey/delete-passkey") return browser.auth(path, { id, ...proof });
        const sent = { ...body, ...proof };
        if (!/^\/(?:me|organizations|products)\//.test(path)) return browser.auth(path, sent);
        const { id: subjectId } = path.startsWith("/products/") ? product : organization;
        return browser.manage("POST", path.replace("{id}", subjectId), sent);
      };
      expect((await act({})).status).toBe(withoutProof);
      expect(await fixture.actions(userId)).toEqual(["person.passkey_added"]);
      await forgetPassword(userId);
      await setAge(userId, 11);
      expect(problemOf(await act({}))).toEqual([403, "recent_sign_in_required"]);
      const proof = await confirmed(browser, device);
      expect((await act(proof)).status).toBe(accepted);
      expect(problemOf(await act(proof))).toEqual([401, "invalid_confirmation"]);
      await setAge(userId, 9);
      // The passkey is removed already.
      expect((await act({})).status).toBe(path.endsWith("delete-passkey") ? 404 : accepted);
    },
  );

  test("a challenge for signing in adds no passkey", async () => {
    const { browser } = await fixture.createSignedInUser();
    const begun = await browser.auth("/passkey/generate-authenticate-options");
    const response = new Authenticator(fixture.url).register(begun.body);
    expect((await browser.auth("/passkey/verify-registration", { response })).status).toBe(409);
  });

  test("a session has few password attempts, which do not count against the owner's session", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const owner = fixture.browser();
    await fixture.signIn(email, { browser: owner });
    await fixture.useUp("password", await sessionOf(browser), 9);
    expect(refusal(await createToken(browser, {}))).toEqual([422, "password"]);
    expect(problemOf(await createToken(browser, wrong))).toEqual([401, "wrong_password"]);
    expect((await createToken(browser, right)).status).toBe(429);
    for (const path of ["/two-factor/enable", "/passkey/generate-register-options"])
      expect((await browser.auth(path, right)).status).toBe(429);
    expect((await createToken(owner, right)).body.token).toStartWith("cst_");
  });

  test("nobody adds a passkey or a token without an email to the owner", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    await fixture.addPasskey(browser);
    const { body: organization } = await browser.manage("POST", "/organizations", { name: "Acme" });
    const tokens = `/organizations/${organization.id}/access-tokens`;
    expect((await browser.manage("POST", tokens, { ...wanted, ...right })).status).toBe(201);
    const { data } = (await browser.manage("GET", "/permissions")).body;
    const permissions = data.map(({ code }: { code: string }) => code);
    const strong = await createToken(browser, { ...right, permissions });
    // A token with all permissions needs no password to create others.
    const byToken = await manageClient(fixture.url, strong.body.token).post("/me/access-tokens", wanted);
    expect(byToken.status).toBe(201);
    expect(await fixture.emailKinds(email)).toEqual(Array(4).fill("account_security"));
    expect((await fixture.emails(email))[1]?.body_text).toContain("access token");
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

  test("passkeys that are foreign, unknown, removed or without user verification confirm nothing", async () => {
    const { browser, device, passkeyId: id } = await withoutPassword();
    const { device: second } = await fixture.addPasskey(browser, await confirmed(browser, device));
    const remove = { id, ...(await confirmed(browser, device)) };
    expect((await browser.auth("/passkey/delete-passkey", remove)).status).toBe(200);
    const { device: foreign } = await withoutPassword();
    const unknown = [new Authenticator(fixture.url), new Authenticator("https://evil.example")];
    for (const refused of [device, foreign, ...unknown])
      expect((await withPasskey(browser, refused)).status).toBe(401);
    const response = second.authenticate(await begin(browser), false);
    expect(await confirm(browser, { response })).toBe(401);
    expect((await withPasskey(browser, second)).status).toBe(200);
  });

  test("a second-factor code confirms once, not for another user, and does not complete a set-up", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const { secret, recoveryCodes } = await fixture.enableSecondFactor(browser);
    await setAge(userId, 60);
    const code = totpCode(secret, 1);
    const { confirmation } = (await browser.auth("/confirm", { code })).body;
    expect((await createToken(browser, { confirmation })).status).toBe(201);
    for (const refused of [code, "000000"]) expect(await confirm(browser, { code: refused })).toBe(401);
    expect(await confirm(browser, { code: recoveryCodes[0] })).toBe(200);
    expect(await confirm(browser, { code: recoveryCodes[0] })).toBe(401);
    const other = await fixture.createSignedInUser();
    const { body } = await other.browser.auth("/two-factor/enable", right);
    const early = await other.browser.auth("/confirm", { code: totpCode(totpSecret(body.totpURI)) });
    expect(problemOf(early)).toEqual([409, "second_factor_off"]);
    expect((await other.browser.manage("GET", "/me")).body.two_factor_enabled).toBe(false);
    await fixture.enableSecondFactor(other.browser);
    expect(await confirm(other.browser, { code: recoveryCodes[1] })).toBe(401);
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

  test("confirming requires exactly one proof", async () => {
    const { browser, device } = await withoutPassword();
    const response = device.authenticate(await begin(browser));
    for (const proof of [{}, { response, code: "123456" }]) expect(await confirm(browser, proof)).toBe(422);
  });
});
