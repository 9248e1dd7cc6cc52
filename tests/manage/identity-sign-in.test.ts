import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rememberDevice } from "@countersign/store/queries/identity/sign-in";
import { hashPassword } from "../../apps/server/features/identity/passwords.ts";
import { databases } from "../support/databases.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { expectSimilarTimes } from "../support/similar-times.ts";
import { suspendUserForTest } from "../support/suspend.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

describe.each(databases)("signing in on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  test("the right password creates a session in a cookie that scripts cannot read", async () => {
    const { browser, email, userId } = await fixture.createUser();
    const answer = await browser.auth("/sign-in/email", {
      email: email.toUpperCase(),
      password: goodPassword,
    });
    expect(answer.status).toBe(200);
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toStartWith("countersign.session_token=");
    expect(cookie).toContain("; Path=/; HttpOnly; SameSite=Lax");
    const token =
      decodeURIComponent(browser.cookies.get("countersign.session_token") ?? "").split(".")[0] ?? "?";
    expect(answer.text).not.toContain(token);
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
      const answer = await fixture.browser().auth("/sign-in/email", { email, password: "not the one" });
      const { request_id: _, ...rest } = answer.body;
      texts.add(JSON.stringify([answer.status, rest]));
    };
    await expectSimilarTimes(async () => {
      const { email } = await fixture.createUser({ hash });
      return [() => signIn(email), () => signIn(`${newId()}@example.com`)];
    });
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).toContain("401");
  });

  test("a user with an unverified email address cannot sign in with the right password", async () => {
    const { browser, email } = await fixture.createUser({ verified: false });
    const answer = await browser.auth("/sign-in/email", { email, password: goodPassword });
    expect(answer.status).toBe(403);
    expect(answer.body.code).toBe("email_not_verified");
    expect(browser.cookies.size).toBe(0);
  });

  test("a suspended user has no session and cannot sign in", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    await suspendUserForTest(fixture.store, userId);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    expect((await browser.auth("/get-session")).body).toBeNull();
    const change = { currentPassword: goodPassword, newPassword: "another good password" };
    expect((await browser.auth("/change-password", change)).status).toBe(401);
    const again = await fixture.browser().auth("/sign-in/email", { email, password: goodPassword });
    expect(again.status).toBe(403);
    expect(
      again.headers
        .getSetCookie()
        .filter((cookie) => cookie.includes("session_token=") && !cookie.includes("Max-Age=0")),
    ).toEqual([]);
  });

  describe("with a session cookie, changes from other origins", () => {
    const origins = (own: string): [string, string][] => [
      ["none", ""],
      ["null", "null"],
      ["foreign", "https://evil.example"],
      ["a longer name", `${own}.evil.example`],
      ["another port", own.replace(/\d+$/, "1")],
      ["another scheme", own.replace("http:", "https:")],
      ["a path", `${own}/`],
      ["upper case", own.toUpperCase()],
    ];
    test("are refused under /api/auth and in the management API", async () => {
      const { browser } = await fixture.createSignedInUser();
      for (const [what, origin] of origins(fixture.url)) {
        const out = await browser.auth("/sign-out", {}, { origin });
        expect([what, out.status, out.body.code]).toEqual([what, 403, "wrong_origin"]);
        const renamed = await browser.manage("PATCH", "/me", { name: "Mallory" }, { origin });
        expect([what, renamed.status, renamed.body.code]).toEqual([what, 403, "wrong_origin"]);
      }
      expect((await browser.manage("GET", "/me")).body.name).toBe("Test Person");
      expect((await browser.manage("PATCH", "/me", { name: "Ada" })).body.name).toBe("Ada");
    });

    test("are refused for signing in even without a cookie", async () => {
      const { email } = await fixture.createUser();
      const body = { email, password: goodPassword };
      const answer = await fixture.browser().auth("/sign-in/email", body, { origin: "https://evil.example" });
      expect(answer.status).toBe(403);
      expect((await fixture.browser().auth("/sign-in/email", body, { origin: "" })).status).toBe(200);
    });
  });

  test("sessions are listed without their secrets and can be ended", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const other = fixture.browser();
    const third = fixture.browser();
    for (const one of [other, third]) await one.auth("/sign-in/email", { email, password: goodPassword });
    const list = await browser.manage("GET", "/me/sessions");
    expect(list.body.data).toHaveLength(3);
    expect(list.body.data.filter((session: { is_current: boolean }) => session.is_current)).toHaveLength(1);
    expect(list.body.data[0]).toMatchObject({ user_agent: "Test Browser", is_current: true });
    expect(list.body.data[0].ip).toStartWith("198.18.");
    expect(list.text).not.toContain("token");
    const second = list.body.data[1].id;
    expect(
      (await (await fixture.createSignedInUser()).browser.manage("DELETE", `/me/sessions/${second}`)).status,
    ).toBe(404);
    expect((await browser.manage("DELETE", `/me/sessions/${second}`)).status).toBe(204);
    expect((await other.manage("GET", "/me")).status).toBe(401);
    expect((await third.manage("GET", "/me")).status).toBe(200);
    expect((await browser.manage("DELETE", "/me/sessions")).status).toBe(204);
    expect((await third.manage("GET", "/me")).status).toBe(401);
    expect((await browser.manage("GET", "/me")).status).toBe(200);
    const page = await browser.manage("GET", "/me/sessions?limit=1");
    expect(page.body).toMatchObject({ data: [{ is_current: true }], next_cursor: null });
  });

  test("changing the password needs the old one, ends the other sessions, and sends an email", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    const other = fixture.browser();
    await other.auth("/sign-in/email", { email, password: goodPassword });
    const newPassword = "an even better password";
    const wrong = await browser.auth("/change-password", { currentPassword: "not the one", newPassword });
    expect(wrong.status).toBe(401);
    const common = await browser.auth("/change-password", {
      currentPassword: goodPassword,
      newPassword: "Passw0rd1",
    });
    expect([common.status, common.body.errors[0].field]).toEqual([422, "newPassword"]);
    expect(
      (await browser.auth("/change-password", { currentPassword: goodPassword, newPassword })).status,
    ).toBe(200);
    expect((await browser.manage("GET", "/me")).status).toBe(200);
    expect((await other.manage("GET", "/me")).status).toBe(401);
    expect((await fixture.browser().auth("/sign-in/email", { email, password: goodPassword })).status).toBe(
      401,
    );
    expect((await fixture.browser().auth("/sign-in/email", { email, password: newPassword })).status).toBe(
      200,
    );
    expect((await fixture.emails(email)).map((message) => message.kind)).toContain("password_changed");
    expect(await fixture.actions(userId)).toEqual(["person.password_changed"]);
  });

  test("a sign-in from a new device sends an email, one from a known device does not", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    await browser.auth("/sign-in/email", { email, password: goodPassword });
    expect(await fixture.emails(email)).toEqual([]);
    const elsewhere = { "x-forwarded-for": "203.0.113.7", "user-agent": "Other Browser" };
    await fixture.browser().auth("/sign-in/email", { email, password: goodPassword }, elsewhere);
    const emails = await fixture.emails(email);
    expect(emails.map((message) => message.kind)).toEqual(["new_sign_in"]);
    expect(emails[0]?.body_text).toContain("203.0.113.7");
  });

  describe("an email about a sign-in from a new device", () => {
    const signIn = (email: string, from: Record<string, string>) =>
      fixture.browser().auth("/sign-in/email", { email, password: goodPassword }, from);
    const at = (address: string, program = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0") => ({
      "x-forwarded-for": address,
      "user-agent": program,
    });
    const notices = async (email: string) =>
      (await fixture.emails(email)).filter((message) => message.kind === "new_sign_in");

    test("is not sent for the first sign-in, and is sent once per device and network", async () => {
      const { email } = await fixture.createUser();
      await signIn(email, at("203.0.113.7"));
      await signIn(email, at("203.0.113.7"));
      expect(await notices(email)).toEqual([]);
      const counts: number[] = [];
      for (const from of [
        at("192.0.2.9"),
        at("192.0.2.9"),
        at("203.0.113.7", "curl/8.5.0"),
        at("203.0.113.7", "curl/8.5.0"),
        at("203.0.113.7"),
      ]) {
        expect((await signIn(email, from)).status).toBe(200);
        counts.push((await notices(email)).length);
      }
      expect(counts).toEqual([1, 1, 2, 2, 2]);
      const [first] = await notices(email);
      expect(first?.body_text).toContain("IP address: 192.0.2.9\nApplication: Firefox 140, Linux\n");
    });

    test("is not sent for a browser update or another IP address of the same network", async () => {
      const { email } = await fixture.createUser();
      await signIn(email, at("203.0.113.7"));
      await signIn(email, at("203.0.113.250", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Firefox/141.0.2"));
      await signIn(email, at("203.0.113.8"));
      expect(await notices(email)).toEqual([]);
    });

    test("is sent once for concurrent sign-ins", async () => {
      const { email, userId } = await fixture.createUser();
      await signIn(email, at("203.0.113.7"));
      await Promise.all(Array.from({ length: 5 }, () => signIn(email, at("192.0.2.9"))));
      expect(await notices(email)).toHaveLength(1);
      // A server checks one password at a time, so only this simulates several servers.
      for (let round = 0; round < 20; round++) {
        const seen = await Promise.all(
          Array.from({ length: 6 }, () =>
            fixture.store.transaction((db) => rememberDevice(db, userId, `device ${round}`, Date.now())),
          ),
        );
        expect(seen.filter(({ isUnexpected }) => isUnexpected)).toHaveLength(1);
      }
    });

    test("is in the user's language, and is not sent for a wrong password", async () => {
      const { email, browser } = await fixture.createSignedInUser();
      expect((await browser.manage("PATCH", "/me", { locale: "de" })).body.locale).toBe("de");
      const wrong = { email, password: "not the one" };
      await fixture.browser().auth("/sign-in/email", wrong, at("192.0.2.9"));
      expect(await notices(email)).toEqual([]);
      await signIn(email, { ...at("192.0.2.9"), "accept-language": "es" });
      const [message] = await notices(email);
      expect(message?.subject).toBe("Neue Anmeldung in deinem Konto");
      expect(message?.body_html).toContain('<html lang="de">');
    });
  });

  test("password attempts for one account are limited from any IP address, with a Retry-After", async () => {
    const { email } = await fixture.createUser();
    const statuses: number[] = [];
    let last = await fixture.browser().auth("/get-session");
    for (let time = 0; time < 22; time++) {
      last = await fixture.browser().auth("/sign-in/email", { email, password: `guess number ${time}` });
      statuses.push(last.status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
    expect(last.body.code).toBe("too_many_attempts");
    expect(Number(last.headers.get("retry-after"))).toBeWithin(1, 601);
    // The right password is limited too, so that a guess cannot be recognized as right.
    expect((await fixture.browser().auth("/sign-in/email", { email, password: goodPassword })).status).toBe(
      429,
    );
    // Lets the global limit for unknown devices reset before the next test.
    await Bun.sleep(1_000);
  });

  test("attempts from one IP address are limited across accounts, ignoring a forged IP header", async () => {
    const browser = fixture.browser();
    const statuses = new Map<number, number>();
    for (let time = 0; time < 70; time++) {
      const answer = await browser.auth(
        "/sign-in/social",
        { provider: "discord" },
        { "x-countersign-ip": `10.0.0.${time}` },
      );
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [404, 60],
      [429, 10],
    ]);
    // Lets the global limit for unknown devices reset before the next test.
    await Bun.sleep(1_000);
  });

  test("unused routes of the sign-in library do not exist", async () => {
    const { browser } = await fixture.createSignedInUser();
    for (const path of [
      "/list-sessions",
      "/delete-user",
      "/update-user",
      "/change-email",
      "/ok",
      "/error",
      "/two-factor/send-otp",
      "/sign-in/email/",
      "/revoke-sessions",
      "/..",
    ]) {
      expect([path, (await browser.send("POST", `/api/auth${path}`, {})).status]).toEqual([path, 404]);
    }
    const wrong = await browser.send("GET", "/api/auth/sign-in/email");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("invalid input names the field, and server-owned fields are refused", async () => {
    const browser = fixture.browser();
    const missing = await browser.auth("/sign-in/email", { email: "ada@example.com" });
    expect([missing.status, missing.body.errors]).toEqual([
      422,
      [{ field: "password", code: "missing", params: {}, message: "password is missing." }],
    ]);
    const extra = await browser.auth("/sign-in/email", {
      email: "a@b.c",
      password: "x",
      callbackURL: "https://evil.example",
    });
    expect([extra.status, extra.body.errors[0].field]).toEqual([422, "callbackURL"]);
    const large = await browser.auth("/sign-in/email", { email: "a@b.c", password: "x".repeat(70_000) });
    expect(large.status).toBe(413);
    const { browser: signedIn } = await fixture.createSignedInUser();
    const owned = await signedIn.manage("PATCH", "/me", { is_platform_admin: true });
    expect([owned.status, owned.body.errors[0].field]).toEqual([422, "is_platform_admin"]);
  });
});

test("cookies are bound to the host and to https if the server's URL is https", async () => {
  const [sqlite] = databases;
  if (sqlite === undefined) throw new Error("There is no database.");
  const fixture = await openSignInFixture(sqlite.make, { COUNTERSIGN_URL: "https://license.example.com" });
  const { email } = await fixture.createUser();
  const browser = fixture.browser();
  const answer = await browser.auth(
    "/sign-in/email",
    { email, password: goodPassword },
    { origin: "https://license.example.com" },
  );
  expect(answer.status).toBe(200);
  const [cookie] = answer.headers.getSetCookie();
  expect(cookie).toMatch(
    /^__Host-countersign\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect((await browser.auth("/get-session")).body.user.email).toBe(email);
  await fixture.close();
});
