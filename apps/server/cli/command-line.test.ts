import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { databases } from "../../../tests/support/databases.ts";
import { withClient } from "../../../tests/support/postgres.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign } from "../../../tests/support/server-process.ts";
import { release } from "../base/release.ts";
import { allCommands } from "./command-line.ts";

test("every command prints its help without a database, and offers --json if it prints data", async () => {
  for (const { name } of await allCommands()) {
    const environment = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
    const { code, stdout } = await runHere([name, "--help"], environment);
    expect(code).toBe(0);
    expect(stdout).toStartWith(`countersign ${name}`);
    if (name !== "serve") expect(stdout).toContain("--json");
  }
});

test.each(["--version", "-v", "version"])("%s prints the release", async (word) =>
  expect(await runCountersign([word])).toEqual({ code: 0, stdout: `countersign ${release}\n`, stderr: "" }),
);

test("an older Node.js is refused by name, before anything is installed", () => {
  const older =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })";
  for (const script of ["start", "countersign", "test", "run", "build"]) {
    const { status, stdout, stderr } = spawnSync(
      "node",
      ["--import", `data:text/javascript,${encodeURIComponent(older)}`, `scripts/${script}.mjs`],
      { cwd: join(import.meta.dir, "../../.."), encoding: "utf8", timeout: 10_000 },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "Countersign needs Node.js 20 or later, and this is 18.20.4. Install a newer one: https://nodejs.org\n",
    });
  }
});

test.each([
  [
    "sevre",
    'There is no command "sevre". Did you mean countersign serve? Run countersign --help for a list.\n',
  ],
  ["server", expect.stringContaining("Did you mean countersign serve?")],
  ["frobnicate", 'There is no command "frobnicate". Run countersign --help for a list.\n'],
  ["", 'There is no command "". Run countersign --help for a list.\n'],
  ["constructor", expect.stringContaining("Run countersign --help")],
  ["--port", expect.stringContaining("Settings are environment variables, such as PORT")],
])("the unknown command %p is refused with the way to the right one", async (word, stderr) => {
  for (const words of [[word], [word, "--help"], ["help", word]])
    expect(await runHere(words)).toEqual({ code: 1, stdout: "", stderr });
});

test("help names every command, and prints what one of them does as its --help", async () => {
  const { stdout: overview } = await runHere(["help"]);
  expect(overview).toContain("Without a command, it serves.");
  for (const { name, help } of await allCommands()) {
    expect(overview).toContain(`\n  ${name} `);
    expect(await runHere(["help", name])).toEqual({ code: 0, stdout: help, stderr: "" });
  }
});

test.each(databases)(
  "migrate on $kind lists what it applied, and then reports that the database is up to date",
  async ({ kind, makeEmpty }) => {
    const { environment, remove } = await makeEmpty();
    const before = await runHere(["migrate", "--check"], environment);
    const created = "There is no database yet. The first start creates it.\n";
    expect(before).toMatchObject({ code: 2, stdout: expect.stringContaining(created) });
    const first = await runCountersign(["migrate", "--json"], environment);
    const { database, applied } = JSON.parse(first.stdout);
    expect(database).toBe(kind);
    expect(applied).toEqual(["0001-core", "0001-journal"]);
    const second = await runHere(["migrate", "--json"], environment);
    const nothing = { applied: [], postponed: [], backup: null };
    expect(JSON.parse(second.stdout)).toEqual({ database: kind, ...nothing });
    const stdout = "The database is already up to date.\n";
    expect(await runHere(["migrate"], environment)).toEqual({ code: 0, stdout, stderr: "" });
    await expectChecks(kind, environment);
    remove();
  },
  60_000,
);

test("an unreachable database results in one sentence and exit code 1", async () => {
  expect(await runHere(["migrate"], { DATABASE_URL: "postgres://a:b@127.0.0.1:1/c" })).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^The PostgreSQL database cannot be reached: .* Check DATABASE_URL, and that PostgreSQL is running\.\n$/,
    ),
  });
});

/** Each state in which `migrate --check` can find a database that exists, with its exit code. */
async function expectChecks(kind: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const check = (...words: string[]) => runHere(["migrate", "--check", ...words], environment);
  const change = async (sql: string) => {
    if (kind === "postgres")
      return void (await withClient(environment.DATABASE_URL ?? "", (client) => client.query(sql)));
    const database = new DatabaseSync(join(environment.COUNTERSIGN_DATA ?? "", "countersign.db"));
    database.exec(sql);
    database.close();
  };
  expect(await check()).toEqual({ code: 0, stdout: "The database is up to date.\n", stderr: "" });
  await change("update schema_migrations set name = '0000-before' where name = '0001-core'");
  const pending = await check();
  expect(pending.code).toBe(2);
  const backup = kind === "postgres" ? "No backup is made first" : "MB are backed up to";
  for (const text of ["has to be migrated", "0001-core (expand)", backup, "release 0.1.0 and newer ones run"])
    expect(pending.stdout).toContain(text);
  await change("update schema_migrations set name = '0001-core' where name = '0000-before'");
  const add = (name: string, oldest: string) =>
    change(
      `insert into schema_migrations (name, applied_at, oldest_release) values ('${name}', 1, '${oldest}')`,
    );
  await add("0002-added", "0.1.0");
  expect((await check()).stdout).toContain("(0002-added). This release runs on it.");
  await add("0003-removed", "99.0.0");
  const newer = await check("--json");
  expect([newer.code, JSON.parse(newer.stdout)]).toEqual([
    3,
    {
      database: kind,
      release,
      state: "newer",
      pending: [],
      unknown: ["0002-added", "0003-removed"],
      oldest_release: "99.0.0",
      backup: null,
    },
  ]);
}
