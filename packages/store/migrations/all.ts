import { core } from "./0001-core.ts";
import { journal } from "./0001-journal.ts";
import { people } from "./0002-people.ts";
import { refusals } from "./0002-refusals.ts";
import { platformIps } from "./0003-platform-ips.ts";
import { signIn } from "./0003-sign-in.ts";
import { events } from "./0004-events.ts";
import { logRetention } from "./0004-log-retention.ts";
import { portal } from "./0005-portal.ts";
import { requestLogByDay } from "./0005-request-log-by-day.ts";
import { billing } from "./0006-billing.ts";
import { rollUps } from "./0006-rollups.ts";
import { requestKeysByKey } from "./0007-request-keys-by-key.ts";
import { usage } from "./0007-usage.ts";
import { logCuts } from "./0008-log-cuts.ts";
import { sandbox } from "./0008-sandbox.ts";
import { revocations } from "./0009-revocations.ts";
import { unannouncedExpiries } from "./0010-unannounced-expiries.ts";
import { sessionTokens } from "./0011-session-tokens.ts";
import { auditLogRetention } from "./0012-audit-log-retention.ts";
import type { Migration } from "./migration.ts";

/** What verdicts depend on. */
export const mainMigrations: readonly Migration[] = [
  core,
  people,
  signIn,
  events,
  portal,
  billing,
  usage,
  sandbox,
  revocations,
  unannouncedExpiries,
  sessionTokens,
  auditLogRetention,
];

/**
 * Observations: the request log, the sightings and the counts of refusals. SQLite stores these in a separate file, so that writing them never
 * delays a verdict; PostgreSQL stores them with the rest.
 */
export const journalMigrations: readonly Migration[] = [
  journal,
  refusals,
  platformIps,
  logRetention,
  requestLogByDay,
  rollUps,
  requestKeysByKey,
  logCuts,
];
