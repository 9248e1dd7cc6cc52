import { expect, setDefaultTimeout, test } from "bun:test";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { refusal } from "../support/licenses.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { suspendUserForTest } from "../support/suspend.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const right = { password: goodPassword };

testsOn("postgres", "passkeys", openSignInFixture, (fixture) => {
  /** Adds what a device responds, possibly changed. */
  const add = async (
    browser: Browser,
    device: Authenticator,
    change = (response: Answered): object => response,
  ) => {
    const { body: options } = await browser.auth("/passkey/generate-register-options", right);
    return browser.auth("/passkey/verify-registration", { response: change(device.register(options)) });
  };
  const signIn = async (
    browser: Browser,
    device: Authenticator,
    change = (response: Signed): object => response,
  ) => {
    const { body: options } = await browser.auth("/passkey/generate-authenticate-options");
    const response = change(device.authenticate(options));
    return browser.auth("/passkey/verify-authentication", { response });
  };
  const passkeysOf = async (browser: Browser) =>
    (await browser.manage("GET", "/me")).body.sign_in_methods.passkeys;

  test("a passkey added in a session signs in its user, once per challenge", async () => {
    const { browser, userId, email } = await fixture.createSignedInUser();
    const { device } = await fixture.addPasskey(browser);
    expect(await passkeysOf(browser)).toMatchObject([{ name: "Phone" }]);

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
    expect(await fixture.actions(userId)).toEqual(["person.passkey_added"]);
  });

  test("passkeys of another site, unknown ones and ones without user verification are refused", async () => {
    const { browser } = await fixture.createSignedInUser();
    const foreign = await add(browser, new Authenticator("https://evil.example"));
    expect(foreign.status).toBeGreaterThanOrEqual(400);
    const lax = await add(browser, new Authenticator(fixture.url, { asksWhoItIs: false }));
    expect(lax.status).toBe(422);
    expect(await passkeysOf(browser)).toEqual([]);
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
      const { status } = await signIn(later, device, change as (response: Signed) => object);
      expect([number, [401, 404, 422].includes(status)]).toEqual([number, true]);
      expect((await later.manage("GET", "/me")).status).toBe(401);
    }
    // Registering the same passkey twice is a conflict.
    expect((await add(browser, device)).status).toBe(409);
    expect(fixture.server.output()).not.toContain("failed in a way it should not");
  });

  test("a user changes their own passkeys only, removes them with the password, and then they stop working", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const { device, id } = await fixture.addPasskey(browser);
    const other = await fixture.createSignedInUser();
    const remove = (proof: object, at = browser) => at.auth("/passkey/delete-passkey", { id, ...proof });
    expect((await remove(right, other.browser)).status).toBeGreaterThanOrEqual(400);
    expect((await browser.auth("/passkey/update-passkey", { id, name: "Old phone" })).status).toBe(200);
    expect((await browser.auth("/passkey/list-user-passkeys")).body).toMatchObject([{ name: "Old phone" }]);
    expect(refusal(await remove({}))).toEqual([422, "password"]);
    expect((await remove({ password: "wrong" })).status).toBe(401);
    expect((await remove(right)).status).toBe(200);
    expect((await signIn(fixture.browser(), device)).status).toBe(404);
    expect(await fixture.actions(userId)).toEqual(["person.passkey_added", "person.passkey_removed"]);
  });

  test("adding a passkey needs a session, and a suspended user cannot sign in with one", async () => {
    expect((await fixture.browser().auth("/passkey/generate-register-options", {})).status).toBe(401);
    const { browser, userId } = await fixture.createSignedInUser();
    const { device } = await fixture.addPasskey(browser);
    await suspendUserForTest(fixture.store, userId);
    const later = fixture.browser();
    expect((await signIn(later, device)).status).toBe(403);
    expect(later.cookies.has("countersign.session_token")).toBe(false);
  });
});

type Answered = ReturnType<Authenticator["register"]>;
type Signed = ReturnType<Authenticator["authenticate"]>;
const inside = (answered: Answered, response: object) => ({
  ...answered,
  response: { ...answered.response, ...response },
});
const rubbish = Buffer.from("rubbish").toString("base64url");

/** Changes to a valid response that no authenticator would make. */
const unlikely: ((answered: Answered) => object)[] = [
  () => ({}),
  ({ id: _, ...rest }) => rest,
  (answered) => ({ ...answered, id: "a\u0000b" }),
  (answered) => ({ ...answered, id: 7 }),
  (answered) => ({ ...answered, rawId: "other" }),
  (answered) => ({ ...answered, type: "password" }),
  (answered) => ({ ...answered, response: null }),
  (answered) => ({ ...answered, response: {} }),
  (answered) => inside(answered, { clientDataJSON: rubbish }),
  (answered) => inside(answered, { clientDataJSON: Buffer.from("null").toString("base64url") }),
  (answered) => inside(answered, { attestationObject: rubbish, authenticatorData: rubbish }),
  (answered) => inside(answered, { attestationObject: "", authenticatorData: "" }),
  (answered) => inside(answered, { attestationObject: "oA", signature: rubbish }),
  (answered) => inside(answered, { attestationObject: "gICA", signature: [] }),
  (answered) => inside(answered, { transports: "usb", userHandle: 7 }),
  (answered) => inside(answered, { transports: ["x".repeat(500)], userHandle: {} }),
];
