import { type Rate, RateLimit } from "./rate-limit.ts";

const rejections = new WeakSet<Response>();

/** Marks a response that can be delayed, because a client that is rejected should not try again at once. */
export function asRejection(response: Response): Response {
  rejections.add(response);
  return response;
}

export function isRejection(response: Response): boolean {
  return rejections.has(response);
}

/** Well below client timeouts, and below the idle limit of a connection. */
const delayMs = 1_000;
const tickMs = 50;
/** A few megabytes. Beyond that, responses are sent immediately after all: they are cheap too. */
const maxDelayed = 4_000;
/** People who are rejected should not have to wait to be told. */
const undelayed: Rate = { times: 20, withinSeconds: 1 };

/**
 * Delays rejections while there are many. A client that waits for a response sends nothing, so a flood over n
 * connections becomes n requests a second, whatever it was before.
 */
export class Tarpit {
  #delayed: { readonly dueMs: number; readonly delay: () => void }[] = [];
  #isTicking = false;
  #sentAtOnce = 0;
  readonly #undelayed: RateLimit;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#undelayed = new RateLimit(now);
  }

  delay(answer: () => Response): Response | Promise<Response> {
    const isDelayed = this.#undelayed.count("rejections", undelayed) > 0;
    if (!isDelayed) return answer();
    if (this.#delayed.length >= maxDelayed) {
      this.#sentAtOnce += 1;
      return answer();
    }
    const nowMs = this.#now();
    return new Promise((resolve) => {
      this.#delayed.push({ dueMs: nowMs + delayMs, delay: () => resolve(answer()) });
      this.#tickLater();
    });
  }

  /** Those for which there was no room were sent at once. */
  get use() {
    return { inUse: this.#delayed.length, limit: maxDelayed, refused: this.#sentAtOnce };
  }

  #tickLater(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    setTimeout(() => {
      this.#isTicking = false;
      this.#sendDue();
    }, tickMs);
  }

  #sendDue(): void {
    const nowMs = this.#now();
    const firstNotDue = this.#delayed.findIndex(({ dueMs }) => dueMs > nowMs);
    const due = this.#delayed.splice(0, firstNotDue === -1 ? this.#delayed.length : firstNotDue);
    if (this.#delayed.length > 0) this.#tickLater();
    for (const { delay } of due) delay();
  }
}
