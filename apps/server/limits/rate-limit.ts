export interface Rate {
  readonly times: number;
  readonly withinSeconds: number;
}

interface Window {
  count: number;
  endsAtMs: number;
}

/** Enough for a large flood, and a few megabytes. The oldest are removed first. */
const maxWindows = 50_000;

/** Counts per key in fixed windows that begin with the first count. In memory: a restart resets it. */
export class RateLimit {
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The milliseconds until the key can be counted again; 0 if it can be now. Nothing is counted. */
  waitMs(key: string, { times }: Rate): number {
    const nowMs = this.#now();
    const window = this.#windows.get(key);
    return window === undefined || window.count < times ? 0 : Math.max(0, window.endsAtMs - nowMs);
  }

  /** Counts one and returns 0, or returns the milliseconds until that is possible. */
  count(key: string, { times, withinSeconds }: Rate): number {
    const nowMs = this.#now();
    const window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      this.#windows.delete(key);
      this.#makeRoom(nowMs);
      this.#windows.set(key, { count: 1, endsAtMs: nowMs + withinSeconds * 1_000 });
      return 0;
    }
    if (window.count >= times) return window.endsAtMs - nowMs;
    window.count += 1;
    return 0;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Many at once, so that it is rarely necessary. */
  #makeRoom(nowMs: number): void {
    if (this.#windows.size < maxWindows) return;
    for (const [key, window] of this.#windows) {
      if (window.endsAtMs <= nowMs) this.#windows.delete(key);
    }
    for (const key of this.#windows.keys()) {
      if (this.#windows.size < 0.9 * maxWindows) return;
      this.#windows.delete(key);
    }
  }
}
