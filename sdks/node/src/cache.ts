/** Caches a limited number of values, each for its own time by a monotonic clock. The oldest is evicted. */
export class Cache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();
  readonly #maxEntries: number;
  readonly #steadyMs: () => number;

  constructor(maxEntries: number, steadyMs: () => number) {
    this.#maxEntries = maxEntries;
    this.#steadyMs = steadyMs;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.untilMs > this.#steadyMs()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, forMs: number): void {
    this.#entries.delete(key);
    if (forMs <= 0 || this.#maxEntries <= 0) return;
    this.#entries.set(key, { value, untilMs: this.#steadyMs() + forMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
