/** Well below what a client waits, and below the time after which a quiet connection is closed. */
const heldForMs = 1_000;
const tickMs = 50;
/** Some megabytes. Beyond that, answers are given at once after all: they are cheap, too. */
const mostHeld = 4_000;
/** People who were refused should not have to wait to be told. */
const atOnceASecond = 20;

/**
 * Refusals, given late while there are many. Whoever waits for an answer sends nothing meanwhile, so a flood from so
 * many connections becomes that many requests a second, whatever it was before.
 */
export class SlowAnswers {
  #held: { readonly dueMs: number; readonly give: () => void }[] = [];
  #isTicking = false;
  #secondEndsAtMs = 0;
  #givenAtOnce = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  give(answer: () => Response): Response | Promise<Response> {
    const nowMs = this.#now();
    if (nowMs >= this.#secondEndsAtMs) {
      this.#secondEndsAtMs = nowMs + 1_000;
      this.#givenAtOnce = 0;
    }
    this.#givenAtOnce += 1;
    if (this.#givenAtOnce <= atOnceASecond || this.#held.length >= mostHeld) return answer();
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
