const everyMs = 200;
const width = 30;

/** A progress bar on the terminal; prints nothing if there is no terminal. */
export class Progress {
  #shownMs = 0;
  #isShown = false;

  /** `done` is from 0 to 1. */
  show(done: number, words: string): void {
    const nowMs = performance.now();
    if (!process.stderr.isTTY || nowMs - this.#shownMs < everyMs) return;
    this.#shownMs = nowMs;
    this.#isShown = true;
    const filled = Math.round(Math.min(1, done) * width);
    const bar = "█".repeat(filled) + "░".repeat(width - filled);
    process.stderr.write(`\r${bar} ${String(Math.round(done * 100)).padStart(3)} %  ${words}\u001b[K`);
  }

  /** Shows a running count, for when the total is not known. */
  count(words: string): void {
    const nowMs = performance.now();
    if (!process.stderr.isTTY || nowMs - this.#shownMs < everyMs) return;
    this.#shownMs = nowMs;
    this.#isShown = true;
    process.stderr.write(`\r${words}\u001b[K`);
  }

  end(): void {
    if (this.#isShown) process.stderr.write("\r\u001b[K");
  }
}
