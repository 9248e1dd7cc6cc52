import { expect, setDefaultTimeout, test } from "bun:test";
import { hash } from "node:crypto";
import { hashPassword } from "../../apps/server/features/identity/passwords/passwords.ts";
import { problemOf } from "../support/answers.ts";
import { refusal } from "../support/licenses.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { expectSimilarTimes } from "../support/similar-times.ts";
import { suspendUserForTest } from "../support/suspend.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const wrong = { password: "not the one" };
const change = { currentPassword: goodPassword, newPassword: "an even better password" };

testsOn("sqlite", "signing in", openSignInFixture, (fixture) => {
  test("the right password opens a session of two weeks, in a cookie that scripts cannot read", async () => {
    const { browser, email, userId } = await fixture.createUser();
    const answer = await fixture.signIn(email.toUpperCase(), { browser });
    expect(answer.status).toBe(200);
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toStartWith("countersign.session_token=");
    expect(cookie).toEndWith("; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax");
    const token =
      decodeURIComponent(browser.cookies.get("countersign.session_token") ?? "").split(".")[0] ?? "?";
    expect(answer.text).not.toContain(token);
    const { body: sessions } = await browser.manage("GET", "/me/sessions");
    const lastsMs = Date.parse(sessions.data[0].expires_at) - Date.now();
    expect(Math.abs(lastsMs - 14 * 86_400_000)).toBeLessThan(60_000);
    const me = await browser.manage("GET", "/me");
    expect(me.body).toMatchObject({ id: userId, email, email_verified: true, two_factor_enabled: false });
    expect(me.body.sign_in_methods).toEqual({ password: true, discord: null, passkeys: [] });
    await browser.auth("/sign-out", {});
    expect((await browser.manage("GET", "/me")).status).toBe(401);
  });

  test("a wrong password and an unknown email address get the same response in about the same time", async () => {
    const hash = await hashPassword(goodPassword);
    const texts = new Set<string>();
    const signIn = async (email: string) => {
      const { status, body } = await fixture.signIn(email, wrong);
      texts.add(JSON.stringify([status, { ...body, request_id: "" }]));
    };
    await expectSimilarTimes(async () => {
      const { email } = await fixture.createUser({ hash });
      return [() => signIn(email), () => signIn(`${newId()}@example.com`)];
    });
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).toContain("401");
  });

  test("a user who is suspended, or whose email address is not verified, cannot sign in with the right password", async () => {
    const unverified = await fixture.createUser({ verified: false });
    expect(problemOf(await fixture.signIn(unverified.email, unverified))).toEqual([
      403,
      "email_not_verified",
    ]);
    expect(unverified.browser.cookies.size).toBe(0);
    const { browser, email, userId } = await fixture.createSignedInUser();
    await suspendUserForTest(fixture.store, userId);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    expect((await browser.auth("/get-session")).body).toBeNull();
    expect((await browser.auth("/change-password", change)).status).toBe(401);
    const later = fixture.browser();
    expect((await fixture.signIn(email, { browser: later })).status).toBe(403);
    expect(later.cookies.has("countersign.session_token")).toBe(false);
  });

  test("with a session cookie, changes from other origins are refused in both APIs, and so is signing in", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const own = fixture.url;
    const others = [
      "",
      "null",
      `${own}.evil.example`,
      own.replace(/\d+$/, "1"),
      own.replace("http:", "https:"),
    ];
    for (const origin of [...others, `${own}/`, own.toUpperCase()]) {
      const out = await browser.auth("/sign-out", {}, { origin });
      const renamed = await browser.manage("PATCH", "/me", { name: "Mallory" }, { origin });
      for (const { status, body } of [out, renamed])
        expect([origin, status, body.code]).toEqual([origin, 403, "wrong_origin"]);
    }
    expect((await browser.manage("GET", "/me")).body.name).toBe("Test Person");
    expect((await browser.manage("PATCH", "/me", { name: "Ada" })).body.name).toBe("Ada");
    const foreign = { headers: { origin: "https://evil.example" } };
    expect((await fixture.signIn(email, foreign)).status).toBe(403);
    // Programs send no origin.
    expect((await fixture.signIn(email, { headers: { origin: "" } })).status).toBe(200);
  });

  test("the database has only the hash of a session's token, however the session was opened or changed", async () => {
    const { browser, userId } = await fixture.createSignedInUser();
    const token = () =>
      decodeURIComponent(browser.cookies.get("countersign.session_token") ?? "").split(".")[0] ?? "?";
    const expectHash = async (what: string) => {
      const stored = (await fixture.stored("sessions", { user_id: userId })).map((row) => row.token);
      expect([what, stored]).toEqual([what, [hash("sha256", token(), "base64url")]]);
      expect([what, (await browser.manage("GET", "/me")).status]).toEqual([what, 200]);
    };
    await expectHash("signing in");
    const yesterday = new Date(Date.now() + 12 * 86_400_000).toISOString();
    await fixture.change("sessions", { user_id: userId }, { expires_at: yesterday });
    const refreshed = await browser.auth("/get-session");
    expect(Date.parse(refreshed.body.session.expiresAt)).toBeGreaterThan(Date.now() + 13 * 86_400_000);
    await expectHash("using the session on another day");
    const { device } = await fixture.addPasskey(browser);
    const ways: [string, () => Promise<unknown>][] = [
      ["turning the second factor on", () => fixture.enableSecondFactor(browser)],
      [
        "turning the second factor off",
        () => browser.auth("/two-factor/disable", { password: goodPassword }),
      ],
      [
        "changing the password",
        () => browser.auth("/change-password", { ...change, revokeOtherSessions: true }),
      ],
    ];
    for (const [what, act] of ways) {
      await act();
      await expectHash(what);
    }
    await browser.auth("/sign-out", {});
    expect(await fixture.stored("sessions", { user_id: userId })).toEqual([]);
    const options = await browser.auth("/passkey/generate-authenticate-options");
    const response = device.authenticate(options.body);
    expect((await browser.auth("/passkey/verify-authentication", { response })).status).toBe(200);
    await expectHash("a passkey");
    // A token that an older release stored in clear opens nothing.
    await fixture.change("sessions", { user_id: userId }, { token: token() });
    expect((await browser.manage("GET", "/me")).status).toBe(401);
  });

  test("sessions are listed without their secrets, by their true IP address, and can be ended", async () => {
    const { browser, email } = await fixture.createUser();
    await fixture.signIn(email, { browser, headers: { "x-countersign-ip": "203.0.113.66" } });
    const [second, third] = [fixture.browser(), fixture.browser()];
    for (const other of [second, third]) await fixture.signIn(email, { browser: other });
    const meStatus = async (at: typeof browser) => (await at.manage("GET", "/me")).status;
    const list = await browser.manage("GET", "/me/sessions");
    expect(list.body.data).toMatchObject([
      { user_agent: "Test Browser", is_current: true },
      { is_current: false },
      { is_current: false },
    ]);
    expect(list.body.data[0].ip).toStartWith("198.18.");
    expect(list.text).not.toContain("token");
    const session = `/me/sessions/${list.body.data[1].id}`;
    expect((await browser.manage("DELETE", session)).status).toBe(204);
    expect([await meStatus(second), await meStatus(third)]).toEqual([401, 200]);
    expect((await browser.manage("DELETE", "/me/sessions")).status).toBe(204);
    expect([await meStatus(third), await meStatus(browser)]).toEqual([401, 200]);
  });

  test("changing the password needs the old one, ends the other sessions, and sends an email", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    const other = fixture.browser();
    await fixture.signIn(email, { browser: other });
    const changeTo = (changes: object) => browser.auth("/change-password", { ...change, ...changes });
    expect((await changeTo({ currentPassword: "not the one" })).status).toBe(401);
    expect(refusal(await changeTo({ newPassword: "Passw0rd1" }))).toEqual([422, "newPassword"]);
    expect((await changeTo({})).status).toBe(200);
    expect((await browser.manage("GET", "/me")).status).toBe(200);
    expect((await other.manage("GET", "/me")).status).toBe(401);
    expect((await fixture.signIn(email)).status).toBe(401);
    expect((await fixture.signIn(email, { password: change.newPassword })).status).toBe(200);
    expect(await fixture.emailKinds(email)).toContain("password_changed");
    expect(await fixture.actions(userId)).toEqual(["person.password_changed"]);
  });

  test("a sign-in from a new device or network sends one email, in the user's language", async () => {
    const { email, browser } = await fixture.createUser();
    const firefox = (version: string) => `Mozilla/5.0 (X11; Linux x86_64; rv:${version}) Firefox/${version}`;
    const at = (ip: string, program = firefox("140.0")) => ({ "x-forwarded-for": ip, "user-agent": program });
    const notices = async () => (await fixture.emails(email)).filter(({ kind }) => kind === "new_sign_in");
    await fixture.signIn(email, { browser, headers: at("203.0.113.7") });
    await browser.manage("PATCH", "/me", { locale: "de" });
    const signIns = [
      ["an update, in the same network", at("203.0.113.250", firefox("141.0.2")), 0],
      ["another network", { ...at("192.0.2.9"), "accept-language": "es" }, 1],
      ["the other network again", at("192.0.2.9"), 1],
      ["another program", at("203.0.113.7", "curl/8.5.0"), 2],
      ["the first again", at("203.0.113.7"), 2],
    ] as const;
    for (const [what, headers, count] of signIns) {
      await fixture.signIn(email, { ...wrong, headers });
      await fixture.signIn(email, { headers });
      expect([what, (await notices()).length]).toEqual([what, count]);
    }
    const [first] = await notices();
    expect(first?.subject).toBe("Neue Anmeldung in deinem Konto");
    expect(first?.body_text).toContain("IP-Adresse: 192.0.2.9\n");
    expect(first?.body_text).toContain("Firefox 140, Linux\n");
    expect(first?.body_html).toContain('<html lang="de">');
  });

  test("unused routes of the sign-in library do not exist, and invalid input names the field", async () => {
    const { browser } = await fixture.createSignedInUser();
    const unused = ["/list-sessions", "/delete-user", "/update-user", "/change-email", "/revoke-sessions"];
    for (const path of [...unused, "/ok", "/error", "/two-factor/send-otp", "/sign-in/email/", "/.."])
      expect([path, (await browser.auth(path, {})).status]).toEqual([path, 404]);
    const get = await browser.auth("/sign-in/email");
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    // Invalid input names the field, also a foreign page to return to.
    const { email } = await fixture.createUser();
    const away = { email, password: goodPassword, callbackURL: "https://evil.example" };
    expect(refusal(await browser.auth("/sign-in/email", { email }))).toEqual([422, "password"]);
    expect(refusal(await browser.auth("/sign-in/email", away))).toEqual([422, "callbackURL"]);
  });
});
