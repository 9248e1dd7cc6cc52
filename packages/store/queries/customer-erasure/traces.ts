import { sql } from "kysely";
import { erasedActor } from "../../migrations/0001-audit-log.ts";
import { openText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type { AuditLogRow } from "../../tables/audit-log.ts";
import type { ImportRow, ImportUndoRow } from "../../tables/license-files.ts";
import type { IdempotencyKeyRow } from "../../tables/platform.ts";
import { idsWithin } from "../conditions.ts";

/**
 * What can contain data of a customer without naming them in a column, in pages. Rows are read without a transaction;
 * what is found in them is deleted in one.
 */

export async function eventPage(db: Database, organizationId: string, after: string | null, limit: number) {
  return db
    .selectFrom("events")
    .select(["id", "license_id", "at", "data"])
    .where(idsWithin({ organization_id: organizationId }, { after }))
    .orderBy("organization_id")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** With everything that was sent of them, and what the receivers responded. */
export async function removeEvents(db: Database, ids: readonly string[]): Promise<void> {
  const rows = await db.selectFrom("deliveries").select("id").where("event_id", "in", ids).execute();
  const deliveryIds = rows.map(({ id }) => id);
  if (deliveryIds.length > 0) {
    await db.deleteFrom("delivery_attempts").where("delivery_id", "in", deliveryIds).execute();
    await db.deleteFrom("deliveries").where("id", "in", deliveryIds).execute();
  }
  await db.deleteFrom("events").where("id", "in", ids).execute();
}

export async function auditPage(
  db: Database,
  organizationId: string,
  after: Pick<AuditLogRow, "at" | "id"> | null,
  limit: number,
) {
  let query = db.selectFrom("audit_log").selectAll().where("organization_id", "=", organizationId);
  if (after !== null)
    query = query
      .where("at", ">=", after.at)
      .where((is) => is.or([is("at", ">", after.at), is("id", ">", after.id)]));
  return query.orderBy("at").orderBy("id").limit(limit).execute();
}

/** Who did what and when stays, except of the customer: of what they did themselves only their ID. */
export async function emptyEntries(
  db: Database,
  customerIds: ReadonlySet<string>,
  entries: readonly Pick<AuditLogRow, "id" | "actor_kind" | "actor_id">[],
): Promise<void> {
  const isTheirs = ({ actor_kind, actor_id }: Pick<AuditLogRow, "actor_kind" | "actor_id">) =>
    actor_kind === "customer" && customerIds.has(actor_id ?? "");
  const empty = { before: null, after: null, subject_name: null };
  for (const [columns, group] of [
    [empty, entries.filter((entry) => !isTheirs(entry))],
    [{ ...empty, actor_name: erasedActor, ip: null }, entries.filter(isTheirs)],
  ] as const) {
    const ids = group.map(({ id }) => id);
    if (ids.length > 0) await db.updateTable("audit_log").set(columns).where("id", "in", ids).execute();
  }
}

/** Emails that an organization caused, opened. What cannot be opened counts as empty: it is damaged. */
export async function emailPage(db: Database, organizationId: string, after: string | null, limit: number) {
  const rows = await db
    .selectFrom("outbox")
    .select(["id", "recipient", "subject", "sealed_body", "failure", "created_at"])
    .where("organization_id", "is not", null)
    .where(idsWithin({ organization_id: organizationId }, { after }))
    .orderBy("organization_id")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ sealed_body, ...row }) => ({ ...row, body: opened(db, sealed_body) }));
}

export async function removeEmails(db: Database, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("outbox").where("id", "in", ids).execute();
}

/** Those who may have received responses of an organization, and whether they can only be of this organization. */
export async function actorsOf(db: Database, organizationId: string) {
  const tokens = await db
    .selectFrom("access_tokens")
    .select("id")
    .where("organization_id", "=", organizationId)
    .execute();
  return new Set(tokens.map(({ id }) => id));
}

/** Responses that are stored for repeated requests, of all organizations: they are kept for a day. */
export async function answerPage(
  db: Database,
  after: Pick<IdempotencyKeyRow, "actor_id" | "idempotency_key"> | null,
  limit: number,
) {
  let query = db
    .selectFrom("idempotency_keys")
    .select(["actor_id", "idempotency_key", "sealed_answer", "created_at"]);
  if (after !== null)
    query = query.where(
      sql<boolean>`(actor_id, idempotency_key) > (${after.actor_id}, ${after.idempotency_key})`,
    );
  const rows = await query.orderBy("actor_id").orderBy("idempotency_key").limit(limit).execute();
  return rows.map(({ sealed_answer, ...row }) => ({ ...row, text: opened(db, sealed_answer) }));
}

export async function removeAnswer(
  db: Database,
  { actor_id, idempotency_key }: Pick<IdempotencyKeyRow, "actor_id" | "idempotency_key">,
): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("actor_id", "=", actor_id)
    .where("idempotency_key", "=", idempotency_key)
    .execute();
}

/** Imports that began before this time. */
export async function importPage(
  db: Database,
  organizationId: string,
  beforeMs: number,
  after: string | null,
  limit: number,
) {
  let query = db
    .selectFrom("imports")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("created_at", "<=", beforeMs);
  if (after !== null) query = query.where("id", ">", after);
  return query.orderBy("id").limit(limit).execute();
}

/** Whether one of these still runs, or its file is not deleted yet. */
export async function hasUnfinishedImport(
  db: Database,
  organizationId: string,
  beforeMs: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("imports")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("created_at", "<=", beforeMs)
    .where((is) =>
      is.or([
        is("finished_at", "is", null),
        is.exists(
          is
            .selectFrom("import_pieces")
            .select("import_pieces.import_id")
            .whereRef("import_pieces.import_id", "=", "imports.id"),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function changeImport(
  db: Database,
  id: string,
  columns: Partial<Pick<ImportRow, "errors" | "file_name" | "default_customer_email" | "failure">>,
): Promise<void> {
  await db.updateTable("imports").set(columns).where("id", "=", id).execute();
}

export async function rejectPage(db: Database, importId: string, after: number, limit: number) {
  return db
    .selectFrom("import_rejects")
    .selectAll()
    .where("import_id", "=", importId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(limit)
    .execute();
}

export async function removeRejects(
  db: Database,
  importId: string,
  numbers: readonly number[],
): Promise<void> {
  await db
    .deleteFrom("import_rejects")
    .where("import_id", "=", importId)
    .where("number", "in", numbers)
    .execute();
}

export async function undoPage(
  db: Database,
  importId: string,
  after: string,
  limit: number,
): Promise<Pick<ImportUndoRow, "license_id" | "before" | "written_at">[]> {
  return db
    .selectFrom("import_undo")
    .select(["license_id", "before", "written_at"])
    .where("import_id", "=", importId)
    .where("license_id", ">", after)
    .orderBy("license_id")
    .limit(limit)
    .execute();
}

export async function removeUndo(
  db: Database,
  importId: string,
  licenseIds: readonly string[],
): Promise<void> {
  await db
    .deleteFrom("import_undo")
    .where("import_id", "=", importId)
    .where("license_id", "in", licenseIds)
    .execute();
}

function opened(db: Database, sealed: string | null): string {
  if (sealed === null) return "";
  try {
    return openText(db, sealed);
  } catch {
    return "";
  }
}
