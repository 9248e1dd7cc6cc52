import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { databases } from "../support/databases.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { suspendUserForTest } from "../support/suspend.ts";

setDefaultTimeout(60_000);

describe.each(databases)("passkeys on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  const add = async (browser: Browser, device: Authenticator, name = "Phone") => {
    const { body: options } = await browser.auth("/passkey/generate-register-options", {
      password: goodPassword,
    });
    return browser.auth("/passkey/verify-registration", { response: device.register(options), name });
  };
  const signInWith = async (browser: Browser, device: Authenticator) => {
    const { body: options } = await browser.auth("/passkey/generate-authenticate-options");
    return browser.auth("/passkey/verify-authentication", { response: device.authenticate(options) });
  };

  test("a passkey added in a session signs in its user, once per challenge", async () => {
    const { browser, userId, email } = await fixture.createSignedInUser();
    const device = new Authenticator(fixture.url);
    expect((await add(browser, device)).status).toBe(200);
    const methods = (await browser.manage("GET", "/me")).body.sign_in_methods;
    expect(methods.passkeys).toMatchObject([{ name: "Phone" }]);

    const later = fixture.browser();
    const { body: options } = await later.auth("/passkey/generate-authenticate-options");
    const response = device.authenticate(options);
    const [cookie] = [...later.cookies];
    expect((await later.auth("/passkey/verify-authentication", { response })).status).toBe(200);
    expect((await later.manage("GET", "/me")).body.id).toBe(userId);
    const replay = fixture.browser();
    if (cookie !== undefined) replay.cookies.set(cookie[0], cookie[1]);
    expect((await replay.auth("/passkey/verify-authentication", { response })).status).toBe(409);
    expect((await replay.manage("GET", "/me")).status).toBe(401);
    expect((await fixture.emails(email)).map((message) => message.kind)).toContain("account_security");
    expect(await fixture.actions(userId)).toEqual(["person.passkey_added"]);
  });

  test("passkeys of another site, unknown ones and ones without user verification are refused", async () => {
    const { browser } = await fixture.createSignedInUser();
    expect((await add(browser, new Authenticator("https://evil.example"))).status).toBeGreaterThanOrEqual(
      400,
    );
    const lax = await add(browser, new Authenticator(fixture.url, { asksWhoItIs: false }));
    expect(lax.status).toBe(422);
    expect((await browser.manage("GET", "/me")).body.sign_in_methods.passkeys).toEqual([]);
    const otherUser = fixture.browser();
    expect((await signInWith(otherUser, new Authenticator(fixture.url))).status).toBe(404);
    expect((await otherUser.manage("GET", "/me")).status).toBe(401);
  });

  test("malformed authenticator responses are refused and never cause a server error", async () => {
    const { browser } = await fixture.createSignedInUser();
    const known = new Authenticator(fixture.url);
    expect((await add(browser, known)).status).toBe(200);
    for (const changed of unlikely) {
      const { body: creation } = await browser.auth("/passkey/generate-register-options", {
        password: goodPassword,
      });
      const added = changed(new Authenticator(fixture.url).register(creation));
      const registration = await browser.auth("/passkey/verify-registration", { response: added });
      const later = fixture.browser();
      const { body: request } = await later.auth("/passkey/generate-authenticate-options");
      const given = changed(known.authenticate(request));
      const authentication = await later.auth("/passkey/verify-authentication", { response: given });
      expect([added, registration.status]).toEqual([added, 422]);
      expect([given, [401, 404, 422].includes(authentication.status)]).toEqual([given, true]);
      expect((await later.manage("GET", "/me")).status).toBe(401);
    }
    // Registering the same passkey twice is a conflict.
    const { body: creation } = await browser.auth("/passkey/generate-register-options", {
      password: goodPassword,
    });
    const again = await browser.auth("/passkey/verify-registration", { response: known.register(creation) });
    expect(again.status).toBe(409);
    expect(fixture.server.output()).not.toContain("failed in a way it should not");
  });

  test("users cannot change the passkeys of others, and a removed passkey stops working", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const device = new Authenticator(fixture.url);
    await add(browser, device);
    const [{ id }] = (await browser.manage("GET", "/me")).body.sign_in_methods.passkeys;
    const other = await fixture.createSignedInUser();
    expect(
      (await other.browser.auth("/passkey/delete-passkey", { id, password: goodPassword })).status,
    ).toBeGreaterThanOrEqual(400);
    expect((await browser.auth("/passkey/update-passkey", { id, name: "Old phone" })).status).toBe(200);
    expect((await browser.auth("/passkey/list-user-passkeys")).body).toMatchObject([{ name: "Old phone" }]);
    expect((await browser.auth("/passkey/delete-passkey", { id, password: goodPassword })).status).toBe(200);
    expect((await signInWith(fixture.browser(), device)).status).toBe(404);
    expect(await fixture.actions(userId)).toEqual(["person.passkey_added", "person.passkey_removed"]);
  });

  test("adding a passkey needs a session, and a suspended user cannot sign in with one", async () => {
    expect((await fixture.browser().auth("/passkey/generate-register-options", {})).status).toBe(401);
    const { browser, userId } = await fixture.createSignedInUser();
    const device = new Authenticator(fixture.url);
    await add(browser, device);
    await suspendUserForTest(fixture.store, userId);
    const later = fixture.browser();
    expect((await signInWith(later, device)).status).toBe(403);
    expect(later.cookies.has("countersign.session_token")).toBe(false);
  });
});

type Answered = ReturnType<Authenticator["register"]>;
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
