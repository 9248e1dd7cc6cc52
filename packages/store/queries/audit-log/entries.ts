import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { AuditLogRow } from "../../tables/audit-log.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

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
  const entryRow = await db
    .selectFrom("audit_log")
    .select("id")
    .where("subject_id", "=", entry.subjectId)
    .where("at", ">", sinceMs)
    .where("action", "=", entry.action)
    .where("actor_id", "=", entry.actorId)
    .limit(1)
    .executeTakeFirst();
  return entryRow !== undefined;
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

/** When another customer was last merged with this one, after that time; null if none was. */
export async function lastMergeAt(db: Database, customerId: string, sinceMs: number): Promise<number | null> {
  const latest = await db
    .selectFrom("audit_log")
    .select((is) => is.fn.max("at").as("at"))
    .where("subject_id", "=", customerId)
    .where("at", ">", sinceMs)
    .where("after", "like", '%"licenses_moved":%')
    .executeTakeFirst();
  return latest?.at == null ? null : Number(latest.at);
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

export interface AuditPosition {
  readonly at: number;
  readonly id: string;
}

export interface AuditPage {
  readonly after: AuditPosition | null;
  readonly limit: number;
  /** How many entries are read at most, whether they match or not. */
  readonly maxRead?: number;
}

export interface FoundEntries {
  readonly rows: readonly AuditLogRow[];
  /** Where to continue, if this many entries were read before enough matched; otherwise null. */
  readonly searchedTo: AuditPosition | null;
}

const readAtOnce = 500;
const maxReadForPage = 20_000;

/**
 * Newest first, after a position. Reads along the index of one condition, in slices, and compares the others with what
 * it has read: a filter that hardly anything matches would otherwise read the whole log in one statement.
 */
export async function auditEntries(
  db: Database,
  filter: AuditFilter,
  { after, limit, maxRead = maxReadForPage }: AuditPage,
): Promise<FoundEntries> {
  const ids: string[] = [];
  let position = after;
  let isOver = false;
  for (let read = 0; !isOver && ids.length < limit && read < maxRead; ) {
    if (read > 0) await yieldToEventLoop();
    const slice = await nextEntries(db, filter, position);
    for (const entry of slice) if (matches(entry, filter)) ids.push(entry.id);
    position = slice.at(-1) ?? position;
    read += slice.length;
    isOver = slice.length < readAtOnce;
  }
  const rows = await entriesById(db, ids.slice(0, limit));
  return { rows, searchedTo: isOver || ids.length >= limit ? null : position };
}

function nextEntries(db: Database, filter: AuditFilter, after: AuditPosition | null) {
  const { organizationId, actorId, action, subjectId, fromMs, toMs } = filter;
  let query = db
    .selectFrom("audit_log")
    .select(["id", "at", "organization_id", "actor_id", "action", "subject_kind", "subject_id"]);
  if (subjectId !== null) query = query.where("subject_id", "=", subjectId);
  else if (actorId !== null) query = query.where("actor_id", "=", actorId);
  else if (organizationId !== null) {
    query = query.where("organization_id", "=", organizationId);
    if (action !== null) query = query.where("action", "=", action);
  }
  if (fromMs !== null) query = query.where("at", ">=", fromMs);
  if (toMs !== null) query = query.where("at", "<", toMs);
  if (after !== null) {
    // An index can seek to the first half alone.
    query = query
      .where("at", "<=", after.at)
      .where((is) => is.or([is("at", "<", after.at), is("id", "<", after.id)]));
  }
  return query.orderBy("at", "desc").orderBy("id", "desc").limit(readAtOnce).execute();
}

type Compared = Pick<AuditLogRow, "organization_id" | "actor_id" | "action" | "subject_kind" | "subject_id">;

function matches(entry: Compared, filter: AuditFilter): boolean {
  const { organizationId, actorId, action, subjectKind, subjectId } = filter;
  return (
    (organizationId === null || entry.organization_id === organizationId) &&
    (actorId === null || entry.actor_id === actorId) &&
    (action === null || entry.action === action) &&
    (subjectKind === null || entry.subject_kind === subjectKind) &&
    (subjectId === null || entry.subject_id === subjectId)
  );
}

async function entriesById(db: Database, ids: readonly string[]): Promise<AuditLogRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("audit_log").selectAll().where("id", "in", ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
