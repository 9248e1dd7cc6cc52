import { ipKey } from "../../request-log/keys.ts";
import { isDayGone } from "../../request-log/tables.ts";

/**
 * A part of the log, within one day, that can contain what is looked for. Once it was read, everything between it and
 * the start of the search was.
 */
export interface Span {
  readonly day: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The only times at which it occurs, ascending; null if all rows have to be read. */
  readonly times: readonly number[] | null;
  /** About how many rows that is. */
  readonly rows: number;
}

/** What the log's own index knows: one of these keys, of one kind. */
export interface SpanKey {
  readonly kind: "o" | "l" | "i";
  readonly keys: readonly string[];
}

/** The most selective key of a filter. */
export function keyOf(filter: {
  readonly organizationId: string;
  readonly licenseId?: string | null;
  readonly ips?: readonly string[] | null;
}): SpanKey {
  const { organizationId, licenseId, ips } = filter;
  if (licenseId != null) return { kind: "l", keys: [licenseId] };
  if (ips != null) return { kind: "i", keys: ips.map((ip) => ipKey(organizationId, ip)) };
  return { kind: "o", keys: [organizationId] };
}

export type Order = "newest" | "oldest";

/** From `fromMs`, before `untilMs`. */
export interface TimeRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The first time and at most: what is looked for is often found at once. */
export interface SpanSizes {
  /** How many rows of the part without an index are read together. */
  readonly rows: { readonly first: number; readonly most: number };
  /** In how many segments a key is looked up together. */
  readonly segments: { readonly first: number; readonly most: number };
}

export const spanSizes: SpanSizes = { rows: { first: 500, most: 10_000 }, segments: { first: 4, most: 128 } };

/** By how much they grow. */
export const growth = 4;

/** The tables of a day can be dropped at any moment. */
export async function ofDay<Row>(rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await rows;
  } catch (error) {
    if (isDayGone(error)) return [];
    throw error;
  }
}

/**
 * The numbers, with as many impossible ones as it takes for one of a few lengths: a query with a list of them is then
 * prepared once per length.
 */
export function padded(numbers: readonly number[]): number[] {
  const length = lengths.find((each) => each >= numbers.length) ?? numbers.length;
  return [...numbers, ...Array<number>(length - numbers.length).fill(-1)];
}

const lengths = [1, 4, 16, 64, 128, 256, 512];
