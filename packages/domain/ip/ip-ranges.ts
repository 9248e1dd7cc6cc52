/**
 * CIDRs flattened into non-overlapping ranges, each with the time until which any CIDR covers it. A lookup is then one
 * binary search, however many prefix lengths are in use. An address is `width` 32-bit words.
 */
export class IpRanges {
  static of(networks: Iterable<LastingNetwork>, width: 1 | 4): IpRanges {
    const bounds = flatten(networks, width);
    const starts = new Uint32Array(bounds.length * width);
    const untilMs = new Float64Array(bounds.length);
    bounds.forEach((bound, index) => {
      starts.set(bound.start, index * width);
      untilMs[index] = bound.untilMs;
    });
    return new IpRanges(starts, untilMs, width);
  }

  readonly #starts: Uint32Array;
  readonly #untilMs: Float64Array;
  readonly #width: 1 | 4;

  private constructor(starts: Uint32Array, untilMs: Float64Array, width: 1 | 4) {
    this.#starts = starts;
    this.#untilMs = untilMs;
    this.#width = width;
  }

  untilMs(address: Uint8Array): number {
    if (this.#untilMs.length === 0) return never;
    const after = this.#width === 1 ? this.#afterIpv4(address) : this.#afterIpv6(address);
    return after === 0 ? never : (this.#untilMs[after - 1] ?? never);
  }

  #afterIpv4(address: Uint8Array): number {
    const starts = this.#starts;
    const target = word(address, 0);
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= target) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #afterIpv6(address: Uint8Array): number {
    const starts = this.#starts;
    const first = word(address, 0);
    let low = 0;
    let high = this.#untilMs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      let difference = (starts[middle * 4] ?? 0) - first;
      for (let index = 1; difference === 0 && index < 4; index++) {
        difference = (starts[middle * 4 + index] ?? 0) - word(address, index);
      }
      if (difference <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface LastingNetwork {
  readonly cidr: { readonly bytes: Uint8Array; readonly prefixLength: number };
  readonly untilMs: number;
}

type Words = readonly number[];

interface Bound {
  readonly start: Words;
  readonly untilMs: number;
}

/** Null: the network includes the last possible address. */
interface OpenNetwork {
  readonly end: Words | null;
  readonly untilMs: number;
}

const never = Number.NEGATIVE_INFINITY;

/** Two CIDRs are nested or disjoint, never overlapping, so the networks open at an address form a stack. */
function flatten(networks: Iterable<LastingNetwork>, width: 1 | 4): Bound[] {
  const sorted = Array.from(networks, ({ cidr, untilMs }) => ({
    start: Array.from({ length: width }, (_, index) => word(cidr.bytes, index)),
    prefixLength: cidr.prefixLength,
    untilMs,
  })).sort((a, b) => compareWords(a.start, b.start) || a.prefixLength - b.prefixLength);

  const bounds: Bound[] = [];
  const open: OpenNetwork[] = [];
  const enclosingUntilMs = () => open.at(-1)?.untilMs ?? never;
  const mark = (start: Words) => {
    const last = bounds.at(-1);
    if (last !== undefined && compareWords(last.start, start) === 0) bounds.pop();
    bounds.push({ start, untilMs: enclosingUntilMs() });
  };
  const closeUpTo = (start: Words | null) => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      if (start !== null && (top.end === null || compareWords(top.end, start) > 0)) return;
      open.pop();
      if (top.end !== null) mark(top.end);
    }
  };

  for (const { start, prefixLength, untilMs } of sorted) {
    closeUpTo(start);
    open.push({ end: endOf(start, prefixLength), untilMs: Math.max(untilMs, enclosingUntilMs()) });
    mark(start);
  }
  closeUpTo(null);
  return bounds;
}

/** The first address after the network, or null if there is none. */
function endOf(start: Words, prefixLength: number): Words | null {
  if (prefixLength === 0) return null;
  const end = [...start];
  let index = (prefixLength - 1) >>> 5;
  let step = 2 ** (31 - ((prefixLength - 1) & 31));
  for (; index >= 0; index--, step = 1) {
    const sum = (end[index] ?? 0) + step;
    end[index] = sum >>> 0;
    if (sum < 2 ** 32) return end;
  }
  return null;
}

function compareWords(a: Words, b: Words): number {
  for (let index = 0; index < a.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function word(bytes: Uint8Array, index: number): number {
  const at = index * 4;
  return (
    (((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0)) >>>
    0
  );
}
