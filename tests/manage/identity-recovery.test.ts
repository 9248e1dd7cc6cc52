import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { goodPassword, openSignInFixture, type SignInFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { expectSimilarTimes } from "../support/similar-times.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

describe.each(databases)("password reset and email change on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  test("the emailed link sets a password once, ends every session, and verifies the email address", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    await fixture.browser().auth("/request-password-reset", { email });
    await fixture.browser().auth("/request-password-reset", { email });
    const [first, second] = (await fixture.emails(email)).map(tokenIn);
    const newPassword = "something quite different";
    const weak = await fixture.browser().auth("/reset-password", { token: first, newPassword: "12345678" });
    expect(weak.body.errors[0]).toMatchObject({ field: "newPassword", code: "common_password" });
    const own = await fixture.browser().auth("/reset-password", { token: first, newPassword: email });
    expect(own.body.errors[0]).toMatchObject({ field: "newPassword", code: "personal_password" });
    expect((await fixture.browser().auth("/reset-password", { token: first, newPassword })).status).toBe(200);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    for (const token of [first, second, "made-up"]) {
      const again = await fixture
        .browser()
        .auth("/reset-password", { token, newPassword: "a third password" });
      expect([again.status, again.body.code]).toEqual([401, "invalid_link"]);
    }
    expect((await fixture.browser().auth("/sign-in/email", { email, password: goodPassword })).status).toBe(
      401,
    );
    expect((await fixture.browser().auth("/sign-in/email", { email, password: newPassword })).status).toBe(
      200,
    );
    expect((await fixture.emails(email)).map((message) => message.kind)).toContain("password_changed");
    expect(await fixture.actions(userId)).toContain("person.password_reset");
  });

  test("concurrent uses of one token set one password", async () => {
    const { email } = await fixture.createUser();
    await fixture.browser().auth("/request-password-reset", { email });
    const token = tokenIn((await fixture.emails(email))[0]);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        fixture.browser().auth("/reset-password", { token, newPassword: `a racing password ${number}` }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401, 401]);
  });

  test("a request for an unknown email address gets the same response in the same time", async () => {
    const answers = new Set<string>();
    const request = async (email: string) => {
      const answer = await fixture.browser().auth("/request-password-reset", { email });
      answers.add(`${answer.status} ${answer.text}`);
    };
    await expectSimilarTimes(async () => {
      const { email } = await fixture.createUser();
      return [() => request(email), () => request(`${newId()}@example.com`)];
    });
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toStartWith("200 ");
  });

  test("one email address gets few emails, however many clients request them", async () => {
    const { email } = await fixture.createUser();
    const statuses = [];
    for (let time = 0; time < 6; time++)
      statuses.push((await fixture.browser().auth("/request-password-reset", { email })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(await fixture.emails(email)).toHaveLength(4);
  });

  test("the database stores only hashes of tokens", async () => {
    const { email } = await fixture.createUser();
    await fixture.browser().auth("/request-password-reset", { email });
    const token = tokenIn((await fixture.emails(email))[0]);
    const rows = await fixture.store.reads.selectFrom("verifications").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test("a new email address applies once confirmed, and the old one is notified", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    const newEmail = `new-${newId()}@example.com`;
    const body = { new_email: newEmail.toUpperCase(), password: goodPassword };
    expect((await browser.manage("POST", "/me/email", { ...body, password: "not the one" })).status).toBe(
      401,
    );
    expect((await browser.manage("POST", "/me/email", { new_email: newEmail })).body.errors[0].field).toBe(
      "password",
    );
    expect((await browser.manage("POST", "/me/email", body)).status).toBe(202);
    expect((await browser.manage("GET", "/me")).body.email).toBe(email);
    expect((await fixture.emails(email)).map((message) => message.kind)).toEqual(["email_change_requested"]);
    const token = tokenIn((await fixture.emails(newEmail))[0]);

    // The link needs its user's session. A failed attempt does not consume it.
    expect((await fixture.browser().manage("POST", "/me/email/confirm", { token })).status).toBe(401);
    const otherUser = await fixture.createSignedInUser();
    expect((await otherUser.browser.manage("POST", "/me/email/confirm", { token })).status).toBe(422);
    const confirmed = await browser.manage("POST", "/me/email/confirm", { token });
    expect(confirmed.body).toMatchObject({ email: newEmail, email_verified: true });
    expect((await browser.manage("POST", "/me/email/confirm", { token })).status).toBe(422);
    expect((await fixture.emails(email)).map((message) => message.kind)).toEqual([
      "email_change_requested",
      "email_changed",
    ]);
    expect((await fixture.browser().auth("/sign-in/email", { email, password: goodPassword })).status).toBe(
      401,
    );
    expect(
      (await fixture.browser().auth("/sign-in/email", { email: newEmail, password: goodPassword })).status,
    ).toBe(200);
    expect(await fixture.actions(userId)).toEqual(["person.email_change_requested", "person.email_changed"]);
  });

  test("another account's email address cannot be taken over, and the response does not reveal the account", async () => {
    const { browser } = await fixture.createSignedInUser();
    const other = await fixture.createUser();
    const free = `free-${newId()}@example.com`;
    const ask = (address: string) =>
      browser.manage("POST", "/me/email", { new_email: address, password: goodPassword });
    const [taken, open] = [await ask(other.email), await ask(free)];
    expect([taken.status, open.status]).toEqual([202, 202]);
    expect(await fixture.emails(other.email)).toEqual([]);
    const token = tokenIn((await fixture.emails(free))[0]);
    await fixture.store.transaction((db) =>
      db.updateTable("users").set({ email: free }).where("id", "=", other.userId).execute(),
    );
    expect((await browser.manage("POST", "/me/email/confirm", { token })).status).toBe(409);
  });
});
