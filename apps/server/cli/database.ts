import { type MigrationPlan, planMigrations } from "@countersign/store/databases/inspect";
import { type DatabaseLocation, migrate as migrateDatabase } from "@countersign/store/databases/open";
import type { PostponedMigration } from "@countersign/store/migrations/migration";
import { recountLicenses } from "@countersign/store/queries/licenses/stored-counts";
import { readConfig } from "../base/config.ts";
import { release } from "../base/release.ts";
import { type Command, migrationMessages, printJson, printLines, readOptions } from "./command.ts";
import { withStore } from "./with-store.ts";

/** Exit codes of `migrate --check`, which scripts rely on. 1 is an error, as everywhere. */
const checkExitCodes = { up_to_date: 0, new: 2, pending: 2, newer: 3 } as const;

export const migrate: Command = {
  name: "migrate",
  help: `countersign migrate [--check] [--without-backup] [--contract] [--json]

Applies pending migrations, each completely or not at all, and lists them. The server does the same when it starts; use
this to do it beforehand. On SQLite, existing data is backed up first, to the folder backups in the data folder.

A migration has a phase. One that expands the schema only adds, and servers of the release before keep running. One that
contracts it removes what they used, and is left for later while such servers are connected.

  --check            change nothing, and say what would be done. The exit code is 0 if the database is up to date, 2 if
                     migrations are pending or there is no database yet, 3 if a newer release has migrated it and this
                     one does not run on it, and 1 for errors
  --without-backup   make no backup first (SQLite)
  --contract         also apply contracting migrations while servers are connected, or may be
  --json             print one JSON object: database, applied, postponed, backup; with --check: database, release, state
                     (up_to_date, pending, new, newer), pending with name, phase and postponed, unknown, oldest_release,
                     backup
`,
  async run(args, environment) {
    const { values } = readOptions("migrate", args, {
      check: { type: "boolean" },
      "without-backup": { type: "boolean" },
      contract: { type: "boolean" },
      json: { type: "boolean" },
    });
    const { database } = readConfig(environment);
    const isJson = values.json === true;
    if (values.check === true) return check(database, isJson);
    let backup: string | null = null;
    const postponed: PostponedMigration[] = [];
    const applied = await migrateDatabase(database, {
      ...migrationMessages,
      backedUp: (folder) => {
        backup = folder;
        if (!isJson) migrationMessages.backedUp(folder);
      },
      migrationPostponed: (one) => {
        postponed.push(one);
        if (!isJson) migrationMessages.migrationPostponed(one);
      },
      withoutBackup: values["without-backup"] === true,
      contractAnyway: values.contract === true,
    });
    if (isJson) printJson({ database: database.kind, applied, postponed, backup });
    else if (applied.length > 0)
      printLines([
        "The database is up to date. These migrations were applied:",
        ...applied.map((name) => `  ${name}`),
      ]);
    else if (postponed.length === 0) printLines(["The database is already up to date."]);
    return 0;
  },
};

async function check(database: DatabaseLocation, isJson: boolean): Promise<number> {
  const plan = await planMigrations(database);
  if (isJson)
    printJson({
      database: database.kind,
      release,
      state: plan.state,
      pending: plan.pending,
      unknown: plan.unknown,
      oldest_release: plan.oldestRelease,
      backup: plan.backup,
    });
  else printLines([...stateLines(plan), ...(plan.pending.length === 0 ? [] : pendingLines(database, plan))]);
  return checkExitCodes[plan.state];
}

function stateLines({ state, unknown, oldestRelease }: MigrationPlan): string[] {
  const newer = `A newer release has migrated the database (${unknown.join(", ")}).`;
  switch (state) {
    case "new":
      return ["There is no database yet. The first start creates it."];
    case "newer":
      return [
        `${newer} This release, ${release}, does not run on it. Start release ${oldestRelease} or a newer one.`,
      ];
    case "up_to_date":
      return [
        "The database is up to date.",
        ...(unknown.length === 0 ? [] : [`${newer} This release runs on it.`]),
      ];
    case "pending":
      return ["The database has to be migrated."];
  }
}

function pendingLines(database: DatabaseLocation, { state, pending, backup, oldestRelease }: MigrationPlan) {
  const backups = {
    sqlite:
      backup === null ? [] : [`Before that, ${megabytes(backup.bytes)} are backed up to ${backup.folder}.`],
    postgres: ["No backup is made first: run countersign backup yourself."],
  };
  return [
    ...pending.map(({ name, phase, postponed }) => {
      const when = postponed === null ? "" : `, not now: ${postponed}`;
      return `  ${name} (${phase})${when}`;
    }),
    ...(state === "new"
      ? []
      : [...backups[database.kind], `Afterwards, release ${oldestRelease} and newer ones run on it.`]),
  ];
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString("en")} MB`;
}

export const recount: Command = {
  name: "recount",
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
