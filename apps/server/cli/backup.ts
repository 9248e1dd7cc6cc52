import { resolve } from "node:path";
import { manifestOnTheWire } from "@countersign/store/backup-format";
import { backUp, restoreBackup } from "@countersign/store/databases/backup";
import { StoreProblem } from "@countersign/store/errors/problem";
import { type Config, readConfig } from "../base/config.ts";
import { release } from "../base/release.ts";
import { shellWord } from "../base/shell-word.ts";
import { type Command, onePositional, printJson, printLines, readOptions } from "./command.ts";
import { withStore } from "./with-store.ts";

export const backup: Command = {
  name: "backup",
  help: `countersign backup FOLDER [--json]

Copies the database to FOLDER, which is created and must be empty, and reads the copy back to verify it. The server
keeps running. A backup is complete once it has a manifest.json, which is written last.

SQLite is copied to countersign.db and journal.db. PostgreSQL is copied to countersign.dump by pg_dump, which must be on
the PATH and at least as new as the database.

The copy contains every secret in the database. If you use COUNTERSIGN_ENCRYPTION_KEY, store it somewhere else.

  --json   print one JSON object: folder, and the contents of manifest.json
`,
  async run(args, environment) {
    const { values, positionals } = readOptions("backup", args, { json: { type: "boolean" } }, true);
    const folder = resolve(onePositional("backup", positionals, "the folder to write the backup to"));
    const { database } = readConfig(environment);
    const manifest = await backUp(database, folder, { release, nowMs: Date.now(), environment });
    if (values.json === true) {
      printJson({ folder, ...manifestOnTheWire(manifest) });
    } else {
      const { organizations, products, licenses } = manifest.rows;
      printLines([
        `The backup is complete and verified: ${organizations} organizations, ${products} products, ${licenses} licenses.`,
        ...manifest.files.map(
          (file) => `  ${resolve(folder, file.name)}  ${file.bytes.toLocaleString("en")} bytes`,
        ),
        `To restore it, stop the server and run: countersign restore ${shellWord(folder)} --force`,
      ]);
    }
    return 0;
  },
};

export const restore: Command = {
  name: "restore",
  help: `countersign restore FOLDER [--force] [--json]

Replaces the database with the backup in FOLDER. The manifest and checksums are verified before anything is changed, and
either everything is restored or nothing changes. Stop the server first.

The previous data is set aside: in files named *.before-restore-<time> for SQLite, in a schema named
before_restore_<time> for PostgreSQL, where all tables of the user and schema in DATABASE_URL are assumed to be
Countersign's. Remove it when you no longer need it. PostgreSQL requires pg_restore and psql on the PATH.

  --force   replace a database that already contains organizations
  --json    print one JSON object: database, created_at, release, rows, migrations_applied, kept_aside, problem
`,
  async run(args, environment) {
    const { values, positionals } = readOptions(
      "restore",
      args,
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
