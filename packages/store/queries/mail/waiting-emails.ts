import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { DailyEmailsRow, WaitingEmailRow } from "../../tables/platform.ts";

/** Does nothing for an email that is already waiting. */
export async function addWaitingEmails(db: Database, rows: readonly WaitingEmailRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce)
    await db
      .insertInto("waiting_emails")
      .values(rows.slice(start, start + rowsAtOnce))
      .onConflict((conflict) => conflict.column("dedupe_key").doNothing())
      .execute();
}

/** Which of these emails are written, or wait to be. */
export async function knownEmails(db: Database, dedupeKeys: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (let start = 0; start < dedupeKeys.length; start += rowsAtOnce) {
    const batch = dedupeKeys.slice(start, start + rowsAtOnce);
    for (const table of ["outbox", "waiting_emails"] as const) {
      const rows = await db.selectFrom(table).select("dedupe_key").where("dedupe_key", "in", batch).execute();
      for (const { dedupe_key: key } of rows) if (key !== null) known.add(key);
    }
  }
  return known;
}

/** The next organization, by ID, that has waiting emails; none after the last. */
export async function nextWaitingOrganization(db: Database, afterId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("waiting_emails")
    .select("organization_id")
    .where("organization_id", ">", afterId)
    .orderBy("organization_id")
    .limit(1)
    .execute();
  return rows.map((row) => row.organization_id);
}

/** Oldest first. */
export async function waitingEmails(
  db: Database,
  organizationId: string,
  limit: number,
): Promise<WaitingEmailRow[]> {
  return db
    .selectFrom("waiting_emails")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export async function removeWaitingEmails(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("waiting_emails").where("id", "in", ids).execute();
}

export async function removeWaitingEmail(db: Database, key: string): Promise<void> {
  await db.deleteFrom("waiting_emails").where("dedupe_key", "=", key).execute();
}

const rowsAtOnce = 500;

type Recipients = DailyEmailsRow["recipients"];

/**
 * How many emails the organization, or all of its owner's, have caused on this day, locked until the transaction ends:
 * others that count wait, and then see the changes. A clock that is slightly behind does not restart the count of a
 * past day.
 */
export async function lockedEmailCount(
  db: Database,
  senderId: string,
  recipients: Recipients,
  day: number,
): Promise<number> {
  const { used } = await db
    .insertInto("daily_emails")
    .values({ sender_id: senderId, recipients, day, used: 0 })
    .onConflict((conflict) =>
      conflict.columns(["sender_id", "recipients"]).doUpdateSet({
        used: sql`case when daily_emails.day < excluded.day then 0 else daily_emails.used end`,
        day: sql`case when daily_emails.day < excluded.day then excluded.day else daily_emails.day end`,
      }),
    )
    .returning("used")
    .executeTakeFirstOrThrow();
  return Number(used);
}

/** Adds to a count that this transaction has locked. */
export async function countEmails(
  db: Database,
  senderId: string,
  recipients: Recipients,
  more: number,
): Promise<void> {
  if (more === 0) return;
  await db
    .updateTable("daily_emails")
    .set((row) => ({ used: row("used", "+", more) }))
    .where("sender_id", "=", senderId)
    .where("recipients", "=", recipients)
    .execute();
}

/** The same count without locking it. */
export async function emailCount(
  db: Database,
  senderId: string,
  recipients: Recipients,
  day: number,
): Promise<number> {
  const row = await db
    .selectFrom("daily_emails")
    .select("used")
    .where("sender_id", "=", senderId)
    .where("recipients", "=", recipients)
    .where("day", ">=", day)
    .executeTakeFirst();
  return Number(row?.used ?? 0);
}
