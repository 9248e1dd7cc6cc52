/** A request, numbered in the order in which requests were started. */
export interface Ticket {
  readonly number: number;
  readonly license: string;
}

/** A request that several callers can wait for. */
export interface SharedRequest<Result> {
  readonly ticket: Ticket;
  readonly result: Promise<Result>;
  /** Ends the request. Called when no caller waits for it any more. */
  readonly abort: () => void;
  /** Only calls with the same limits share a request. */
  readonly limits: string;
  waiting: number;
}

interface LicenseRequests {
  pending: number;
  /** The number of the newest request that a fresh call sent. */
  newestFresh: number;
}

/**
 * The requests that have no response yet. It decides which of them a call can join, and which responses still count:
 * after `fresh` or `forget`, an earlier one leaves no trace.
 */
export class PendingRequests<Result> {
  #last = 0;
  #lastForgotten = 0;
  readonly #byLicense = new Map<string, LicenseRequests>();
  readonly #newest = new Map<string, SharedRequest<Result>>();

  /** Requests from before this are no longer joined, and their responses no longer count. */
  forget(): void {
    this.#lastForgotten = this.#last;
  }

  /** The request that a call for the same key, version and device can wait for. */
  joinable(requestKey: string, limits: string): SharedRequest<Result> | null {
    const shared = this.#newest.get(requestKey);
    if (shared === undefined || shared.limits !== limits || shared.waiting === 0) return null;
    return shared.ticket.number > this.#lastForgotten ? shared : null;
  }

  start(license: string, isFresh: boolean): Ticket {
    this.#last += 1;
    const known = this.#byLicense.get(license) ?? { pending: 0, newestFresh: 0 };
    known.pending += 1;
    if (isFresh) known.newestFresh = this.#last;
    this.#byLicense.set(license, known);
    return { number: this.#last, license };
  }

  share(requestKey: string, shared: SharedRequest<Result>): void {
    this.#newest.set(requestKey, shared);
  }

  /** Whether neither `forget` nor a fresh call for the license was started after this request. */
  isCurrent({ number, license }: Ticket): boolean {
    return number > this.#lastForgotten && number >= (this.#byLicense.get(license)?.newestFresh ?? 0);
  }

  end(requestKey: string, { number, license }: Ticket): void {
    if (this.#newest.get(requestKey)?.ticket.number === number) this.#newest.delete(requestKey);
    const known = this.#byLicense.get(license);
    if (known === undefined) return;
    known.pending -= 1;
    if (known.pending === 0) this.#byLicense.delete(license);
  }
}
