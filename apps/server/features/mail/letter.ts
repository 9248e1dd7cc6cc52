import { createHash } from "node:crypto";
import { oneLine } from "@countersign/domain/mail/one-line";
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
  /**
   * What it tells of, such as `license_delivery:` and the license's id: a second letter about the same is not written.
   * Null, or left out, where each one tells of something new.
   */
  readonly once?: string | null;
  /** One of many: letters that somebody waits for go first. */
  readonly isBulk?: boolean;
}

/**
 * Puts a letter into the mailbox, in the transaction that it tells of: it is sent once that is true, and not at all if
 * it is undone.
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
      problem: null,
      attempts: 0,
      next_attempt_at: nowMs,
      dedupe_key: letter.once == null ? null : dedupeKey(letter.once),
      is_bulk: letter.isBulk === true ? 1 : 0,
    })),
  );
}

/** A hash: letters outlive what they tell of, and should not hold the ids of what was removed. */
export function dedupeKey(once: string): string {
  return createHash("sha256").update(once).digest("base64url");
}
