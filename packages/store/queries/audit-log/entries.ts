import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { AuditLogRow } from "../../tables.ts";

export async function addAuditEntries(db: Database, rows: readonly AuditLogRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += 500) {
    await addRows(db, rows.slice(start, start + 500));
  }
}

const addRows = prepared((db, rows: readonly AuditLogRow[]) => db.insertInto("audit_log").values(rows)).run;

/** Whether this actor did this to this subject after that time. */
export async function wasRecordedSince(
  db: Database,
  entry: { readonly subjectId: string; readonly action: string; readonly actorId: string },
  sinceMs: number,
): Promise<boolean> {
  const found = await db
    .selectFrom("audit_log")
    .select("id")
    .where("subject_id", "=", entry.subjectId)
    .where("at", ">", sinceMs)
    .where("action", "=", entry.action)
    .where("actor_id", "=", entry.actorId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The last time that anyone did this to this subject, from the entries of the organization about it. */
export async function lastEntry(
  db: Database,
  { organizationId, subjectId, action }: Record<"organizationId" | "subjectId" | "action", string>,
): Promise<AuditLogRow | undefined> {
  return db
    .selectFrom("audit_log")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("action", "=", action)
    .where("subject_id", "=", subjectId)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * When the seller last gave the license to another customer, or merged another customer with its customer, after that
 * time; null if neither happened.
 */
export async function lastCustomerChangeAt(
  db: Database,
  license: { readonly id: string; readonly customerId: string },
  sinceMs: number,
): Promise<number | null> {
  const found = await db
    .selectFrom("audit_log")
    .select((is) => is.fn.max("at").as("at"))
    .where("subject_id", "in", [license.id, license.customerId])
    .where("at", ">", sinceMs)
    .where((is) =>
      is.or([is("after", "like", '%"global_customer_id":%'), is("after", "like", '%"licenses_moved":%')]),
    )
    .executeTakeFirst();
  return found?.at == null ? null : Number(found.at);
}

export interface AuditFilter {
  /** Null for everything on the platform. */
  readonly organizationId: string | null;
  readonly actorId: string | null;
  readonly action: string | null;
  readonly subjectKind: string | null;
  readonly subjectId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Newest first, after the last entry of the previous page. */
export async function auditEntries(
  db: Database,
  filter: AuditFilter,
  page: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
): Promise<AuditLogRow[]> {
  const { organizationId, actorId, action, subjectKind, subjectId, fromMs, toMs } = filter;
  let query = db.selectFrom("audit_log").selectAll();
  if (organizationId !== null) query = query.where("organization_id", "=", organizationId);
  if (actorId !== null) query = query.where("actor_id", "=", actorId);
  if (action !== null) query = query.where("action", "=", action);
  if (subjectKind !== null) query = query.where("subject_kind", "=", subjectKind);
  if (subjectId !== null) query = query.where("subject_id", "=", subjectId);
  if (fromMs !== null) query = query.where("at", ">=", fromMs);
  if (toMs !== null) query = query.where("at", "<", toMs);
  const { after, limit } = page;
  if (after !== null) {
    // An index can seek to the first half alone.
    query = query
      .where("at", "<=", after.at)
      .where((is) => is.or([is("at", "<", after.at), is("id", "<", after.id)]));
  }
  return query.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
}
