import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { databases } from "../../../tests/support/databases.ts";
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

test("an unknown command is named", async () => {
  expect(await runCountersign(["sevre"])).toMatchObject({
    code: 1,
    stderr: 'There is no command "sevre". Run countersign --help for a list.\n',
  });
});

test.each(databases)(
  "migrate on $kind lists what it applied, and then reports that the database is up to date",
  async ({ kind, makeEmpty }) => {
    const { environment, remove } = await makeEmpty();
    const first = await runCountersign(["migrate", "--json"], environment);
    const { database, applied } = JSON.parse(first.stdout);
    expect(database).toBe(kind);
    expect(applied).toEqual(["0001-core", "0001-journal"]);
    const second = await runHere(["migrate", "--json"], environment);
    expect(JSON.parse(second.stdout)).toEqual({ database: kind, applied: [] });
    const stdout = "The database is already up to date.\n";
    expect(await runHere(["migrate"], environment)).toEqual({ code: 0, stdout, stderr: "" });
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
