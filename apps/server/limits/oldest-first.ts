interface OldestFirstLimits {
  readonly inAll: number;
  readonly perParty: number;
}

interface Entry {
  readonly party: string;
  readonly cut: () => void;
}

/**
 * Admits everything, and cuts the oldest of a party with too many, or the oldest of the largest party if there are too
 * many in all. Someone who holds many open loses them; someone who needs a moment is never the oldest.
 */
export class OldestFirst {
  readonly #limits: OldestFirstLimits;
  /** The entries of each party, the oldest first. */
  readonly #parties = new Map<string, Set<Entry>>();
  #size = 0;
  #cut = 0;

  constructor(limits: OldestFirstLimits) {
    this.#limits = limits;
  }

  get use() {
    return { inUse: this.#size, limit: this.#limits.inAll, refused: this.#cut };
  }

  /** Returns a function that ends it. `cut` is called instead, at most once, if it must make room. */
  enter(party: string, cut: () => void): () => void {
    const ofParty = this.#parties.get(party);
    if (ofParty !== undefined && ofParty.size >= this.#limits.perParty) this.#cutOldest(ofParty);
    else if (this.#size >= this.#limits.inAll) this.#cutOldest(this.#largest());
    const entry = { party, cut };
    // Its party may have been forgotten with the one that was cut.
    const entries = this.#parties.get(party) ?? new Set();
    this.#parties.set(party, entries.add(entry));
    this.#size += 1;
    return () => this.#end(entry);
  }

  #largest(): Set<Entry> {
    let largest: Set<Entry> = new Set();
    for (const entries of this.#parties.values()) if (entries.size > largest.size) largest = entries;
    return largest;
  }

  #cutOldest(entries: Set<Entry>): void {
    const [oldest] = entries;
    if (oldest === undefined) return;
    this.#cut += 1;
    this.#end(oldest);
    oldest.cut();
  }

  #end(entry: Entry): void {
    const ofParty = this.#parties.get(entry.party);
    if (ofParty === undefined || !ofParty.delete(entry)) return;
    this.#size -= 1;
    if (ofParty.size === 0) this.#parties.delete(entry.party);
  }
}
