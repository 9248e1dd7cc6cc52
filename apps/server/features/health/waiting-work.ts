import { triedForMs } from "@countersign/domain/mail/retry";
import {
  countDelayedEmails,
  countPendingDeliveries,
  countUnsentEmails,
} from "@countersign/store/queries/health/waiting-work";
import type { Store } from "@countersign/store/store";

/** Counting stops here: a larger number would say no more, and take longer. */
const maxCounted = 10_000;
const countedEveryMs = 10_000;
/** A count that could not be renewed for this long is no longer shown. */
const shownForMs = 60_000;

export interface WaitingCounts {
  readonly deliveries: number;
  readonly emails: number;
  /** Those that wait for another day. */
  readonly delayedEmails: number;
}

/**
 * How much work waits in the database. It is counted in the background at the start and when someone reads it, at most
 * every ten seconds, so that a scrape waits for no query.
 */
export class WaitingWork {
  readonly #store: Store;
  readonly #sendsEmails: boolean;
  #counted: { readonly counts: WaitingCounts; readonly atMs: number } | null = null;
  #triedMs = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  /** Without a mail server, emails are stored and none waits. */
  constructor(store: Store, sendsEmails: boolean) {
    this.#store = store;
    this.#sendsEmails = sendsEmails;
    // The first scrape has every series, too.
    this.#countSoon();
  }

  /** Null if it is not known. */
  get counts(): WaitingCounts | null {
    this.#countSoon();
    const nowMs = performance.now();
    return this.#counted === null || nowMs - this.#counted.atMs > shownForMs ? null : this.#counted.counts;
  }

  #countSoon(): void {
    const nowMs = performance.now();
    if (this.#counting !== null || nowMs - this.#triedMs < countedEveryMs) return;
    this.#triedMs = nowMs;
    this.#counting = this.#count()
      .catch(() => {})
      .finally(() => {
        this.#counting = null;
      });
  }

  async close(): Promise<void> {
    this.#triedMs = Number.POSITIVE_INFINITY;
    await this.#counting;
  }

  async #count(): Promise<void> {
    const { reads } = this.#store;
    const writtenAfterMs = (await this.#store.clock()) - triedForMs;
    const counts = {
      deliveries: await countPendingDeliveries(reads, maxCounted),
      emails: this.#sendsEmails ? await countUnsentEmails(reads, writtenAfterMs, maxCounted) : 0,
      delayedEmails: await countDelayedEmails(reads, maxCounted),
    };
    this.#counted = { counts, atMs: performance.now() };
  }
}
