import { isolatesRequests } from "./runtime.ts";
import { orAborted } from "./transport.ts";

/** A request, numbered in the order in which requests were started. */
export interface Ticket {
  readonly number: number;
  readonly license: string;
}

/** Which request a call needs. */
export interface RequestKey {
  readonly license: string;
  /** The license key, version and device. */
  readonly requestKey: string;
  /** Only calls with the same limits share a request. */
  readonly limits: string;
  /** A fresh call never shares an earlier request. */
  readonly isFresh: boolean;
}

interface SharedRequest<Result> {
  readonly ticket: Ticket;
  readonly limits: string;
  readonly result: Promise<Result>;
  readonly abort: () => void;
  /** The callers that wait for it. */
  waiting: number;
}

interface LicenseRequests {
  pending: number;
  /** The number of the newest request that a fresh call sent. */
  newestFresh: number;
}

/**
 * The requests that have no response yet. It decides which of them a call can share, and which responses still count:
 * after `fresh` or `forget`, an earlier one leaves no trace.
 */
export class PendingRequests<Result> {
  #last = 0;
  #lastForgotten = 0;
  readonly #byLicense = new Map<string, LicenseRequests>();
  readonly #newest = new Map<string, SharedRequest<Result>>();

  /** Requests from before this are no longer shared, and their responses no longer count. */
  forget(): void {
    this.#lastForgotten = this.#last;
  }

  /** Whether neither `forget` nor a fresh call for the license was started after this request. */
  isCurrent({ number, license }: Ticket): boolean {
    return number > this.#lastForgotten && number >= (this.#byLicense.get(license)?.newestFresh ?? 0);
  }

  /**
   * The result of the work, or of the same work that is already under way. If the signal aborts, it rejects with the
   * signal's reason; the work is aborted when no caller waits for it any more.
   */
  async run(
    key: RequestKey,
    signal: AbortSignal | null,
    work: (ticket: Ticket, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const shared = this.#shareable(key) ?? this.#start(key, work);
    shared.waiting += 1;
    try {
      return await orAborted(shared.result, signal);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.abort();
    }
  }

  #shareable({ requestKey, limits, isFresh }: RequestKey): SharedRequest<Result> | null {
    const shared = this.#newest.get(requestKey);
    if (isFresh || isolatesRequests || shared === undefined) return null;
    if (shared.limits !== limits || shared.waiting === 0) return null;
    return shared.ticket.number > this.#lastForgotten ? shared : null;
  }

  #start(
    { license, requestKey, limits, isFresh }: RequestKey,
    work: (ticket: Ticket, signal: AbortSignal) => Promise<Result>,
  ): SharedRequest<Result> {
    const ticket = this.#ticket(license, isFresh);
    const controller = new AbortController();
    const result = work(ticket, controller.signal).finally(() => this.#end(requestKey, ticket));
    // Nobody waits for it if all callers cancelled.
    result.catch(() => undefined);
    const shared = { ticket, limits, result, abort: () => controller.abort(), waiting: 0 };
    this.#newest.set(requestKey, shared);
    return shared;
  }

  #ticket(license: string, isFresh: boolean): Ticket {
    this.#last += 1;
    const known = this.#byLicense.get(license) ?? { pending: 0, newestFresh: 0 };
    known.pending += 1;
    if (isFresh) known.newestFresh = this.#last;
    this.#byLicense.set(license, known);
    return { number: this.#last, license };
  }

  #end(requestKey: string, { number, license }: Ticket): void {
    if (this.#newest.get(requestKey)?.ticket.number === number) this.#newest.delete(requestKey);
    const known = this.#byLicense.get(license);
    if (known === undefined) return;
    known.pending -= 1;
    if (known.pending === 0) this.#byLicense.delete(license);
  }
}
