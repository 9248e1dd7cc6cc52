/** How many entries wait to be written, and for how long the oldest has waited. Entries are written in order. */
export class Unwritten {
  readonly #lists: { count: number; readonly sinceMs: number }[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Since when the oldest has waited; null if none waits. */
  get oldestMs(): number | null {
    return this.#lists[0]?.sinceMs ?? null;
  }

  add(count: number, sinceMs: number): void {
    this.#lists.push({ count, sinceMs });
    this.#count += count;
  }

  written(count: number): void {
    this.#count -= count;
    for (let left = count; left > 0; ) {
      const first = this.#lists[0];
      if (first === undefined) return;
      const taken = Math.min(left, first.count);
      first.count -= taken;
      left -= taken;
      if (first.count === 0) this.#lists.shift();
    }
  }

  clear(): void {
    this.#lists.length = 0;
    this.#count = 0;
  }
}
