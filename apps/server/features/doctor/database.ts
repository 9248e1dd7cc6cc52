import { compareMigrations, inspectDatabase, sealingOf } from "@countersign/store/databases/inspect";
import { StoreProblem } from "@countersign/store/errors/problem";
import type { FileFindings, Inspection, MissingTextIndex } from "@countersign/store/inspection";
import type { Config } from "../../base/config.ts";
import { type Check, ok, problem, warning } from "./check.ts";
import { checkClockDifference } from "./machine.ts";
import { checkAuditLogLimits, checkSignUp } from "./settings.ts";

export async function checkDatabase(config: Config): Promise<Check[]> {
  const { database, encryptionKey } = config;
  let inspection: Inspection | null;
  try {
    inspection = await inspectDatabase(database);
  } catch (error) {
    if (!(error instanceof StoreProblem)) throw error;
    return [problem("database", error.message, "Nothing else about the database could be checked.")];
  }
  if (inspection === null) return [ok("database", "There is no database yet. The first start creates it.")];
  const where = database.kind === "sqlite" ? ` in ${database.folder}` : "";
  return [
    ok("database", `${inspection.version}${where} answers${atWork(database.kind, inspection.serversAtWork)}`),
    ...inspection.connection.map((note) => ok("database", note)),
    ...checkSchema(inspection.appliedMigrations),
    ...checkFiles(inspection),
    ...(inspection.files === null ? [] : checkSideFiles(inspection.files)),
    ...checkTextIndex(inspection.textIndex),
    ...checkCounts(inspection.wrongCounts),
    ...(database.kind === "postgres" ? [checkClockDifference(inspection.clockAheadMs)] : []),
    checkSealing(inspection.storedDataKey, encryptionKey),
    ...(inspection.platform === null ? [] : checkSignUp(inspection.platform, config)),
    ...(inspection.platform === null ? [] : checkAuditLogLimits(inspection.platform, config)),
  ];
}

function atWork(kind: "sqlite" | "postgres", servers: number): string {
  if (servers === 0) return ". No server is using it.";
  return kind === "sqlite" ? ". A server is using it." : `. Servers hold ${servers} connections to it.`;
}

function checkSchema(applied: Inspection["appliedMigrations"]): Check[] {
  const { missing, unknown, refusing } = compareMigrations(applied);
  if (refusing.length > 0) {
    const message = `The database was migrated by a newer release (${refusing.join(", ")}), and this release does not run on it.`;
    return [problem("database", message, "Start that release, or restore a backup from before it.")];
  }
  const newer =
    unknown.length === 0
      ? []
      : [
          ok(
            "database",
            `A newer release has migrated the database (${unknown.join(", ")}). This release runs on it.`,
          ),
        ];
  if (missing.length > 0) {
    const message = `The database lacks ${missing.length === 1 ? "a migration" : "migrations"}: ${missing.join(", ")}.`;
    const action = "Start the server or run countersign migrate to apply what is missing.";
    return [...newer, warning("database", message, action)];
  }
  return [...newer, ok("database", "All migrations are applied.")];
}

function checkFiles({ damage, writeProblem }: Inspection): Check[] {
  const checks: Check[] = [];
  if (damage.length > 0) {
    const action = "Stop the server, check the disk, and restore the last backup.";
    checks.push(problem("database", `The database is damaged: ${damage.join("; ")}.`, action));
  }
  if (writeProblem !== null) {
    const action = "Check the user's permissions, the free disk space, and that it is not a read-only copy.";
    checks.push(problem("database", `The database cannot be written: ${writeProblem}`, action));
  }
  return checks.length > 0 ? checks : [ok("database", "The database is intact and writable.")];
}

function checkSideFiles({ journalDamage, searchDamage, readableByOthers }: FileFindings): Check[] {
  const checks: Check[] = [];
  if (journalDamage !== null) {
    const message = `The request log, journal.db, is damaged: ${asSentence(journalDamage)}`;
    const action = "Restart the server: it sets the file aside and starts a new log. Check the disk.";
    checks.push(problem("database", message, action));
  }
  if (searchDamage !== null) {
    const message = `The text index, search.db, is damaged: ${asSentence(searchDamage)}`;
    const action = "Start the server, which rebuilds it, and check the disk. Searches are slower until then.";
    checks.push(warning("database", message, action));
  }
  if (readableByOthers.length > 0) {
    const message = `Other users of this machine can read files that contain secrets: ${readableByOthers.join(", ")}.`;
    const action = "Restart the server as the user who owns them: it makes them private.";
    checks.push(warning("folder", message, action));
  }
  return checks;
}

function asSentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

function checkTextIndex(missing: MissingTextIndex | null): Check[] {
  if (missing === null) return [];
  const { unavailableExtensions: missingPermission, statements } = missing;
  const install =
    missingPermission.length === 0
      ? ""
      : `The server does not offer ${missingPermission.join(" and ")}: install PostgreSQL's contrib package first. `;
  return [
    warning(
      "database",
      "Licenses are searched without an index, which is slow if there are many.",
      `${install}Run in the database, as a user who can create extensions: ${statements.join("; ")};`,
    ),
  ];
}

/** Maintained by triggers, so they can be wrong only if someone bypassed them. */
function checkCounts(wrong: number | null): Check[] {
  if (wrong === null) return [];
  if (wrong === 0) return [ok("database", "The stored license counts are correct.")];
  return [
    warning(
      "database",
      `${wrong} stored license counts are wrong, so the dashboard shows wrong numbers. Validation does not use them.`,
      "Run countersign recount. The server can keep running.",
    ),
  ];
}

function checkSealing(storedDataKey: string | null, encryptionKey: string | null): Check {
  const sealing = sealingOf(storedDataKey, encryptionKey);
  switch (sealing.state) {
    case "none":
      return ok("encryption", "The encryption key for secrets is created at the first start.");
    case "sealed":
      return ok("encryption", "The encryption key for secrets is protected by COUNTERSIGN_ENCRYPTION_KEY.");
    case "locked":
      return problem("encryption", sealing.problem, "The server cannot start until this is fixed.");
    case "plain":
      return ok(
        "encryption",
        encryptionKey === null
          ? "The encryption key for secrets is in the database, so anyone who has a backup can read them. Set COUNTERSIGN_ENCRYPTION_KEY to protect it, and store that key somewhere else."
          : "At the next start, COUNTERSIGN_ENCRYPTION_KEY will protect the encryption key for secrets.",
      );
  }
}
