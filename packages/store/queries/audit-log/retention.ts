import { signingSecretRevealed } from "@countersign/domain/audit-log/audit-log-days";
import type { Database } from "../../store.ts";
import type { AuditLogRow } from "../../tables/audit-log.ts";
import { effectivePlanOfO } from "../plans/plans.ts";
import type { AuditPosition } from "./entries.ts";

/** Whether the audit log of any plan or organization has a limit. */
export async function hasAuditLogLimits(db: Database): Promise<boolean> {
  const plan = await db
    .selectFrom("plans")
    .select("id")
    .where("audit_log_days", "is not", null)
    .limit(1)
    .executeTakeFirst();
  if (plan !== undefined) return true;
  const organization = await db
    .selectFrom("organizations")
    .select("id")
    .where("audit_log_days_override", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return organization !== undefined;
}

export interface OrganizationAuditLogDays {
  readonly id: string;
  readonly of_organization: number | null;
  readonly of_plan: number | null;
}

function auditLogDaysOf(db: Database) {
  return db
    .selectFrom("organizations as o")
    .innerJoin("plans as plan", (join) => join.on("plan.id", "=", effectivePlanOfO))
    .select(["o.id", "o.audit_log_days_override as of_organization", "plan.audit_log_days as of_plan"]);
}

/** What decides how long organizations keep their audit log, deleted ones included, in the order of their IDs. */
export async function organizationsAuditLogDays(
  db: Database,
  afterId: string,
  limit: number,
): Promise<OrganizationAuditLogDays[]> {
  return auditLogDaysOf(db).where("o.id", ">", afterId).orderBy("o.id").limit(limit).execute();
}

export interface KeptEntries {
  readonly of_organization: number | null;
  readonly of_plan: number | null;
  /** Entries before this time were deleted; null if none was. */
  readonly deleted_before: number | null;
}

/** How long an organization keeps its audit log, and since when the log is complete. */
export async function keptEntries(db: Database, organizationId: string): Promise<KeptEntries | undefined> {
  return auditLogDaysOf(db)
    .leftJoin("audit_log_cutoffs as cutoff", "cutoff.organization_id", "o.id")
    .select("cutoff.deleted_before")
    .where("o.id", "=", organizationId)
    .executeTakeFirst();
}

/**
 * Entries of an organization before a time, the oldest first. Without the last one about the reveal of each product's
 * signing secret, which is kept.
 */
export async function entriesBefore(
  db: Database,
  organizationId: string,
  beforeMs: number,
  { after, limit }: { readonly after: AuditPosition | null; readonly limit: number },
): Promise<AuditLogRow[]> {
  let query = db
    .selectFrom("audit_log as entry")
    .selectAll("entry")
    .where("entry.organization_id", "=", organizationId)
    .where("entry.at", "<", beforeMs)
    .where((is) =>
      is.or([
        is("entry.action", "!=", signingSecretRevealed),
        is.exists(
          is
            .selectFrom("audit_log as later")
            .select("later.id")
            .whereRef("later.subject_id", "=", "entry.subject_id")
            .whereRef("later.at", ">=", "entry.at")
            .whereRef("later.organization_id", "=", "entry.organization_id")
            .where("later.action", "=", signingSecretRevealed)
            .where((or) =>
              or.or([or("later.at", ">", or.ref("entry.at")), or("later.id", ">", or.ref("entry.id"))]),
            ),
        ),
      ]),
    );
  if (after !== null) {
    // An index can seek to the first half alone.
    query = query
      .where("entry.at", ">=", after.at)
      .where((is) => is.or([is("entry.at", ">", after.at), is("entry.id", ">", after.id)]));
  }
  return query.orderBy("entry.at").orderBy("entry.id").limit(limit).execute();
}

/**
 * Deletes entries that were archived, and returns how many. A trigger refuses to delete an entry that is not older than
 * what was archived of its organization, which is stored here first.
 */
export async function deleteEntries(
  db: Database,
  organizationId: string,
  archived: readonly AuditPosition[],
): Promise<number> {
  if (archived.length === 0) return 0;
  const deletedBefore = Math.max(...archived.map(({ at }) => at)) + 1;
  await db
    .insertInto("audit_log_cutoffs")
    .values({ organization_id: organizationId, deleted_before: deletedBefore })
    .onConflict((conflict) =>
      conflict
        .column("organization_id")
        .doUpdateSet({ deleted_before: deletedBefore })
        .where("audit_log_cutoffs.deleted_before", "<", deletedBefore),
    )
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom("audit_log")
    .where(
      "id",
      "in",
      archived.map(({ id }) => id),
    )
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
