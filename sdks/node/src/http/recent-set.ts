/** The values that were added or asked for last, up to a limit. */
export class RecentSet {
  readonly #values = new Set<string>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  add(value: string): void {
    this.#values.delete(value);
    this.#values.add(value);
    if (this.#values.size <= this.#maxEntries) return;
    const [oldest] = this.#values;
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  has(value: string): boolean {
    if (!this.#values.has(value)) return false;
    this.add(value);
    return true;
  }

  delete(value: string): void {
    this.#values.delete(value);
  }
}
