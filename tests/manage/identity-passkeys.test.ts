import { expect, setDefaultTimeout, test } from "bun:test";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { suspendUserForTest } from "../support/suspend.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const right = { password: goodPassword };

/** What adds or removes a passkey needs a proof: identity-confirmation.test.ts. */
testsOn("postgres", "passkeys", openSignInFixture, (fixture) => {
  /** Adds what a device responds, possibly changed. */
  const add = async (browser: Browser, device: Authenticator, change: Change = (answered) => answered) => {
    const { body: options } = await browser.auth("/passkey/generate-register-options", right);
    return browser.auth("/passkey/verify-registration", { response: change(device.register(options)) });
  };
  const signIn = async (browser: Browser, device: Authenticator, change: Change = (answered) => answered) => {
    const { body: options } = await browser.auth("/passkey/generate-authenticate-options");
    const response = change(device.authenticate(options));
    return browser.auth("/passkey/verify-authentication", { response });
  };

  test("a passkey added in a session signs in its user, once per challenge", async () => {
    const { browser, userId, email } = await fixture.createSignedInUser();
    const { device } = await fixture.addPasskey(browser);
    const later = fixture.browser();
    const { body: options } = await later.auth("/passkey/generate-authenticate-options");
    const response = device.authenticate(options);
    const replay = fixture.browser();
    for (const [name, value] of later.cookies) replay.cookies.set(name, value);
    expect((await later.auth("/passkey/verify-authentication", { response })).status).toBe(200);
    expect((await later.manage("GET", "/me")).body.id).toBe(userId);
    expect((await replay.auth("/passkey/verify-authentication", { response })).status).toBe(409);
    expect((await replay.manage("GET", "/me")).status).toBe(401);
    expect(await fixture.emailKinds(email)).toContain("account_security");
    await suspendUserForTest(fixture.store, userId);
    const suspended = fixture.browser();
    expect((await signIn(suspended, device)).status).toBe(403);
    expect(suspended.cookies.has("countersign.session_token")).toBe(false);
  });

  test("passkeys of another site, unknown ones and ones without user verification are refused", async () => {
    const { browser } = await fixture.createSignedInUser();
    const foreign = await add(browser, new Authenticator("https://evil.example"));
    expect(foreign.status).toBeGreaterThanOrEqual(400);
    const lax = await add(browser, new Authenticator(fixture.url, { asksWhoItIs: false }));
    expect(lax.status).toBe(422);
    expect((await browser.manage("GET", "/me")).body.sign_in_methods.passkeys).toEqual([]);
    const otherUser = fixture.browser();
    expect((await signIn(otherUser, new Authenticator(fixture.url))).status).toBe(404);
    expect((await otherUser.manage("GET", "/me")).status).toBe(401);
  });

  test("malformed authenticator responses are refused and never cause a server error", async () => {
    const { browser } = await fixture.createSignedInUser();
    const { device } = await fixture.addPasskey(browser);
    for (const [number, change] of unlikely.entries()) {
      const registration = await add(browser, new Authenticator(fixture.url), change);
      expect([number, registration.status]).toEqual([number, 422]);
      const later = fixture.browser();
      const { status } = await signIn(later, device, change);
      expect([number, [401, 404, 422].includes(status)]).toEqual([number, true]);
      expect((await later.manage("GET", "/me")).status).toBe(401);
    }
    // Registering the same passkey twice is a conflict.
    expect((await add(browser, device)).status).toBe(409);
    expect(fixture.server.output()).not.toContain("failed in a way it should not");
  });

  test("a user changes their own passkeys only, and a removed one stops working", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const { device, id } = await fixture.addPasskey(browser);
    const other = await fixture.createSignedInUser();
    const remove = (at: Browser) => at.auth("/passkey/delete-passkey", { id, ...right });
    expect((await remove(other.browser)).status).toBeGreaterThanOrEqual(400);
    expect((await browser.auth("/passkey/update-passkey", { id, name: "Old phone" })).status).toBe(200);
    expect((await browser.auth("/passkey/list-user-passkeys")).body).toMatchObject([{ name: "Old phone" }]);
    const { passkeys } = (await browser.manage("GET", "/me")).body.sign_in_methods;
    expect(passkeys).toMatchObject([{ name: "Old phone" }]);
    expect((await remove(browser)).status).toBe(200);
    expect((await signIn(fixture.browser(), device)).status).toBe(404);
    expect(await fixture.actions(userId)).toEqual(["person.passkey_added", "person.passkey_removed"]);
  });
});

type Answered = Pick<ReturnType<Authenticator["register"]>, "id"> & { readonly response: object };
type Change = (answered: Answered) => object;
const inside =
  (changes: object): Change =>
  (answered) => ({ ...answered, response: { ...answered.response, ...changes } });
const encoded = (text: string) => Buffer.from(text).toString("base64url");

/** Changes to a valid response that no authenticator would make. */
const unlikely: Change[] = [
  () => ({}),
  ({ id: _, ...rest }) => rest,
  (answered) => ({ ...answered, id: "a\u0000b" }),
  (answered) => ({ ...answered, rawId: "other" }),
  (answered) => ({ ...answered, type: "password" }),
  (answered) => ({ ...answered, response: null }),
  inside({ clientDataJSON: encoded("rubbish") }),
  inside({ clientDataJSON: encoded("null") }),
  inside({ attestationObject: encoded("rubbish"), authenticatorData: encoded("rubbish") }),
  inside({ attestationObject: "", authenticatorData: "" }),
  inside({ attestationObject: "oA", signature: encoded("rubbish") }),
  inside({ attestationObject: "gICA", signature: [] }),
  inside({ transports: ["x".repeat(500)], userHandle: {} }),
];
