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
      this.#addHash(fourDigits(text, at) * 0x1000000 + fourDigits(text, at + 4));
    }
  }

  get size(): number {
    return this.#hashes !== null ? this.#hashes.size : estimate(this.#ranks as Uint8Array);
  }

  /** ASCII: the hashes, 8 characters each, or a mark and one character for each register. */
  toText(): string {
    if (this.#hashes !== null) return hashesText(Float64Array.from(this.#hashes).sort());
    const codes = new Uint8Array(registers);
    const ranks = this.#ranks as Uint8Array;
    for (let at = 0; at < registers; at++) codes[at] = digitCodes[ranks[at] as number] as number;
    return `${ranksMark}${ascii.decode(codes)}`;
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
const digitCodes = Uint8Array.from(digits, (digit) => digit.charCodeAt(0));
const digitValues = new Uint8Array(128);
for (let at = 0; at < digits.length; at++) digitValues[digits.charCodeAt(at)] = at;
const ascii = new TextDecoder();

function digitOf(text: string, at: number): number {
  return digitValues[text.charCodeAt(at)] as number;
}

function fourDigits(text: string, at: number): number {
  return (
    (digitOf(text, at) << 18) |
    (digitOf(text, at + 1) << 12) |
    (digitOf(text, at + 2) << 6) |
    digitOf(text, at + 3)
  );
}

function hashesText(hashes: Float64Array): string {
  const codes = new Uint8Array(hashes.length * hashDigits);
  let at = 0;
  for (const hash of hashes) {
    const high = Math.floor(hash / 0x1000000);
    const low = hash % 0x1000000;
    for (let shift = 18; shift >= 0; shift -= 6) codes[at++] = digitCodes[(high >>> shift) & 63] as number;
    for (let shift = 18; shift >= 0; shift -= 6) codes[at++] = digitCodes[(low >>> shift) & 63] as number;
  }
  return ascii.decode(codes);
}

/** The first bits choose a register, which keeps the most leading zeros of the others, plus one. */
function addRank(ranks: Uint8Array, hash: number): void {
  // As two numbers of 32 and 16 bits, because bitwise operations are exact up to 32.
  const high = Math.floor(hash / 0x10000);
  const index = high >>> (32 - indexBits);
  const highRest = high & (2 ** (32 - indexBits) - 1);
  const rank =
    highRest !== 0
      ? Math.clz32(highRest) - indexBits + 1
      : Math.clz32(hash & 0xffff) - 16 + (32 - indexBits) + 1;
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

/**
 * A number of 48 bits that depends on every character of a text. Stored sketches consist of such numbers, so it must
 * never change. It is no protection against texts that were chosen to collide.
 */
export function hash48(text: string): number {
  let high = 0x9e3779b1;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
  }
  const first = mixed(high ^ (low >>> 13));
  const second = mixed(low ^ first);
  return mixed(first ^ (second >>> 7)) * 0x10000 + (second & 0xffff);
}

/** Spreads each bit over the whole number. */
function mixed(value: number): number {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x21f0aaad);
  bits ^= bits >>> 15;
  bits = Math.imul(bits, 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
