import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Browser } from "../support/browser.ts";
import { databases, postgres, sqlite } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const ada = { name: "Ada Lovelace", email: "Ada@Example.com", password: goodPassword };

async function printedToken(output: () => string): Promise<string> {
  await until("the set-up link is printed", () => output().includes("/setup?token="));
  return /\/setup\?token=([\w-]{43})/.exec(output())?.[1] ?? "";
}

for (const { kind, make } of databases) {
  describe(`the first run on ${kind}`, () => {
    const fixtures: SignInFixture[] = [];
    const fresh = async (settings = {}) => {
      const fixture = await openSignInFixture(make, settings);
      fixtures.push(fixture);
      return fixture;
    };
    afterEach(() => Promise.all(fixtures.splice(0).map((fixture) => fixture.close())));

    test("the printed link creates the first user as platform admin and signs them in", async () => {
      const fixture = await fresh();
      const token = await printedToken(fixture.server.output);
      expect(fixture.server.output()).toContain(`${fixture.url}/setup?token=`);
      const browser = fixture.browser();
      expect((await browser.manage("GET", "/setup")).body.is_open).toBe(true);
      const made = await browser.manage("POST", "/setup", { ...ada, token });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        email: "ada@example.com",
        is_platform_admin: true,
        email_verified: true,
      });
      expect((await browser.manage("GET", "/me")).body.id).toBe(made.body.id);
      expect((await browser.manage("GET", "/setup")).body.is_open).toBe(false);
      const other = fixture.browser();
      const { email, password } = ada;
      expect((await other.auth("/sign-in/email", { email, password })).status).toBe(200);
      expect(await fixture.actions(made.body.id)).toEqual(["person.set_up"]);

      const again = await fixture
        .browser()
        .manage("POST", "/setup", { ...ada, email: "eve@example.com", token });
      expect([again.status, again.body.code]).toEqual([403, "invalid_setup_link"]);
      const rows = await fixture.store.reads.selectFrom("platform_state").selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(token);
    });

    test("the set-up page says whether the link still works", async () => {
      const fixture = await fresh();
      const token = await printedToken(fixture.server.output);
      const browser = fixture.browser();
      const good = async (query: string) => (await browser.manage("GET", `/setup${query}`)).body.is_link_good;
      expect(await good("")).toBeNull();
      expect(await good(`?token=${token}`)).toBe(true);
      expect(await good(`?token=${token.slice(1)}x`)).toBe(false);
      await fixture.store.transaction(async (db) => {
        await db
          .updateTable("platform_state")
          .set({ value: String(Date.now() - 60_000) })
          .execute();
      });
      expect(await good(`?token=${token}`)).toBe(false);
    });

    test("an invented token, a weak password and missing members create no user", async () => {
      const fixture = await fresh();
      const token = await printedToken(fixture.server.output);
      const browser = fixture.browser();
      expect((await browser.manage("POST", "/setup", { ...ada, token: "x".repeat(43) })).status).toBe(403);
      const weak = await browser.manage("POST", "/setup", { ...ada, password: "password1", token });
      expect([weak.status, weak.body.errors[0].field]).toEqual([422, "password"]);
      const short = await browser.manage("POST", "/setup", { token });
      expect(short.body.errors.map((error: { field: string }) => error.field)).toEqual([
        "name",
        "email",
        "password",
      ]);
      expect((await browser.manage("GET", "/setup")).body.is_open).toBe(true);
    });

    test("a link expires after half an hour", async () => {
      const fixture = await fresh();
      const token = await printedToken(fixture.server.output);
      await fixture.store.transaction((db) =>
        db
          .updateTable("platform_state")
          .set({ value: String(Date.now() - 60_000) })
          .where("name", "like", "setup-link:%")
          .execute(),
      );
      expect((await fixture.browser().manage("POST", "/setup", { ...ada, token })).status).toBe(403);
    });

    test("concurrent requests create one user", async () => {
      const fixture = await fresh();
      const token = await printedToken(fixture.server.output);
      const answers = await Promise.all(
        [1, 2, 3, 4].map((number) =>
          fixture.browser().manage("POST", "/setup", { ...ada, email: `racer-${number}@example.com`, token }),
        ),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 403, 403, 403]);
      expect(await fixture.store.reads.selectFrom("users").select("id").execute()).toHaveLength(1);
    });

    test("the command line creates a user who can sign in, and adds organizations given the right password", async () => {
      const fixture = await fresh();
      const token = await printedToken(fixture.server.output);
      const setup = (password: string, organization: string) =>
        runCountersign(
          [
            "setup",
            "--email",
            "grace@example.com",
            "--password",
            password,
            "--organization",
            organization,
            "--product",
            "P",
            "--json",
          ],
          fixture.environment,
        );
      const first = JSON.parse((await setup(goodPassword, "First")).stdout);
      const second = JSON.parse((await setup(goodPassword, "Second")).stdout);
      expect(second.user_id).toBe(first.user_id);
      expect(second.access_token).not.toBe(first.access_token);
      const wrong = await setup("not the one", "Third");
      expect(wrong).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "An account with the email address grace@example.com already exists, with a different password.\n",
      });
      const browser = fixture.browser();
      await browser.auth("/sign-in/email", { email: "grace@example.com", password: goodPassword });
      expect((await browser.manage("GET", "/me")).body.is_platform_admin).toBe(true);
      const organizations = (await browser.manage("GET", "/organizations")).body.data;
      expect(organizations.map((organization: { name: string }) => organization.name).sort()).toEqual([
        "First",
        "Second",
      ]);
      // The printed link stops working once an account exists.
      expect((await fixture.browser().manage("POST", "/setup", { ...ada, token })).status).toBe(403);
    });

    test("a server with a user prints no link", async () => {
      const fixture = await fresh();
      await fixture.createUser();
      await fixture.server.stop();
      const again = await startServerProcess({ ...fixture.environment, PORT: String(await freePort()) });
      await again.stop();
      expect(again.output()).not.toContain("/setup?token=");
    });
  });
}

describe("the first user's emails", () => {
  let fixture: SignInFixture;
  afterEach(() => fixture.close());

  test.each([
    ["the requested language", { locale: "es" }, "de-AT,de;q=0.9", "es"],
    ["the browser's language", {}, "fr, de-AT;q=0.9, en;q=0.8", "de"],
    ["English by default", {}, "", "en"],
  ])("are in %s", async (_what, body, header, locale) => {
    fixture = await openSignInFixture(sqlite.make);
    const token = await printedToken(fixture.server.output);
    const browser = fixture.browser();
    const wrong = await browser.manage("POST", "/setup", { ...ada, token, locale: "tlh" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "locale"]);
    const asked = { "accept-language": header };
    const made = await browser.manage("POST", "/setup", { ...ada, token, ...body }, asked);
    expect([made.status, made.body.locale]).toEqual([201, locale]);
    const { body: organization } = await browser.manage("POST", "/organizations", { name: "Casa" });
    expect(organization.locale).toBe(locale);
    const { email, password } = ada;
    await fixture.browser().auth("/sign-in/email", { email, password }, { "user-agent": "Another Browser" });
    const subjects = { en: "New sign-in to your account", de: "Neue Anmeldung", es: "Nuevo inicio" };
    const emails = await fixture.emails(email.toLowerCase());
    expect(emails.map((message) => message.subject)).toEqual([
      expect.stringContaining(subjects[locale as keyof typeof subjects]),
    ]);
  });
});

test("several nodes print one link each, all work on any node, and one use invalidates them all", async () => {
  const fixture = await openSignInFixture(postgres.make);
  const port = String(await freePort());
  const second = await startServerProcess({ ...fixture.environment, PORT: port });
  const tokens = [await printedToken(fixture.server.output), await printedToken(second.output)];
  expect(new Set(tokens).size).toBe(2);
  const onSecond = new Browser(`http://127.0.0.1:${port}`, "198.19.0.1");
  expect((await onSecond.manage("POST", "/setup", { ...ada, token: tokens[0] })).status).toBe(201);
  expect((await fixture.browser().manage("POST", "/setup", { ...ada, token: tokens[1] })).status).toBe(403);
  // All nodes share one secret, so a session works on each of them.
  const onFirst = new Browser(fixture.url, "198.19.0.1");
  for (const [name, value] of onSecond.cookies) onFirst.cookies.set(name, value);
  expect((await onFirst.manage("GET", "/me")).status).toBe(200);
  await second.stop();
  await fixture.close();
});
