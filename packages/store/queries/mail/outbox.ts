import { openText, sealText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type { OutboxRow, StoredEmailRow } from "../../tables/platform.ts";

/** Skips emails that were already written: see `dedupe_key`. */
export async function addEmails(db: Database, mails: readonly OutboxRow[]): Promise<void> {
  for (let start = 0; start < mails.length; start += emailsAtOnce)
    await db
      .insertInto("outbox")
      .values(mails.slice(start, start + emailsAtOnce).map((mail) => sealEmail(db, mail)))
      .onConflict((conflict) => conflict.column("dedupe_key").doNothing())
      .execute();
}

const emailsAtOnce = 100;

function sealEmail(db: Database, { body_text, body_html, reply_to, ...rest }: OutboxRow): StoredEmailRow {
  return { ...rest, sealed_body: sealText(db, JSON.stringify([body_text, body_html, reply_to])) };
}

/** The text of a sent email is erased: it is empty then. */
export function openEmail<Row extends Pick<StoredEmailRow, "sealed_body">>(
  db: Database,
  { sealed_body, ...rest }: Row,
): Omit<Row, "sealed_body"> & Pick<OutboxRow, "body_text" | "body_html" | "reply_to"> {
  if (sealed_body === null) return { ...rest, body_text: "", body_html: null, reply_to: null };
  const opened = JSON.parse(openText(db, sealed_body)) as [string, string | null, string | null];
  const [body_text, body_html, reply_to] = opened;
  return { ...rest, body_text, body_html, reply_to };
}

/** Newest first, without their contents. */
export async function emails(
  db: Database,
  filter: { readonly kind: string | null; readonly recipient: string | null },
  page: { readonly beforeId: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("outbox")
    .select(["id", "recipient", "subject", "kind", "created_at", "sent_at", "failure"]);
  if (filter.kind !== null) query = query.where("kind", "=", filter.kind);
  if (filter.recipient !== null) query = query.where("recipient", "=", filter.recipient);
  if (page.beforeId !== null) query = query.where("id", "<", page.beforeId);
  return query.orderBy("id", "desc").limit(page.limit).execute();
}

export async function emailById(db: Database, id: string): Promise<OutboxRow | undefined> {
  const row = await db.selectFrom("outbox").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : openEmail(db, row);
}

/** The email that has this key: see `dedupe_key`. */
export async function emailByKey(db: Database, key: string) {
  return db
    .selectFrom("outbox")
    .select(["id", "recipient", "created_at", "sent_at", "next_attempt_at", "failure"])
    .where("dedupe_key", "=", key)
    .executeTakeFirst();
}

/** Allows another email about the same. The previous one stays in the outbox. */
export async function freeEmailKey(db: Database, key: string): Promise<void> {
  await db.updateTable("outbox").set({ dedupe_key: null }).where("dedupe_key", "=", key).execute();
}

export async function anyEmailIsDue(db: Database, nowMs: number, writtenAfterMs: number): Promise<boolean> {
  const due = await db
    .selectFrom("outbox")
    .select("id")
    .where("is_bulk", "in", [0, 1])
    .where("next_attempt_at", "<=", nowMs)
    .where("created_at", ">", writtenAfterMs)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

/**
 * Claims the email that has waited longest, so that no other node sends it before `untilMs`. Bulk emails come last.
 * The sender decrypts it: one that cannot be decrypted must not block the others.
 */
export async function claimEmail(
  db: Database,
  nowMs: number,
  writtenAfterMs: number,
  untilMs: number,
): Promise<StoredEmailRow | undefined> {
  return (
    (await claimOne(db, 0, nowMs, writtenAfterMs, untilMs)) ??
    (await claimOne(db, 1, nowMs, writtenAfterMs, untilMs))
  );
}

/** The condition is in both places: if two choose the same email, the slower one finds it claimed. */
async function claimOne(
  db: Database,
  isBulk: 0 | 1,
  nowMs: number,
  writtenAfterMs: number,
  untilMs: number,
): Promise<StoredEmailRow | undefined> {
  return db
    .updateTable("outbox")
    .set((row) => ({ next_attempt_at: untilMs, attempts: row("attempts", "+", 1) }))
    .where("next_attempt_at", "<=", nowMs)
    .where("id", "=", (mail) =>
      mail
        .selectFrom("outbox")
        .select("id")
        .where("is_bulk", "=", isBulk)
        .where("next_attempt_at", "<=", nowMs)
        .where("created_at", ">", writtenAfterMs)
        .orderBy("next_attempt_at")
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst();
}

/** It was sent. Its text, including links that grant access, is no longer kept. */
export async function emailWasSent(db: Database, id: string, nowMs: number): Promise<void> {
  await db
    .updateTable("outbox")
    .set({ sent_at: nowMs, failure: null, next_attempt_at: null, sealed_body: null })
    .where("id", "=", id)
    .execute();
}

/** Changes nothing if another node has claimed the email since. */
export async function emailFailed(
  db: Database,
  claimed: Pick<OutboxRow, "id" | "next_attempt_at">,
  failure: string,
  nextAttemptAt: number | null,
): Promise<void> {
  await db
    .updateTable("outbox")
    .set({ failure, next_attempt_at: nextAttemptAt })
    .where("id", "=", claimed.id)
    .where("next_attempt_at", "=", claimed.next_attempt_at)
    .where("sent_at", "is", null)
    .execute();
}
