import { createHash } from "node:crypto";
import type { Language } from "@countersign/domain/mail/languages";
import { oneLine } from "@countersign/domain/text/plain-line";
import { newId } from "@countersign/store/new-id";
import { userById } from "@countersign/store/queries/identity/users";
import { addEmails } from "@countersign/store/queries/mail/outbox";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";

/** An email to one person. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  /** Its purpose, such as `invitation`, which identifies it in the outbox. */
  readonly kind: string;
  /**
   * What it reports, such as `license_delivery:` and the license's ID: a second email about the same is not written.
   * Null or omitted if each one reports something new.
   */
  readonly once?: string | null;
  /** Where replies go, if not to the server's sender. */
  readonly replyTo?: string | null;
  /** A bulk email: emails that someone waits for are sent first. */
  readonly isBulk?: boolean;
  /** Of an email about an organization's customers: that organization, so that erasing a customer finds it. */
  readonly organizationId?: string | null;
}

/**
 * Adds an email to the outbox, in the transaction that it reports: it is sent once that is committed, and not at all
 * if it is rolled back.
 */
export async function writeEmail(db: Database, message: Email, nowMs: number): Promise<void> {
  await writeEmails(db, [message], nowMs);
}

export async function writeEmails(db: Database, emails: readonly Email[], nowMs: number): Promise<void> {
  await addEmails(
    db,
    emails.map((message) => ({
      id: newId(),
      recipient: message.to,
      // It becomes a header.
      subject: oneLine(message.subject),
      body_text: message.text,
      body_html: message.html,
      reply_to: message.replyTo ?? null,
      kind: message.kind,
      created_at: nowMs,
      sent_at: null,
      failure: null,
      attempts: 0,
      next_attempt_at: nowMs,
      dedupe_key: message.once == null ? null : dedupeKey(message.once),
      is_bulk: message.isBulk === true ? 1 : 0,
      organization_id: message.organizationId ?? null,
    })),
  );
}

/** A hash: emails outlive what they report, and should not contain the IDs of what was deleted. */
export function dedupeKey(once: string): string {
  return createHash("sha256").update(once).digest("base64url");
}

/** The recipient of an email, and their language. */
export interface Recipient {
  readonly email: string;
  readonly language: Language;
}

/** A user, as a recipient of emails. */
export function recipientOf({ email, locale }: Pick<UserRow, "email" | "locale">): Recipient {
  return { email, language: locale };
}

/** Undefined if the account no longer exists. */
export async function recipientById(db: Database, userId: string | null): Promise<Recipient | undefined> {
  const user = userId === null ? undefined : await userById(db, userId);
  return user === undefined ? undefined : recipientOf(user);
}
