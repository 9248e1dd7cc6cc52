import { type Rate, RateLimit } from "../../rate-limit.ts";

/** Well below client timeouts, and below the idle limit of a connection. */
const heldForMs = 1_000;
const tickMs = 50;
/** A few megabytes. Beyond that, responses are sent immediately after all: they are cheap too. */
const mostHeld = 4_000;
/** People who are rejected should not have to wait to be told. */
const undelayed: Rate = { times: 20, withinSeconds: 1 };

/**
 * Delays rejections while there are many. A client that waits for a response sends nothing, so a flood over n
 * connections becomes n requests a second, whatever it was before.
 */
export class SlowAnswers {
  #held: { readonly dueMs: number; readonly give: () => void }[] = [];
  #isTicking = false;
  readonly #undelayed: RateLimit;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#undelayed = new RateLimit(now);
  }

  give(answer: () => Response): Response | Promise<Response> {
    const isDelayed = this.#undelayed.count("rejections", undelayed) > 0;
    if (!isDelayed || this.#held.length >= mostHeld) return answer();
    const nowMs = this.#now();
    return new Promise((resolve) => {
      this.#held.push({ dueMs: nowMs + heldForMs, give: () => resolve(answer()) });
      this.#tickLater();
    });
  }

  get held(): number {
    return this.#held.length;
  }

  #tickLater(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    setTimeout(() => {
      this.#isTicking = false;
      this.#giveDue();
    }, tickMs);
  }

  #giveDue(): void {
    const nowMs = this.#now();
    const firstNotDue = this.#held.findIndex(({ dueMs }) => dueMs > nowMs);
    const due = this.#held.splice(0, firstNotDue === -1 ? this.#held.length : firstNotDue);
    if (this.#held.length > 0) this.#tickLater();
    for (const { give } of due) give();
  }
}
