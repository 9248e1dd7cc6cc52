import { resolve } from "node:path";
import { restoreBackup } from "@countersign/store/databases/backup";
import { StoreProblem } from "@countersign/store/errors/problem";
import { type Config, readConfig } from "../base/config.ts";
import { type Command, onePositional, readOptions } from "./command.ts";
import { printJson, printLines } from "./print.ts";
import { withStore } from "./with-store.ts";

export const restore: Command = {
  name: "restore",
  summary: "Replace the database with a backup.",
  help: `countersign restore FOLDER [--force] [--json]

Replaces the database with the backup in FOLDER. The manifest and checksums are verified before anything is changed, and
either everything is restored or nothing changes. Stop the server first.

The previous data is set aside: in files named *.before-restore-<time> for SQLite, in a schema named
before_restore_<time> for PostgreSQL, where all tables of the user and schema in DATABASE_URL are assumed to be
Countersign's. Remove it when you no longer need it. PostgreSQL requires pg_restore and psql on the PATH.

  --force   replace a database that already contains organizations
  --json    print one JSON object: database, created_at, release, rows, migrations_applied, kept_aside, problem
`,
  async run(words, environment) {
    const { values, positionals } = readOptions(
      "restore",
      words,
      { force: { type: "boolean" }, json: { type: "boolean" } },
      true,
    );
    const folder = resolve(onePositional("restore", positionals, "the folder with the backup"));
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
        `Restored the backup of ${createdAt}: ${rows.organizations} organizations, ${rows.products} products, ${rows.licenses} licenses.`,
        ...migrationsApplied.map((name) => `Applied migration ${name}.`),
        ...keptAside.map((where) => `The previous data was set aside as ${where}.`),
      ]);
    }
    if (problem === null) return 0;
    process.stderr.write(`The backup was restored but cannot be opened yet. ${problem}\n`);
    return 1;
  },
};

/** A backup can be encrypted with a different key than the one that is set now. */
async function openingProblem(config: Config): Promise<string | null> {
  try {
    await withStore(config, async () => undefined);
    return null;
  } catch (error) {
    if (error instanceof StoreProblem) return error.message;
    throw error;
  }
}
