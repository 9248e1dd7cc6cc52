import { migrate as migrateDatabase } from "@countersign/store/databases/open";
import { recountLicenses } from "@countersign/store/queries/licenses/stored-counts";
import { readConfig } from "../base/config.ts";
import { type Command, printJson, printLines, printMigrationWait, readOptions } from "./command.ts";
import { withStore } from "./with-store.ts";

export const migrate: Command = {
  name: "migrate",
  summary: "Bring the database up to date without starting the server.",
  help: `countersign migrate [--json]

Applies pending migrations, each completely or not at all, and lists them. The server does the same when it starts; use
this to do it beforehand.

  --json   print one JSON object: database, applied
`,
  async run(args, environment) {
    const { values } = readOptions("migrate", args, { json: { type: "boolean" } });
    const { database } = readConfig(environment);
    const applied = await migrateDatabase(database, { migrationWaits: printMigrationWait });
    if (values.json === true) printJson({ database: database.kind, applied });
    else if (applied.length === 0) printLines(["The database is already up to date."]);
    else
      printLines([
        "The database is up to date. These migrations were applied:",
        ...applied.map((name) => `  ${name}`),
      ]);
    return 0;
  },
};

export const recount: Command = {
  name: "recount",
  summary: "Recount all licenses and correct the stored counts.",
  help: `countersign recount [--json]

The database maintains the license counts that the dashboard shows. If countersign doctor reports that some are wrong,
because someone changed tables without their triggers, this counts every license and corrects them. It can run while
servers run.

  --json   print one JSON object: corrected
`,
  async run(args, environment) {
    const { values } = readOptions("recount", args, { json: { type: "boolean" } });
    const corrected = await withStore(readConfig(environment), recountLicenses);
    if (values.json === true) printJson({ corrected });
    else if (corrected === 0) printLines(["All counts are correct."]);
    else printLines([`Corrected ${corrected} ${corrected === 1 ? "count" : "counts"}.`]);
    return 0;
  },
};
