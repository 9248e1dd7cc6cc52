import { migrate as migrateDatabase } from "@countersign/store/databases/open";
import { readConfig } from "../base/config.ts";
import { type Command, readOptions } from "./command.ts";
import { printJson, printLines, printMigrationWait } from "./print.ts";

export const migrate: Command = {
  name: "migrate",
  summary: "Bring the database up to date without starting the server.",
  help: `countersign migrate [--json]

Applies pending migrations, each completely or not at all, and lists them. The server does the same when it starts; use
this to do it beforehand.

  --json   print one JSON object: database, applied
`,
  async run(words, environment) {
    const { values } = readOptions("migrate", words, { json: { type: "boolean" } });
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
