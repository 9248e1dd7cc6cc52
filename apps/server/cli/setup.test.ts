import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/databases/open";
import { apiOf } from "../../../tests/support/api.ts";
import { Browser } from "../../../tests/support/browser.ts";
import { freshFolder, on } from "../../../tests/support/databases.ts";
import { manageClient } from "../../../tests/support/manage-client.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";

setDefaultTimeout(60_000);

const names = ["--organization", "Nordlicht Söhne", "--product", "Polaris"];
const email = ["--email", "ada@example.com"];
const password = ["--password", "a good password"];
const account = [...email, ...password];

describe.each(on("sqlite"))("setup on $kind", ({ makeEmpty }) => {
  test("what a person reads has the way in and everything that is shown only once, or says that nobody owns the organization", async () => {
    const { environment, remove } = await makeEmpty();
    const alone = await runHere(["setup", ...names], environment);
    expect(alone.stdout).toMatch(
      /^The organization .* are ready\.\nIt has no owner\. .*--email and --password/,
    );
    const owned = await runHere(["setup", ...names, ...account], environment);
    expect(owned.stdout).toContain("Sign in at http://127.0.0.1:3000 as ada@example.com");
    expect(owned.stdout).toMatch(
      /shown only once:\n {2}cst_[\w-]+\n\nThe product's API key, shown only once:\n {2}csk_/,
    );
    remove();
  });

  test("the first setup adds an account, an organization and a product, and each further one an organization", async () => {
    const { environment, location, remove } = await makeEmpty();
    const first = await runCountersign(["setup", ...names, ...account, "--json"], environment);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const ids = JSON.parse(first.stdout);
    const members = ["user_id", "organization_id", "product_id", "api_key", "access_token"];
    expect(Object.keys(ids)).toEqual(members);
    const server = await startServerProcess(environment);
    const owned = await manageClient(server.url, ids.access_token).get("/organizations");
    expect(owned.body.data).toMatchObject([{ id: ids.organization_id, owner_id: ids.user_id }]);

    // Also with the same name, while the server runs.
    const keys = [ids.api_key];
    for (let time = 0; time < 2; time++) {
      const { stdout } = await runHere(["setup", ...names, "--plan", "free", "--json"], environment);
      keys.push(JSON.parse(stdout).api_key);
    }
    for (const key of keys) {
      const { body } = await apiOf(server.url, key).validate({ license_key: "0000-0000-0000-0000" });
      expect(body.status).toBe("license_not_found");
    }
    const store = await openStore(location, { encryptionKey: null, durability: "standard" });
    const found = await storedRows(store.reads, "organizations", {});
    expect(found.map(({ slug, plan }) => [slug, plan])).toEqual([
      ["nordlicht-sohne", expect.any(String)],
      ["nordlicht-sohne-2", "free"],
      ["nordlicht-sohne-3", "free"],
    ]);
    await store.close();

    // The only platform admin has nobody to ask for a new password.
    const args = ["password-link", "--email", "ADA@example.com", "--json"];
    const wanted = await runCountersign(args, environment);
    expect(wanted).toMatchObject({ code: 0, stderr: "" });
    const { link, user_id: userId } = JSON.parse(wanted.stdout);
    expect(userId).toBe(ids.user_id);
    const token = new URL(link).searchParams.get("token");
    // The server was started with port 0, so its own URL has that port.
    const origin = { origin: "http://127.0.0.1:0" };
    const set = { token, newPassword: "another good password" };
    const browser = new Browser(server.url, "127.0.0.1");
    expect((await browser.auth("/reset-password", set, origin)).status).toBe(200);
    expect(await runHere(["password-link", "--email", "bob@example.com"], environment)).toMatchObject({
      code: 1,
      stderr: "No account has the email address bob@example.com.\n",
    });
    await server.stop();
    remove();
  });

  test("setup writes emails in the requested language or the terminal's, and only the first account is an admin", async () => {
    const { environment, location, remove } = await makeEmpty();
    const german = { LANG: "de_DE.UTF-8" };
    const rows: [
      email: string,
      options: string[],
      LANG: object,
      language: "de" | "en" | "es",
      isAdmin: 0 | 1,
    ][] = [
      ["named@example.com", ["--language", "es"], german, "es", 1],
      ["terminal@example.com", [], german, "de", 0],
      ["neither@example.com", [], { LANG: "C.UTF-8" }, "en", 0],
      // An existing user keeps their language, and their new organization gets it.
      ["named@example.com", [], german, "es", 1],
    ];
    for (const [email, options, language] of rows) {
      const args = ["setup", ...names, "--email", email, ...password, ...options];
      await runHere(args, { ...environment, ...language });
    }
    const store = await openStore(location, { encryptionKey: null, durability: "standard" });
    const found = await store.reads
      .selectFrom("organizations")
      .innerJoin("users", "users.id", "organizations.owner_id")
      .select(["users.email", "users.locale as theirs", "organizations.locale as customers"])
      .select("users.is_platform_admin as admin")
      .orderBy("organizations.id")
      .execute();
    await store.close();
    expect(found).toEqual(
      rows.map(([email, , , language, admin]) => ({ email, theirs: language, customers: language, admin })),
    );
    remove();
  });

  test("concurrent setups with the same name all succeed", async () => {
    const { environment, remove } = await makeEmpty();
    await runHere(["migrate"], environment);
    const setUp = () => runCountersign(["setup", ...names, "--json"], environment);
    const all = await Promise.all([setUp(), setUp(), setUp()]);
    for (const one of all) expect(one).toMatchObject({ code: 0, stderr: "" });
    remove();
  });
});

describe("the arguments of setup", () => {
  const environment = { COUNTERSIGN_DATA: freshFolder() };
  const organizationMissing = "Add --organization with the name of the organization that sells the software.";
  const notPlain =
    "must be a single line of text, without control characters and without characters that change the direction of text.";
  const noEmail = '--email is "ada". It must be an email address, such as ada@example.com.';
  const tooShort = "--password is too short. It must have at least 8 characters.";

  test.each([
    [["--product", "Polaris"], organizationMissing],
    [["--organization", " ", "--product", "P"], organizationMissing],
    [["--organization", "Nord\nlicht", "--product", "P"], `--organization ${notPlain}`],
    [["--organization", "Nordlicht", "--product", "P\u202eQ"], `--product ${notPlain}`],
    [["--organization", "Nordlicht"], "Add --product with the name of its first product."],
    [[...names, "--language", "fr"], '--language is "fr". It must be one of: en, de, es.'],
    [[...names, "--plan", "gold"], '--plan is "gold". It must be one of: free, pro, enterprise.'],
    [[...names, "--email", "ada", ...password], noEmail],
    [[...names, ...email, "--password", "short"], tooShort],
    [[...names, ...password], "Add --email with the owner's email address."],
    [[...names, "--wrong"], "Unknown option '--wrong'. Run countersign setup --help for the options."],
  ])("the arguments %j are refused with one sentence", async (args, sentence) => {
    const rejected = { code: 1, stdout: "", stderr: `${sentence}\n` };
    expect(await runHere(["setup", ...args], environment)).toEqual(rejected);
  });

  test("text output of setup shows the key once, with a request to try", async () => {
    const { code, stdout } = await runHere(["setup", ...names], environment);
    expect(code).toBe(0);
    const key = /^ {2}(csk_\w+)$/m.exec(stdout)?.[1];
    const request = `curl -sS 'http://127.0.0.1:3000/api/v1/validate' -H 'Authorization: Bearer ${key}'`;
    expect(stdout).toContain(request);
  });
});
