import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { DailyEmailsRow } from "../../tables/platform.ts";

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
