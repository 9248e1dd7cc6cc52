import { markApiKeysUsed } from "@countersign/store/queries/products/keys";
import type { Store } from "@countersign/store/store";

/** How often the last use of an active key is written, however often it is used. */
const writeAgainAfterMs = 60_000;
const gatherMs = 1_000;
const keysAtOnce = 200;

/** Records when API keys were last used, to the minute. No request waits for it, and no write slows one down. */
export class ApiKeyUse {
  readonly #store: Store;
  readonly #failed: (reason: unknown) => void;
  /** By public ID, when it was last queued here for writing. Only valid keys get here. */
  readonly #notedAtMs = new Map<string, number>();
  #waiting = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(store: Store, failed: (reason: unknown) => void) {
    this.#store = store;
    this.#failed = failed;
  }

  note(publicId: string, nowMs: number): void {
    const before = this.#notedAtMs.get(publicId);
    if (before !== undefined && nowMs - before < writeAgainAfterMs) return;
    this.#notedAtMs.set(publicId, nowMs);
    this.#waiting.add(publicId);
    this.#timer ??= setTimeout(() => void this.#write(), gatherMs);
  }

  /** Writes the rest. */
  async close(): Promise<void> {
    await this.#write();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    // In a fixed order, so that two nodes do not wait for each other.
    const ids = [...this.#waiting].sort();
    this.#waiting = new Set();
    for (let start = 0; start < ids.length; start += keysAtOnce) {
      const batch = ids.slice(start, start + keysAtOnce);
      try {
        const clockMs = await this.#store.clock();
        await this.#store.transaction((db) => markApiKeysUsed(db, batch, clockMs), "soon");
      } catch (error) {
        // The next use of each is written instead.
        for (const id of batch) this.#notedAtMs.delete(id);
        this.#failed(error);
      }
    }
  }
}
