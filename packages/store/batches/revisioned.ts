/**
 * Values derived from many rows (a block list as a set, version records as a catalog), each stored with the revision it
 * was derived from. Every batch reads the revision inside its own transaction and gets the value only if it matches, so
 * this is never out of date: it saves the derivation, not the query.
 */
export class Revisioned<T> {
  readonly #values = new Map<string, { revision: number; value: T }>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(scope: string, revision: number): T | undefined {
    const entry = this.#values.get(scope);
    return entry !== undefined && entry.revision === revision ? entry.value : undefined;
  }

  set(scope: string, revision: number, value: T): T {
    this.#values.delete(scope);
    this.#values.set(scope, { revision, value });
    if (this.#values.size > this.#capacity) {
      const oldest = this.#values.keys().next();
      if (!oldest.done) this.#values.delete(oldest.value);
    }
    return value;
  }
}

/** Caches the results of a pure function, the last `capacity` of them. */
export function memoize<T>(capacity: number, compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (results.size >= capacity) results.clear();
    results.set(text, result);
    return result;
  };
}
