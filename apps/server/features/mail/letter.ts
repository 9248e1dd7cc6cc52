import { createHash } from "node:crypto";
import { oneLine } from "@countersign/domain/mail/one-line";
import { addMail } from "@countersign/store/queries/mailbox";
import type { Database } from "@countersign/store/store";
import { newId } from "../../new-id.ts";

/** An email to one person. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  /** Its purpose, such as `invitation`, which identifies it in the mailbox. */
  readonly kind: string;
  /**
   * What it reports, such as `license_delivery:` and the license's ID: a second email about the same is not written.
   * Null or omitted if each one reports something new.
   */
  readonly once?: string | null;
  /** A bulk email: emails that someone waits for are sent first. */
  readonly isBulk?: boolean;
}

/**
 * Adds an email to the mailbox, in the transaction that it reports: it is sent once that is committed, and not at all
 * if it is rolled back.
 */
export async function writeLetter(db: Database, letter: Letter, nowMs: number): Promise<void> {
  await writeLetters(db, [letter], nowMs);
}

export async function writeLetters(db: Database, letters: readonly Letter[], nowMs: number): Promise<void> {
  await addMail(
    db,
    letters.map((letter) => ({
      id: newId(),
      recipient: letter.to,
      // It becomes a header.
      subject: oneLine(letter.subject),
      body_text: letter.text,
      body_html: letter.html,
      kind: letter.kind,
      created_at: nowMs,
      sent_at: null,
      failure: null,
      attempts: 0,
      next_attempt_at: nowMs,
      dedupe_key: letter.once == null ? null : dedupeKey(letter.once),
      is_bulk: letter.isBulk === true ? 1 : 0,
    })),
  );
}

/** A hash: emails outlive what they report, and should not contain the IDs of what was deleted. */
export function dedupeKey(once: string): string {
  return createHash("sha256").update(once).digest("base64url");
}
