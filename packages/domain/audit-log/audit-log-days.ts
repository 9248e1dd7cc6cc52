import { dayMs } from "../dates/lengths.ts";

/** The portal reads entries of the last two weeks to show a license's new owner nothing of the previous one. */
export const minAuditLogDays = 30;

/** A hundred years: for an organization that keeps everything although its plan does not. */
export const maxAuditLogDays = 36_500;

/** What decides how long entries are kept, each null if not set: for one organization and for its plan. */
interface AuditLogDays {
  readonly ofOrganization: number | null;
  readonly ofPlan: number | null;
}

/** Null for ever. */
export function auditLogDays({ ofOrganization, ofPlan }: AuditLogDays): number | null {
  return ofOrganization ?? ofPlan;
}

/** Entries before this time can be archived and deleted: only whole days, in UTC, so that a day is archived at once. */
export function auditLogCutoff(days: number, nowMs: number): number {
  const keptMs = Math.max(days, minAuditLogDays) * dayMs;
  return Math.max(0, Math.floor((nowMs - keptMs) / dayMs) * dayMs);
}

/** The dashboard shows who last did this to a product, and when. That entry is kept until there is a newer one. */
export const signingSecretRevealed = "product.signing_secret_revealed";
