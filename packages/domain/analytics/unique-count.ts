import { hash48 } from "./hash.ts";

/** Up to so many different texts are counted exactly. */
export const exactUniques = 256;

const indexBits = 11;
const registers = 2 ** indexBits;
/** What is left of a hash for the rank. */
const rankBits = 48 - indexBits;

/** The standard error of an estimate, as a fraction. */
export const uniqueError = 1.04 / Math.sqrt(registers);

/**
 * Counts different texts: exactly while there are few, then by HyperLogLog. Which of the two, and the result, depends
 * only on the set of texts: not on their order, nor on how often or by which merges they were added.
 */
export class UniqueCount {
  #hashes: Set<number> | null = new Set();
  #ranks: Uint8Array | null = null;

  static of(texts: Iterable<string>): UniqueCount {
    const count = new UniqueCount();
    for (const text of texts) count.add(text);
    return count;
  }

  /** Reads what `toText` wrote. */
  static parse(text: string): UniqueCount {
    const count = new UniqueCount();
    count.mergeText(text);
    return count;
  }

  add(text: string): void {
    this.#addHash(hash48(text));
  }

  merge(other: UniqueCount): void {
    if (other.#hashes !== null) {
      for (const hash of other.#hashes) this.#addHash(hash);
      return;
    }
    const ranks = this.#asRanks();
    const theirs = other.#ranks as Uint8Array;
    for (let at = 0; at < registers; at++) {
      const rank = theirs[at] as number;
      if (rank > (ranks[at] as number)) ranks[at] = rank;
    }
  }

  /** Merges what `toText` wrote, without creating anything. */
  mergeText(text: string): void {
    if (text.startsWith(ranksMark)) {
      if (text.length !== registers + 1) throw new RangeError("A stored count has the wrong length.");
      const ranks = this.#asRanks();
      for (let at = 0; at < registers; at++) {
        const rank = digitOf(text, at + 1);
        if (rank > (ranks[at] as number)) ranks[at] = rank;
      }
      return;
    }
    for (let at = 0; at + hashDigits <= text.length; at += hashDigits) {
      let hash = 0;
      for (let digit = 0; digit < hashDigits; digit++) hash = hash * 64 + digitOf(text, at + digit);
      this.#addHash(hash);
    }
  }

  get size(): number {
    return this.#hashes !== null ? this.#hashes.size : estimate(this.#ranks as Uint8Array);
  }

  /** ASCII: the hashes, 8 characters each, or a mark and one character for each register. */
  toText(): string {
    if (this.#hashes !== null)
      return [...this.#hashes]
        .sort((a, b) => a - b)
        .map(hashText)
        .join("");
    let text = ranksMark;
    for (const rank of this.#ranks as Uint8Array) text += digits[rank];
    return text;
  }

  #addHash(hash: number): void {
    const hashes = this.#hashes;
    if (hashes === null) {
      addRank(this.#ranks as Uint8Array, hash);
      return;
    }
    hashes.add(hash);
    if (hashes.size > exactUniques) this.#asRanks();
  }

  #asRanks(): Uint8Array {
    const known = this.#ranks;
    if (known !== null) return known;
    const ranks = new Uint8Array(registers);
    for (const hash of this.#hashes ?? []) addRank(ranks, hash);
    this.#hashes = null;
    this.#ranks = ranks;
    return ranks;
  }
}

const hashDigits = 8;
const ranksMark = "~";
/** In the order of their codes. */
const digits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const digitValues = new Uint8Array(128);
for (let at = 0; at < digits.length; at++) digitValues[digits.charCodeAt(at)] = at;

function digitOf(text: string, at: number): number {
  return digitValues[text.charCodeAt(at)] as number;
}

function hashText(hash: number): string {
  let text = "";
  for (let rest = hash, digit = 0; digit < hashDigits; digit++) {
    text = `${digits[rest % 64]}${text}`;
    rest = Math.floor(rest / 64);
  }
  return text;
}

/** The first bits choose a register, which keeps the most leading zeros of the others, plus one. */
function addRank(ranks: Uint8Array, hash: number): void {
  const index = Math.floor(hash / 2 ** rankBits);
  const rest = hash % 2 ** rankBits;
  const rank = rest === 0 ? rankBits + 1 : rankBits - Math.floor(Math.log2(rest));
  if (rank > (ranks[index] as number)) ranks[index] = rank;
}

/**
 * Otmar Ertl's estimator ("New cardinality estimation algorithms for HyperLogLog sketches", 2017), which needs no
 * correction for small or medium numbers.
 */
function estimate(ranks: Uint8Array): number {
  const histogram = new Array<number>(rankBits + 2).fill(0);
  for (const rank of ranks) histogram[rank] = (histogram[rank] as number) + 1;
  const share = (rank: number) => (histogram[rank] as number) / registers;
  let sum = registers * tau(1 - share(rankBits + 1));
  for (let rank = rankBits; rank >= 1; rank--) sum = 0.5 * (sum + (histogram[rank] as number));
  sum += registers * sigma(share(0));
  return Math.round(registers ** 2 / (2 * Math.LN2) / sum);
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let power = share;
  let factor = 1;
  let sum = share;
  for (let before = -1; before !== sum; ) {
    before = sum;
    power *= power;
    sum += power * factor;
    factor *= 2;
  }
  return sum;
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let root = share;
  let factor = 1;
  let sum = 1 - share;
  for (let before = -1; before !== sum; ) {
    before = sum;
    root = Math.sqrt(root);
    factor *= 0.5;
    sum -= (1 - root) ** 2 * factor;
  }
  return sum / 3;
}
