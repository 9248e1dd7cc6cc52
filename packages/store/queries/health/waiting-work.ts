import { sql } from "kysely";
import type { Database } from "../../store.ts";

/** Each counts at most this many rows of a partial index, which contains little else. */

/** Deliveries that are not complete, including those that wait for a retry. */
export async function countPendingDeliveries(db: Database, most: number): Promise<number> {
  // A literal: SQLite uses a partial index only if its condition is in the statement.
  const pending = db
    .selectFrom("deliveries")
    .select("endpoint_id")
    .where("state", "=", sql.lit("pending"))
    .limit(most);
  return countOf(await db.selectFrom(pending.as("some")).select(rows).executeTakeFirst());
}

/** Emails that are still to be sent. An email that is older than `writtenAfterMs` is given up. */
export async function countUnsentEmails(db: Database, writtenAfterMs: number, most: number): Promise<number> {
  const unsent = db
    .selectFrom("outbox")
    .select("created_at")
    .where("is_bulk", "in", [0, 1])
    .where("next_attempt_at", "is not", null)
    .limit(most);
  const query = db.selectFrom(unsent.as("some")).select(rows).where("created_at", ">", writtenAfterMs);
  return countOf(await query.executeTakeFirst());
}

/** Emails that wait for another day because of a daily limit. */
export async function countDelayedEmails(db: Database, most: number): Promise<number> {
  const delayed = db.selectFrom("waiting_emails").select("id").limit(most);
  return countOf(await db.selectFrom(delayed.as("some")).select(rows).executeTakeFirst());
}

const rows = sql<number>`count(*)`.as("rows");

function countOf(row: { readonly rows: number } | undefined): number {
  return Number(row?.rows ?? 0);
}
