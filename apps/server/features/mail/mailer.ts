import { nextAttemptAtMs, triedForMs } from "@countersign/domain/mail/retry";
import {
  anyEmailIsDue,
  claimEmail,
  emailFailed,
  emailWasSent,
  openEmail,
} from "@countersign/store/queries/mail/outbox";
import type { Store } from "@countersign/store/store";
import type { StoredEmailRow } from "@countersign/store/tables/platform";
import { inBursts, type Log, reasonOf } from "../../base/log.ts";
import { isStorageError } from "../../base/storage-errors.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { MailTimeout, mailFailure } from "./failure.ts";
import { isPermanentFailure, type MailTransport } from "./transport.ts";

/** How often the outbox is checked. */
const everyMs = 1_000;
/** How long a claim on an email lasts: longer than any attempt, so that no other node sends it. */
const claimMs = 5 * 60_000;
const attemptMs = 4 * 60_000;
export const emailsAtOnce = 4;
const shutdownMs = 3_000;
const logEveryMs = 10_000;

/**
 * Sends the emails in the outbox. Every node has one; a node claims an email before it sends it. An email is sent
 * twice only if a node dies after the mail server accepted it and before recording that; both have the same Message-ID.
 */
export class Mailer implements PeriodicJob {
  readonly name = "mail";
  readonly everyMs = everyMs;
  readonly #store: Store;
  readonly #transport: MailTransport;
  readonly #log: Log;
  readonly #logFailed: (count: number, reason: string) => void;
  /** Each sends one email after the other until none is due; one that hangs does not delay the others. */
  readonly #senders = new Set<Promise<void>>();
  #isClosed = false;

  constructor(store: Store, transport: MailTransport, log: Log) {
    this.#store = store;
    this.#transport = transport;
    this.#log = log;
    this.#logFailed = inBursts<string>(logEveryMs, (emails, reason) =>
      log.warn("Emails could not be sent. See the outbox for details.", { emails, reason }),
    );
  }

  /** Starts sending what is due. */
  async run(): Promise<void> {
    if (this.#isClosed || this.#senders.size >= emailsAtOnce) return;
    const nowMs = await this.#store.clock();
    if (!(await anyEmailIsDue(this.#store.reads, nowMs, nowMs - triedForMs))) return;
    while (!this.#isClosed && this.#senders.size < emailsAtOnce) {
      const sender: Promise<void> = this.#sendOneAfterTheOther()
        .catch((error) => {
          if (!isStorageError(this.#log, error)) this.#logFailed(1, reasonOf(error));
        })
        .finally(() => this.#senders.delete(sender));
      this.#senders.add(sender);
    }
  }

  /** Starts no further emails, gives those in progress a moment, and then aborts them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timer = setTimeout(() => this.#transport.close(), shutdownMs);
    await Promise.all(this.#senders);
    clearTimeout(timer);
    this.#transport.close();
  }

  async #sendOneAfterTheOther(): Promise<void> {
    while (!this.#isClosed) {
      const nowMs = await this.#store.clock();
      const message = await this.#store.transaction((db) =>
        claimEmail(db, nowMs, nowMs - triedForMs, nowMs + claimMs),
      );
      if (message === undefined) return;
      await this.#send(message);
    }
  }

  async #send(message: StoredEmailRow): Promise<void> {
    try {
      await inTime(this.#transport.send(openEmail(this.#store.reads, message)));
    } catch (error) {
      await this.#failed(message, error);
      return;
    }
    const nowMs = await this.#store.clock();
    await this.#store.transaction((db) => emailWasSent(db, message.id, nowMs));
  }

  async #failed(message: StoredEmailRow, error: unknown): Promise<void> {
    this.#logFailed(1, reasonOf(error).slice(0, 500));
    const failure = JSON.stringify(mailFailure(error));
    const nowMs = await this.#store.clock();
    const next = nextAttemptAtMs(
      {
        writtenAtMs: message.created_at,
        attempts: message.attempts,
        isPermanentFailure: isPermanentFailure(error),
      },
      nowMs,
    );
    await this.#store.transaction((db) => emailFailed(db, message, failure, next));
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
