import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { createSetupToken } from "../../apps/server/features/identity/account/setup-link.ts";
import { addOrganization } from "../../apps/server/features/organizations/create.ts";
import { problemOf, refusedFields } from "../support/answers.ts";
import { Browser } from "../support/browser.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import { refusal } from "../support/licenses.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { goodPassword, openSignInFixture } from "../support/sign-in-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const ada = { name: "Ada Lovelace", email: "Ada@Example.com", password: goodPassword };

const openFirstRun = (make: TestedDatabase["make"]) =>
  openSignInFixture(make, { why: "nobody has an account yet" });

testsOn("postgres", "the first run", openFirstRun, (fixture) => {
  beforeEach(async () => {
    await fixture.store.transaction(async (db) => {
      for (const table of ["roles", "products", "organizations", "users"] as const)
        await db.deleteFrom(table).execute();
    });
  });

  /** The token of a node that starts now. */
  const newToken = async () => String(await createSetupToken(fixture.store, Date.now()));
  const setUp = (body: object, browser = fixture.browser(), headers = {}) =>
    browser.manage("POST", "/setup", { ...ada, ...body }, headers);
  const stateOf = async (query = "") => (await fixture.browser().manage("GET", `/setup${query}`)).body;

  test("the printed link creates the first user as platform admin and signs them in, on every node", async () => {
    const { output } = fixture.server;
    await until("the set-up link is printed", () => output().includes(`${fixture.url}/setup?token=`));
    const token = /\/setup\?token=([\w-]{43})/.exec(output())?.[1] ?? "";
    expect((await stateOf()).is_open).toBe(true);
    const browser = fixture.browser();
    const made = await setUp({ token }, browser);
    const first = { email: "ada@example.com", is_platform_admin: true, email_verified: true };
    expect(made).toMatchObject({ status: 201, body: first });
    expect((await browser.manage("GET", "/me")).body.id).toBe(made.body.id);
    expect((await stateOf()).is_open).toBe(false);
    expect((await fixture.signIn(ada.email)).status).toBe(200);
    expect(await fixture.actions(made.body.id)).toEqual(["person.set_up"]);

    const again = await setUp({ email: "eve@example.com", token });
    expect(problemOf(again)).toEqual([403, "invalid_setup_link"]);

    // A node that starts now prints none. All nodes share one secret, so a session works on each of them.
    const port = String(await freePort());
    const second = await startServerProcess({ ...fixture.environment, PORT: port });
    const onSecond = new Browser(`http://127.0.0.1:${port}`, "198.19.0.1");
    for (const [name, value] of browser.cookies) onSecond.cookies.set(name, value);
    expect((await onSecond.manage("GET", "/me")).body.id).toBe(made.body.id);
    await second.stop();
    expect(second.output()).not.toContain("/setup?token=");
  });

  test("set-up from another URL than the server's is refused before anything is written, and the link still works", async () => {
    const token = await newToken();
    const browser = fixture.browser();
    for (const origin of [
      "http://license.example.com:3000",
      fixture.url.replace("127.0.0.1", "localhost"),
      "null",
    ]) {
      const refused = await setUp({ token }, browser, { origin });
      expect(problemOf(refused)).toEqual([403, "wrong_origin"]);
      expect(refused.body.detail).toContain(fixture.url);
      expect(refused.body.detail).toContain("COUNTERSIGN_URL");
    }
    expect(await stateOf(`?token=${token}`)).toMatchObject({ is_open: true, is_link_good: true });
    expect((await stateOf()).url).toBe(fixture.url);
    expect((await setUp({ token }, browser)).status).toBe(201);
    expect((await browser.manage("POST", "/organizations", { name: "Casa" })).status).toBe(201);
  });

  test("the first user owns the organizations that nobody owned, such as those of the demo", async () => {
    const wanted = { name: "Northwind", plan: "pro" } as const;
    const { id: organizationId } = await fixture.store.transaction((db) =>
      addOrganization(db, wanted, 1_000),
    );
    const browser = fixture.browser();
    expect((await setUp({ token: await newToken() }, browser)).status).toBe(201);
    const { data } = (await browser.manage("GET", "/organizations")).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([organizationId]);
  });

  test("a program that sends no origin can set up", async () =>
    expect((await setUp({ token: await newToken() }, fixture.browser(), { origin: "" })).status).toBe(201));

  test("an invented token, a weak password, an unknown language and missing members create no user", async () => {
    const token = await newToken();
    expect((await setUp({ token: "x".repeat(43) })).status).toBe(403);
    for (const [field, value] of Object.entries({ password: "password1", locale: "tlh" }))
      expect(refusal(await setUp({ token, [field]: value }))).toEqual([422, field]);
    const short = await fixture.browser().manage("POST", "/setup", { token });
    expect(refusedFields(short)).toEqual([422, "email", "name", "password"]);
    const states = ["", `?token=${token}`, `?token=${token.slice(1)}x`].map(stateOf);
    expect(await Promise.all(states)).toMatchObject(
      [null, true, false].map((is_link_good) => ({ is_open: true, is_link_good })),
    );
  });

  test.each([
    ["the requested language", { locale: "es" }, "de-AT,de;q=0.9", "es"],
    ["the browser's language", {}, "fr, de-AT;q=0.9, en;q=0.8", "de"],
    ["English by default", {}, "", "en"],
  ])("the first user and their organizations get %s", async (_, body, header, locale) => {
    const browser = fixture.browser();
    const made = await setUp({ token: await newToken(), ...body }, browser, { "accept-language": header });
    expect([made.status, made.body.locale]).toEqual([201, locale]);
    const { body: organization } = await browser.manage("POST", "/organizations", { name: "Casa" });
    expect(organization.locale).toBe(locale);
  });

  test("the command line creates a user who can sign in, and adds organizations given the right password", async () => {
    const account = ["--email", "grace@example.com", "--password"];
    const setup = (password: string, organization: string) => {
      const names = ["--organization", organization, "--product", "P", "--json"];
      return runCountersign(["setup", ...account, password, ...names], fixture.environment);
    };
    const first = JSON.parse((await setup(goodPassword, "First")).stdout);
    const second = JSON.parse((await setup(goodPassword, "Second")).stdout);
    expect(second.user_id).toBe(first.user_id);
    const { code, stderr } = await setup("not the one", "Third");
    expect([code, stderr]).toEqual([
      1,
      "An account with the email address grace@example.com already exists, with a different password.\n",
    ]);
    const browser = fixture.browser();
    await fixture.signIn("grace@example.com", { browser });
    expect((await browser.manage("GET", "/me")).body.is_platform_admin).toBe(true);
    const { data } = (await browser.manage("GET", "/organizations")).body;
    const names = data.map((organization: { name: string }) => organization.name);
    expect(names.sort()).toEqual(["First", "Second"]);
  });
});
