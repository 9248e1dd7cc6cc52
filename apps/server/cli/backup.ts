import { resolve } from "node:path";
import { manifestOnTheWire } from "@countersign/store/backup-manifest";
import { backUp } from "@countersign/store/databases/backup";
import { readConfig } from "../base/config.ts";
import { release } from "../base/release.ts";
import { type Command, onePositional, readOptions } from "./command.ts";
import { printJson, printLines } from "./print.ts";

export const backup: Command = {
  name: "backup",
  summary: "Back up everything to a new folder while the server runs.",
  help: `countersign backup FOLDER [--json]

Copies the database to FOLDER, which is created and must be empty, and reads the copy back to verify it. The server
keeps running. A backup is complete once it has a manifest.json, which is written last.

SQLite is copied to countersign.db and journal.db. PostgreSQL is copied to countersign.dump by pg_dump, which must be on
the PATH and at least as new as the database.

The copy contains every secret in the database. If you use COUNTERSIGN_ENCRYPTION_KEY, store it somewhere else.

  --json   print one JSON object: folder, and the contents of manifest.json
`,
  async run(words, environment) {
    const { values, positionals } = readOptions("backup", words, { json: { type: "boolean" } }, true);
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
        `To restore it: countersign restore ${folder}`,
      ]);
    }
    return 0;
  },
};
