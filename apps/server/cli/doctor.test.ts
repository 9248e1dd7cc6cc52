import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@countersign/store/databases/open";
import { setState } from "@countersign/store/queries/admin/platform-state";
import { updatePlan } from "@countersign/store/queries/plans/plans";
import { databases, freshFolder, postgres, sqlite } from "../../../tests/support/databases.ts";
import { withClient } from "../../../tests/support/postgres.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";

setDefaultTimeout(60_000);

type Check = Readonly<Record<"name" | "state" | "message" | "action", string>>;

/** What doctor found in these settings. */
async function examine(environment: Readonly<Record<string, string>>, run = runHere) {
  const { code, stdout } = await run(["doctor", "--json"], environment);
  const report = JSON.parse(stdout);
  const checks: readonly Check[] = report.checks;
  const problems = checks.filter(({ state }) => state === "problem").map(({ name }) => name);
  const warnings = checks.filter(({ state, name }) => state === "warning" && name === "database");
  return { code, healthy: report.healthy, checks, problems, warnings };
}

describe.each(databases)("doctor on $kind", ({ kind, makeEmpty }) => {
  test("the doctor finds no problems with a running server, and reports that it is running", async () => {
    const { environment, remove } = await makeEmpty();
    const server = await startServerProcess(environment);
    const found = await examine(environment, runCountersign);
    await server.stop();
    expect(found).toMatchObject({ code: 0, healthy: true, problems: [] });
    const sentence = kind === "sqlite" ? "A server is using it." : "Servers hold";
    const check = { name: "database", message: expect.stringContaining(sentence) };
    expect(found.checks).toContainEqual(expect.objectContaining(check));
    remove();
  });

  test("an encryption key that cannot decrypt the secrets is a problem", async () => {
    const { environment, remove } = await makeEmpty();
    const sealedBy = (key: string) => ({ ...environment, COUNTERSIGN_ENCRYPTION_KEY: key });
    const right = sealedBy("the right passphrase");
    await runHere(["setup", "--organization", "A", "--product", "B"], right);
    expect((await examine(right)).problems).toEqual([]);
    for (const wrong of [sealedBy("the wrong passphrase"), environment])
      expect(await examine(wrong)).toMatchObject({ code: 1, problems: ["encryption"] });
    remove();
  });

  test("wrong license counts are a warning that names the command to correct them", async () => {
    const { environment, location, remove } = await makeEmpty();
    const { store, license } = await openTestOrganization(location);
    await license();
    expect((await examine(environment)).warnings).toEqual([]);
    await store.transaction(async (db) => {
      await db.deleteFrom("license_counts").execute();
      await db.deleteFrom("license_count_changes").execute();
    });
    const [warning] = (await examine(environment)).warnings;
    expect(warning?.action).toContain("countersign recount");
    const recounted = await runCountersign(["recount", "--json"], environment);
    expect(JSON.parse(recounted.stdout)).toEqual({ corrected: 2 });
    expect((await examine(environment)).warnings).toEqual([]);
    expect((await runHere(["recount"], environment)).stdout).toContain("All counts are correct");
    await store.close();
    remove();
  });
});

describe.each(databases)("open sign-up on $kind", ({ makeEmpty }) => {
  test("open sign-up to a plan without limits is a warning that names the setting", async () => {
    const { environment, location, remove } = await makeEmpty();
    const found = async (settings: Readonly<Record<string, string>> = {}) => {
      const { checks } = await examine({ ...environment, ...settings });
      return checks
        .filter(({ name }) => name === "sign-up")
        .map(({ message, action }) => `${message} ${action}`);
    };
    const open = { COUNTERSIGN_SIGN_UP: "open" };
    // Before the first start.
    expect(await found(open)).toEqual([]);
    await runHere(["migrate"], environment);
    expect(await found()).toEqual([]);
    const [perProduct = ""] = await found(open);
    expect(perProduct).toContain("Free, has no limit of products");
    expect(perProduct).toContain("/admin/plans?edit=free");
    const [unlimited = ""] = await found({ ...open, COUNTERSIGN_DEFAULT_PLAN: "enterprise" });
    expect(unlimited).toContain("Enterprise, has no daily limit");
    const store = await openStore(location, { encryptionKey: null, durability: "standard" });
    await store.transaction((db) => setState(db, "sign_up", "open"));
    expect(await found()).toEqual([perProduct]);
    expect(await found({ COUNTERSIGN_SIGN_UP: "closed" })).toEqual([]);
    await store.transaction((db) => updatePlan(db, "free", { max_products: 3 }));
    await store.close();
    expect(await found()).toEqual([]);
    remove();
  });
});

describe.each(databases)("the retention of the audit log on $kind", ({ makeEmpty }) => {
  test("a limit without an archive is a warning that names the setting, and a folder is tried", async () => {
    const { environment, location, remove } = await makeEmpty();
    const found = async (archive?: string) => {
      const settings = archive === undefined ? {} : { COUNTERSIGN_AUDIT_LOG_ARCHIVE: archive };
      const { checks } = await examine({ ...environment, ...settings });
      return checks
        .filter(({ name }) => name === "audit-log")
        .map(({ state, message, action }) => `${state}: ${message} ${action}`);
    };
    const folder = mkdtempSync(join(tmpdir(), "audit-log-archive-"));
    expect(await found()).toEqual([]);
    await runHere(["migrate"], environment);
    expect(await found()).toEqual([]);
    const store = await openStore(location, { encryptionKey: null, durability: "standard" });
    await store.transaction((db) => updatePlan(db, "free", { audit_log_days: 30 }));
    await store.close();
    const warning = expect.stringMatching(/^warning: .*COUNTERSIGN_AUDIT_LOG_ARCHIVE is not set/);
    expect(await found()).toEqual([warning]);
    expect(await found("none")).toEqual([]);
    expect(await found(folder)).toEqual([expect.stringContaining(`ok: `)]);
    expect(await found(join(folder, "missing"))).toEqual([
      expect.stringMatching(/^problem: .*missing, which does not exist\./),
    ]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    remove();
  });
});

test("PostgreSQL without the search index is a warning with statements that fix it", async () => {
  const { environment, remove } = await postgres.makeEmpty();
  await runHere(["migrate"], environment);
  expect((await examine(environment)).warnings).toEqual([]);
  await withClient(environment.DATABASE_URL ?? "", async (client) => {
    await client.query("drop index licenses_by_text");
    const { warnings, ...found } = await examine(environment);
    expect(found).toMatchObject({ code: 0, healthy: true });
    expect(warnings[0]?.message).toContain("without an index");
    const statements = warnings[0]?.action.split(": ").at(-1)?.split(";") ?? [];
    for (const statement of statements) if (statement.trim() !== "") await client.query(statement);
  });
  expect((await examine(environment)).warnings).toEqual([]);
  remove();
});

test.each([
  ["an invalid setting", "settings", 'PORT is "eighty"', { PORT: "eighty" }],
  ["no answer", "database", "cannot be reached", { DATABASE_URL: "postgres://a:secret@127.0.0.1:1/b" }],
  ["a damaged file", "database", "", { COUNTERSIGN_DATA: folderWith("no database, whatever its name") }],
] as const)(
  "%s is a problem of the %s, no stack trace, and tells no secret",
  async (_, name, text, given) => {
    const { code, problems, checks } = await examine(given);
    expect({ code, problems }).toEqual({ code: 1, problems: [name] });
    expect(checks.find(({ state }) => state === "problem")?.message).toContain(text);
    // The other checks still run, unless the settings cannot be read.
    expect(checks.some((check) => check.name === "proxy")).toBe(name !== "settings");
    expect(JSON.stringify(checks)).not.toContain("secret");
  },
);

test("the doctor creates nothing in an empty folder", async () => {
  const folder = join(freshFolder(), "data");
  const { code } = await examine({ COUNTERSIGN_DATA: folder });
  expect({ code, exists: existsSync(folder) }).toEqual({ code: 0, exists: false });
});

test.each<[string, (file: string) => void]>([
  ["missing next to the other files", (file) => rmSync(file)],
  ["cut short", (file) => truncateSync(file, 40_960)],
])("a database file that is %s is a problem", async (_, harm) => {
  const { environment, location, remove } = await sqlite.make();
  const org = await openTestOrganization(location);
  await org.store.close();
  harm(join(environment.COUNTERSIGN_DATA ?? "", "countersign.db"));
  const { code, problems } = await examine(environment);
  expect(code).toBe(1);
  expect(problems).toContain("database");
  remove();
});

test("a folder that other users can access is a warning, and text output says what to run", async () => {
  const folder = freshFolder();
  chmodSync(folder, 0o755);
  const { code, stdout } = await runHere(["doctor"], { COUNTERSIGN_DATA: folder });
  expect(code).toBe(0);
  expect(stdout).toContain(`Run: chmod 700 ${folder}`);
  expect(stdout).toEndWith("No problems, 1 warning to consider.\n");
});

function folderWith(database: string): string {
  const folder = freshFolder();
  writeFileSync(join(folder, "countersign.db"), database);
  return folder;
}
