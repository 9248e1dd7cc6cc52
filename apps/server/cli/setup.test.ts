import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import { apiOf } from "../../../tests/support/api.ts";
import { freshFolder, on, type TestDatabase } from "../../../tests/support/databases.ts";
import { manageClient } from "../../../tests/support/manage-client.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";

setDefaultTimeout(60_000);

const names = ["--organization", "Nordlicht Söhne", "--product", "Polaris"];

for (const { kind, makeEmpty: make } of on("sqlite")) {
  describe(`setup on ${kind}`, async () => {
    const made: TestDatabase[] = [];
    const fresh = async () => {
      const database = await make();
      made.push(database);
      return database;
    };
    afterAll(() => {
      for (const database of made) database.remove();
    });

    test("an empty database gets an organization and a product whose key works", async () => {
      const { environment } = await fresh();
      const account = ["--email", "ada@example.com", "--password", "a good password"];
      const { code, stdout, stderr } = await runCountersign(
        ["setup", ...names, ...account, "--json"],
        environment,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const answer = JSON.parse(stdout);
      expect(Object.keys(answer)).toEqual([
        "user_id",
        "organization_id",
        "product_id",
        "api_key",
        "access_token",
      ]);
      const server = await startServerProcess(environment);
      const owned = await manageClient(server.url, answer.access_token).get("/organizations");
      expect(owned.body.data).toMatchObject([{ id: answer.organization_id, owner_id: answer.user_id }]);
      expect(await statusOf(server.url, answer.api_key)).toBe("license_not_found");

      // The only platform admin has nobody to ask for a new password.
      const wanted = await runCountersign(
        ["password-link", "--email", "ADA@example.com", "--json"],
        environment,
      );
      expect({ code: wanted.code, stderr: wanted.stderr }).toEqual({ code: 0, stderr: "" });
      const { link, user_id } = JSON.parse(wanted.stdout);
      expect(user_id).toBe(answer.user_id);
      const { searchParams } = new URL(link);
      // The server was started with port 0, so its own URL has that port.
      const ownAddress = "http://127.0.0.1:0";
      const set = await fetch(`${server.url}/api/auth/reset-password`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: ownAddress },
        body: JSON.stringify({ token: searchParams.get("token"), newPassword: "another good password" }),
      });
      expect(set.status).toBe(200);
      const unknown = await runCountersign(["password-link", "--email", "bob@example.com"], environment);
      expect([unknown.code, unknown.stderr]).toEqual([
        1,
        "No account has the email address bob@example.com.\n",
      ]);
      await server.stop();
    });

    test("emails are in the requested language, or else in the language of the terminal", async () => {
      const { environment, location } = await fresh();
      const run = (email: string, more: string[], settings: Record<string, string>) =>
        runCountersign(["setup", ...names, "--email", email, "--password", "a good password", ...more], {
          ...environment,
          ...settings,
        });
      await run("named@example.com", ["--language", "es"], { LANG: "de_DE.UTF-8" });
      await run("terminal@example.com", [], { LANG: "de_DE.UTF-8" });
      await run("neither@example.com", [], { LANG: "C.UTF-8" });
      // An existing user keeps their language, and their new organization gets it.
      await run("named@example.com", [], { LANG: "de_DE.UTF-8" });
      const store = await openStore(location, { encryptionKey: null, durability: "standard" });
      const found = await store.reads
        .selectFrom("organizations")
        .innerJoin("users", "users.id", "organizations.owner_id")
        .select(["users.email", "users.locale as theirs", "organizations.locale as customers"])
        .select("users.is_platform_admin as admin")
        .orderBy("organizations.id")
        .execute();
      await store.close();
      // Only the first account of a server administers it.
      expect(found.map(({ email, admin }) => [email, admin])).toEqual([
        ["named@example.com", 1],
        ["terminal@example.com", 0],
        ["neither@example.com", 0],
        ["named@example.com", 1],
      ]);
      expect(found.map(({ email, theirs, customers }) => [email, theirs, customers])).toEqual([
        ["named@example.com", "es", "es"],
        ["terminal@example.com", "de", "de"],
        ["neither@example.com", "en", "en"],
        ["named@example.com", "es", "es"],
      ]);
    });

    test("every call creates a new organization, also with the same name and while a server runs", async () => {
      const { environment, location } = await fresh();
      const server = await startServerProcess(environment);
      const keys: string[] = [];
      for (let time = 0; time < 3; time++) {
        const { stdout } = await runCountersign(["setup", ...names, "--plan", "free", "--json"], environment);
        keys.push(JSON.parse(stdout).api_key);
      }
      for (const key of keys) expect(await statusOf(server.url, key)).toBe("license_not_found");
      await server.stop();
      const store = await openStore(location, { encryptionKey: null, durability: "standard" });
      const found = await store.reads
        .selectFrom("organizations")
        .select(["slug", "plan"])
        .orderBy("slug")
        .execute();
      await store.close();
      expect(found.map((row) => row.slug)).toEqual([
        "nordlicht-sohne",
        "nordlicht-sohne-2",
        "nordlicht-sohne-3",
      ]);
      expect(new Set(found.map((row) => row.plan))).toEqual(new Set(["free"]));
    });

    test("concurrent setups with the same name all succeed", async () => {
      const { environment } = await fresh();
      await runCountersign(["migrate"], environment);
      const all = await Promise.all(
        Array.from({ length: 4 }, () => runCountersign(["setup", ...names, "--json"], environment)),
      );
      expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
        all.map(() => ({ code: 0, stderr: "" })),
      );
    });
  });
}

describe("the arguments of setup", () => {
  const folder = freshFolder();
  const run = (...words: string[]) => runCountersign(["setup", ...words], { COUNTERSIGN_DATA: folder });

  test.each([
    [
      ["--product", "Polaris"],
      "Add --organization with the name of the organization that sells the software.\n",
    ],
    [
      ["--organization", " ", "--product", "P"],
      "Add --organization with the name of the organization that sells the software.\n",
    ],
    [["--organization", "Nordlicht"], "Add --product with the name of its first product.\n"],
    [[...names, "--language", "fr"], '--language is "fr". It must be one of: en, de, es.\n'],
    [[...names, "--plan", "gold"], '--plan is "gold". It must be one of: free, pro, enterprise.\n'],
    [
      [...names, "--email", "ada", "--password", "a good password"],
      '--email is "ada". It must be an email address, such as ada@example.com.\n',
    ],
    [
      [...names, "--email", "ada@example.com", "--password", "short"],
      "--password is too short. It must have at least 8 characters.\n",
    ],
    [[...names, "--password", "a good password"], "Add --email with the owner's email address.\n"],
    [[...names, "--wrong"], "Unknown option '--wrong'. Run countersign setup --help for the options.\n"],
  ])("%j is rejected with one sentence", async (words, sentence) => {
    expect(await run(...words)).toEqual({ code: 1, stdout: "", stderr: sentence });
  });

  test("text output shows the key once, with a request to try", async () => {
    const { code, stdout } = await run(...names);
    expect(code).toBe(0);
    const key = /^ {2}(csk_\w+)$/m.exec(stdout)?.[1];
    expect(stdout).toContain(
      `curl -sS 'http://127.0.0.1:3000/api/v1/validate' -H 'Authorization: Bearer ${key}'`,
    );
  });
});

async function statusOf(url: string, apiKey: string): Promise<unknown> {
  const { body } = await apiOf(url, apiKey).validate({ license_key: "0000-0000-0000-0000" });
  return body.status;
}
