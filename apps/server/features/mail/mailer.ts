import { nextAttemptAtMs, triedForMs } from "@countersign/domain/mail/retry";
import {
  anyMailIsDue,
  claimMail,
  mailFailed,
  mailWasSent,
  openMail,
} from "@countersign/store/queries/mailbox";
import type { Store } from "@countersign/store/store";
import type { StoredMailRow } from "@countersign/store/tables";
import type { Chore } from "../../jobs/chores.ts";
import { inBursts, type Log, reasonOf } from "../../log.ts";
import { isStorageTrouble } from "../../storage-trouble.ts";
import { MailTimeout, mailFailure } from "./failure.ts";
import { isHopeless, type Post } from "./post.ts";

/** How often the mailbox is checked. */
const everyMs = 1_000;
/** How long a claim on an email lasts: longer than any attempt, so that no other node sends it. */
const claimMs = 5 * 60_000;
const attemptMs = 4 * 60_000;
export const lettersAtOnce = 4;
const farewellMs = 3_000;
const logEveryMs = 10_000;

/**
 * Sends the emails in the mailbox. Every node has one; a node claims an email before it sends it. An email is sent
 * twice only if a node dies after the mail server accepted it and before recording that; both have the same Message-ID.
 */
export class Mailer implements Chore {
  readonly name = "mail";
  readonly everyMs = everyMs;
  readonly #store: Store;
  readonly #post: Post;
  readonly #log: Log;
  readonly #tellFailed: (count: number, reason: string) => void;
  /** Each sends one email after the other until none is due; one that hangs does not delay the others. */
  readonly #lanes = new Set<Promise<void>>();
  #isClosed = false;

  constructor(store: Store, post: Post, log: Log) {
    this.#store = store;
    this.#post = post;
    this.#log = log;
    this.#tellFailed = inBursts<string>(logEveryMs, (letters, reason) =>
      log.warn("Emails could not be sent. See the mailbox for details.", { letters, reason }),
    );
  }

  /** Starts sending what is due. */
  async run(): Promise<void> {
    if (this.#isClosed || this.#lanes.size >= lettersAtOnce) return;
    const nowMs = await this.#store.clock();
    if (!(await anyMailIsDue(this.#store.reads, nowMs, nowMs - triedForMs))) return;
    while (!this.#isClosed && this.#lanes.size < lettersAtOnce) {
      const lane: Promise<void> = this.#sendOneAfterTheOther()
        .catch((error) => {
          if (!isStorageTrouble(this.#log, error)) this.#tellFailed(1, reasonOf(error));
        })
        .finally(() => this.#lanes.delete(lane));
      this.#lanes.add(lane);
    }
  }

  /** Starts no further emails, gives those in progress a moment, and then aborts them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timer = setTimeout(() => this.#post.close(), farewellMs);
    await Promise.all(this.#lanes);
    clearTimeout(timer);
    this.#post.close();
  }

  async #sendOneAfterTheOther(): Promise<void> {
    while (!this.#isClosed) {
      const nowMs = await this.#store.clock();
      const letter = await this.#store.transaction((db) =>
        claimMail(db, nowMs, nowMs - triedForMs, nowMs + claimMs),
      );
      if (letter === undefined) return;
      await this.#send(letter);
    }
  }

  async #send(letter: StoredMailRow): Promise<void> {
    try {
      await inTime(this.#post.send(openMail(this.#store.reads, letter)));
    } catch (error) {
      await this.#failed(letter, error);
      return;
    }
    const nowMs = await this.#store.clock();
    await this.#store.transaction((db) => mailWasSent(db, letter.id, nowMs));
  }

  async #failed(letter: StoredMailRow, error: unknown): Promise<void> {
    this.#tellFailed(1, reasonOf(error).slice(0, 500));
    const failure = JSON.stringify(mailFailure(error));
    const nowMs = await this.#store.clock();
    const next = nextAttemptAtMs(
      { writtenAtMs: letter.created_at, attempts: letter.attempts, isHopeless: isHopeless(error) },
      nowMs,
    );
    await this.#store.transaction((db) => mailFailed(db, letter, failure, next));
  }
}

async function inTime(attempt: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MailTimeout("The mail server took too long.")), attemptMs);
  try {
    await Promise.race([attempt, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
