import { resolve } from "node:path";
import { restoreBackup } from "@countersign/store/backup";
import { StoreProblem } from "@countersign/store/problem";
import { type Config, readConfig } from "../config.ts";
import { type Command, onePositional, readOptions } from "./command.ts";
import { printJson, printLines } from "./print.ts";
import { withStore } from "./with-store.ts";

export const restore: Command = {
  name: "restore",
  summary: "Put a backup in the place of the database.",
  help: `countersign restore FOLDER [--force] [--json]

Puts the backup in FOLDER in the place of the database. Its manifest and checksums are looked at before anything is
touched, and either all of it is restored or nothing changes. Stop the server first.

What was there before is kept aside: files with .before-restore-<time> in their name for SQLite, a schema named
before_restore_<time> for PostgreSQL, where all tables of the user and schema in DATABASE_URL are taken to be
Countersign's. Remove it when you no longer need it. PostgreSQL needs pg_restore and psql on the PATH.

  --force   replace a database that already holds organizations
  --json    print one JSON object: database, created_at, release, rows, migrations_applied, kept_aside, problem
`,
  async run(words, environment) {
    const { values, positionals } = readOptions(
      "restore",
      words,
      { force: { type: "boolean" }, json: { type: "boolean" } },
      true,
    );
    const folder = resolve(onePositional("restore", positionals, "the folder that holds the backup"));
    const config = readConfig(environment);
    const { manifest, migrationsApplied, keptAside } = await restoreBackup(config.database, folder, {
      force: values.force === true,
      nowMs: Date.now(),
      environment,
    });
    const problem = await openingProblem(config);
    const { rows, createdAt, release } = manifest;
    if (values.json === true) {
      printJson({
        database: manifest.kind,
        created_at: createdAt,
        release,
        rows,
        migrations_applied: migrationsApplied,
        kept_aside: keptAside,
        problem,
      });
    } else {
      printLines([
        `The backup of ${createdAt} is restored: ${rows.organizations} organizations, ${rows.products} products, ${rows.licenses} licenses.`,
        ...migrationsApplied.map((name) => `Migration ${name} was applied.`),
        ...keptAside.map((where) => `What was there before is kept as ${where}.`),
      ]);
    }
    if (problem === null) return 0;
    process.stderr.write(`The backup is restored but cannot be opened yet. ${problem}\n`);
    return 1;
  },
};

/** A backup may be sealed with another encryption key than the one that is set now. */
async function openingProblem(config: Config): Promise<string | null> {
  try {
    await withStore(config, async () => undefined);
    return null;
  } catch (error) {
    if (error instanceof StoreProblem) return error.message;
    throw error;
  }
}
