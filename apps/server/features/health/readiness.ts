import { StorageUnavailable } from "@countersign/store/errors/problem";

/** How often the database is probed when nobody asks. */
const idleEveryMs = 5_000;
/** How often at most while someone asks or requests fail. */
const minIntervalMs = 1_000;
const probeTimeoutMs = 3_000;
/** A batch that was just decided says more than any probe. */
const batchCountsMs = 2_000;
/** How long a failure that only a real batch encounters, such as a full disk, makes the node not ready. */
const failureCountsMs = 5_000;

interface ReadinessParts {
  /**
   * Does what a validation does, harmlessly; rejects if that fails. After a full disk it has to show that there is
   * space.
   */
  readonly probe: (needsSpace: boolean) => Promise<void>;
  readonly changed?: (isReady: boolean, problem: unknown) => void;
  readonly now?: () => number;
}

/**
 * Whether this node should get requests: validations can be answered, and the server is not shutting down. It is
 * monitored in the background, one probe at a time, and served from memory: polling costs the database nothing.
 */
export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #now: () => number;
  readonly #timer: ReturnType<typeof setInterval>;
  #isProbing = false;
  #probedMs = Number.NEGATIVE_INFINITY;
  #probeSucceeded = false;
  #batchDoneMs = Number.NEGATIVE_INFINITY;
  #batchFailedMs = Number.NEGATIVE_INFINITY;
  /** A batch hit a full disk, and nothing has shown since that there is space again. */
  #isFull = false;
  #problem: unknown = null;
  readonly #observed = Promise.withResolvers<void>();
  #isDraining = false;
  #wasReady: boolean | null = null;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#timer = setInterval(() => this.#probeSoon(), idleEveryMs);
    this.#timer.unref();
    this.#probeSoon();
  }

  drain(): void {
    this.#isDraining = true;
    clearInterval(this.#timer);
  }

  /** Resolves when the first probe has ended, successfully or not. */
  get observed(): Promise<void> {
    return this.#observed.promise;
  }

  get isReady(): boolean {
    this.#probeSoon();
    return !this.#isDraining && this.#canAnswer();
  }

  batchDone(): void {
    this.#batchDoneMs = this.#now();
    this.#batchFailedMs = Number.NEGATIVE_INFINITY;
    this.#isFull = false;
  }

  /** A lock or a slow statement may concern only one license: then the probe decides. */
  batchFailed(cause: unknown): void {
    this.#batchDoneMs = Number.NEGATIVE_INFINITY;
    if (cause instanceof StorageUnavailable && (cause.reason === "full" || cause.reason === "read_only")) {
      this.#batchFailedMs = this.#now();
      this.#isFull ||= cause.reason === "full";
      this.#problem = cause;
      this.#notice();
    }
    this.#probeSoon();
  }

  #canAnswer(): boolean {
    const nowMs = this.#now();
    if (this.#isFull || nowMs - this.#batchFailedMs < failureCountsMs) return false;
    return this.#probeSucceeded || nowMs - this.#batchDoneMs < batchCountsMs;
  }

  #probeSoon(): void {
    if (this.#isProbing || this.#isDraining || this.#now() - this.#probedMs < minIntervalMs) return;
    this.#isProbing = true;
    this.#probedMs = this.#now();
    void this.#probe().finally(() => {
      this.#isProbing = false;
    });
  }

  async #probe(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("The database did not respond in time.")), probeTimeoutMs);
    });
    const { isFull, failedMs } = { isFull: this.#isFull, failedMs: this.#batchFailedMs };
    try {
      await Promise.race([this.#parts.probe(isFull), tooLate]);
      this.#probeSucceeded = true;
      // A batch that failed in the meantime is more recent.
      if (isFull && failedMs === this.#batchFailedMs) this.#isFull = false;
    } catch (problem) {
      this.#probeSucceeded = false;
      this.#problem = problem;
    } finally {
      clearTimeout(timer);
    }
    this.#notice();
    this.#observed.resolve();
  }

  #notice(): void {
    const isReady = this.#canAnswer();
    if (isReady === this.#wasReady) return;
    const isFirst = this.#wasReady === null;
    this.#wasReady = isReady;
    if (!(isFirst && isReady)) this.#parts.changed?.(isReady, this.#problem);
  }
}
