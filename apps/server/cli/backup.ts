import { resolve } from "node:path";
import { backUp } from "@countersign/store/backup";
import { manifestOnTheWire } from "@countersign/store/backup-manifest";
import { readConfig } from "../config.ts";
import { release } from "../release.ts";
import { type Command, onePositional, readOptions } from "./command.ts";
import { printJson, printLines } from "./print.ts";

export const backup: Command = {
  name: "backup",
  summary: "Copy everything into a new folder, while the server runs.",
  help: `countersign backup FOLDER [--json]

Copies the database into FOLDER, which is made and must not hold anything yet, and reads the copy back to see that it
is whole. The server goes on meanwhile. A backup is complete when it has its manifest.json, which is written last.

SQLite is copied as countersign.db and journal.db. PostgreSQL is copied as countersign.dump by pg_dump, which has to be
on the PATH and at least as new as the database.

The copy holds every secret that the database holds. Keep COUNTERSIGN_ENCRYPTION_KEY, if you use it, somewhere else.

  --json   print one JSON object: folder, and what manifest.json holds
`,
  async run(words, environment) {
    const { values, positionals } = readOptions("backup", words, { json: { type: "boolean" } }, true);
    const folder = resolve(
      onePositional("backup", positionals, "the folder that the backup should be written to"),
    );
    const { database } = readConfig(environment);
    const manifest = await backUp(database, folder, { release, nowMs: Date.now(), environment });
    if (values.json === true) {
      printJson({ folder, ...manifestOnTheWire(manifest) });
    } else {
      const { organizations, products, licenses } = manifest.rows;
      printLines([
        `The backup is complete and was read back: ${organizations} organizations, ${products} products, ${licenses} licenses.`,
        ...manifest.files.map(
          (file) => `  ${resolve(folder, file.name)}  ${file.bytes.toLocaleString("en")} bytes`,
        ),
        `To restore it: countersign restore ${folder}`,
      ]);
    }
    return 0;
  },
};
