import { auditLog } from "./0001-audit-log.ts";
import { billing } from "./0001-billing.ts";
import { events } from "./0001-events.ts";
import { journal } from "./0001-journal.ts";
import { licenseFiles } from "./0001-license-files.ts";
import { licenses } from "./0001-licenses.ts";
import { organizations } from "./0001-organizations.ts";
import { platform } from "./0001-platform.ts";
import { portal } from "./0001-portal.ts";
import { products } from "./0001-products.ts";
import { signIn } from "./0001-sign-in.ts";
import type { Migration } from "./migration.ts";

/** What verdicts depend on. A table comes after those that it references. */
export const mainMigrations: readonly Migration[] = [
  {
    name: "0001-core",
    phase: "expand",
    oldestRelease: "0.1.0",
    statements: [
      ...[...signIn, ...organizations, ...products, ...licenses, ...licenseFiles, ...auditLog],
      ...[...events, ...portal, ...billing, ...platform],
    ],
  },
];

/**
 * Observations: the request log, the sightings, the counts of refusals and the roll-ups. SQLite stores these in a
 * separate file, so that writing them never delays a verdict; PostgreSQL stores them with the rest.
 */
export const journalMigrations: readonly Migration[] = [
  { name: "0001-journal", phase: "expand", oldestRelease: "0.1.0", statements: journal },
];

export const allMigrations: readonly Migration[] = [...mainMigrations, ...journalMigrations];
