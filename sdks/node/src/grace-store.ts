/** Ends a lock. */
export type Release = () => void | Promise<void>;

/** Stores one text per license, for example in a file, so that an app can start offline. */
export interface GraceStore {
  load(name: string): string | null | Promise<string | null>;
  save(name: string, text: string): void | Promise<void>;
  remove(name: string): void | Promise<void>;
  /**
   * Makes other users of the same store wait until it is released. Throws if that takes too long: then nothing is granted
   * and nothing is saved.
   */
  lock?(name: string): Release | Promise<Release>;
  /** The device that entries are bound to, if the client has no `deviceId`. */
  deviceId?(): string | Promise<string>;
}

/** Keeps a limited number of entries. The oldest is evicted. */
export class InMemoryStore implements GraceStore {
  readonly #texts = new Map<string, string>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = Math.max(1, maxEntries);
  }

  load(name: string): string | null {
    return this.#texts.get(name) ?? null;
  }

  save(name: string, text: string): void {
    this.#texts.delete(name);
    this.#texts.set(name, text);
    evictOldest(this.#texts, this.#maxEntries);
  }

  remove(name: string): void {
    this.#texts.delete(name);
  }
}

/** Returns whether an entry was evicted. */
export function evictOldest(entries: Map<string, unknown> | Set<string>, maxEntries: number): boolean {
  const [oldest] = entries.keys();
  return entries.size > maxEntries && oldest !== undefined && entries.delete(oldest);
}
