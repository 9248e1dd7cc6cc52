import { addMail } from "@countersign/store/queries/mailbox";
import type { Database } from "@countersign/store/store";
import { newId } from "../../new-id.ts";

/** A mail to one person. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  /** What it is for, such as `invitation`: how mails are told apart in the mailbox. */
  readonly kind: string;
}

/**
 * Puts a letter into the mailbox, in the transaction that it tells of: it is sent once that is true, and not at all if
 * it is undone.
 */
export async function writeLetter(db: Database, letter: Letter, nowMs: number): Promise<void> {
  await addMail(db, {
    id: newId(),
    recipient: letter.to,
    subject: letter.subject,
    body_text: letter.text,
    body_html: letter.html,
    kind: letter.kind,
    created_at: nowMs,
    sent_at: null,
    problem: null,
    attempts: 0,
    next_attempt_at: nowMs,
  });
}
