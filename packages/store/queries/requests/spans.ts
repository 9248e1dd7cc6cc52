import { existingDays, isDayGone } from "../../request-log/days.ts";
import { ipKey, keyColumn, timesOfKey } from "../../request-log/keys.ts";
import { dayOf, keysOf, logOf, startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestSegmentRow } from "../../tables.ts";
import { padded } from "./padded.ts";

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

const growth = 4;

/**
 * The parts of the log in which a key occurs within a time range, in order. Newer rows are not indexed yet: these parts
 * come with all of their rows. A row that is written meanwhile may be missed, and none comes twice.
 */
export async function* spans(
  db: Database,
  key: SpanKey,
  range: TimeRange,
  order: Order,
  sizes = spanSizes,
): AsyncGenerator<Span> {
  const state = await db.selectFrom("request_log_state").select("closed_until").executeTakeFirst();
  const closedUntil = state?.closed_until ?? 0;
  const closed = { fromMs: range.fromMs, untilMs: Math.min(range.untilMs, closedUntil) };
  const open = { fromMs: Math.max(range.fromMs, closedUntil), untilMs: range.untilMs };
  if (order === "oldest") yield* closedSpans(db, key, closed, order, sizes);
  yield* openSpans(db, open, order, sizes);
  if (order === "newest") yield* closedSpans(db, key, closed, order, sizes);
}

/** The part that has no index yet. */
async function* openSpans(
  db: Database,
  range: TimeRange,
  order: Order,
  sizes: SpanSizes,
): AsyncGenerator<Span> {
  if (range.fromMs >= range.untilMs) return;
  let rows = sizes.rows.first;
  const days = await existingDays(db);
  const meant = days.filter((day) => startOfDay(day + 1) > range.fromMs && startOfDay(day) < range.untilMs);
  for (const day of order === "newest" ? meant : meant.reverse()) {
    let fromMs = Math.max(range.fromMs, startOfDay(day));
    let untilMs = Math.min(range.untilMs, startOfDay(day + 1));
    while (fromMs < untilMs) {
      const cut = await cutOf(db, day, { fromMs, untilMs }, order, rows);
      if (order === "newest") {
        // All rows of a millisecond are in the same part.
        const start = cut ?? fromMs;
        yield { day, fromMs: start, untilMs, times: null, rows };
        untilMs = start;
      } else {
        const end = cut === null ? untilMs : cut + 1;
        yield { day, fromMs, untilMs: end, times: null, rows };
        fromMs = end;
      }
      rows = Math.min(rows * growth, sizes.rows.most);
    }
  }
}

/** The time of the row after so many; null if there are fewer. */
async function cutOf(
  db: Database,
  day: number,
  { fromMs, untilMs }: TimeRange,
  order: Order,
  rows: number,
): Promise<number | null> {
  const found = await ofDay(
    db
      .selectFrom(logOf(day))
      .select("at")
      .where("at", ">=", fromMs)
      .where("at", "<", untilMs)
      .orderBy("at", order === "newest" ? "desc" : "asc")
      .limit(1)
      .offset(rows)
      .execute(),
  );
  return found[0]?.at ?? null;
}

/** How many segments are listed together. */
const segmentsListed = 256;

async function* closedSpans(
  db: Database,
  key: SpanKey,
  { fromMs, untilMs }: TimeRange,
  order: Order,
  sizes: SpanSizes,
): AsyncGenerator<Span> {
  let range = { fromMs, untilMs };
  let together = sizes.segments.first;
  while (range.fromMs < range.untilMs) {
    const segments = await segmentsIn(db, range, order);
    for (let start = 0; start < segments.length; ) {
      const batch = sameDay(segments, start, together);
      yield* spansOf(db, key, batch, { fromMs, untilMs });
      start += batch.length;
      together = Math.min(together * growth, sizes.segments.most);
    }
    const last = segments.at(-1);
    if (last === undefined || segments.length < segmentsListed) return;
    range = order === "newest" ? { ...range, untilMs: last.from_at } : { ...range, fromMs: last.until_at };
  }
}

type Segment = Pick<RequestSegmentRow, "from_at" | "until_at" | "rows">;

function segmentsIn(db: Database, { fromMs, untilMs }: TimeRange, order: Order): Promise<Segment[]> {
  // Segments are within a day, so the first one that can overlap is found by its start.
  return db
    .selectFrom("request_segments")
    .select(["from_at", "until_at", "rows"])
    .where("from_at", ">=", startOfDay(dayOf(fromMs)))
    .where("from_at", "<", untilMs)
    .where("until_at", ">", fromMs)
    .orderBy("from_at", order === "newest" ? "desc" : "asc")
    .limit(segmentsListed)
    .execute();
}

/** The next segments, at most so many, that are of one day. */
function sameDay(segments: readonly Segment[], start: number, most: number): readonly Segment[] {
  const day = dayOf(segments[start]?.from_at ?? 0);
  const batch = segments.slice(start, start + most);
  const end = batch.findIndex(({ from_at }) => dayOf(from_at) !== day);
  return end === -1 ? batch : batch.slice(0, end);
}

/**
 * Those of some segments of one day, in their order. Segments in which the times are known become one, even if there are
 * no times, to tell how far the search came.
 */
async function* spansOf(
  db: Database,
  { kind, keys }: SpanKey,
  segments: readonly Segment[],
  range: TimeRange,
): AsyncGenerator<Span> {
  const day = dayOf(segments[0]?.from_at ?? 0);
  const found = await ofDay(
    db
      .selectFrom(keysOf(day))
      .select(["from_at", "key", "ats"])
      .where("from_at", "in", padded(segments.map(({ from_at }) => from_at)))
      .where("kind", "=", kind)
      .where(
        "key",
        "in",
        keys.map((key) => keyColumn(kind, key)),
      )
      .execute(),
  );
  const entries = Map.groupBy(found, ({ from_at }) => from_at);
  let joined: Span | null = null;
  for (const { from_at: fromAt, until_at: untilAt, rows } of segments) {
    const fromMs = Math.max(fromAt, range.fromMs);
    const untilMs = Math.min(untilAt, range.untilMs);
    const own = entries.get(fromAt) ?? [];
    const occurrences = keys.flatMap((key) => {
      const entry = own.find((one) => one.key === keyColumn(kind, key));
      const times = entry === undefined ? undefined : timesOfKey(entry, kind, key);
      return times === undefined ? [] : [times];
    });
    const times = timesWithin(fromAt, occurrences, { fromMs, untilMs });
    if (times !== null) joined = join(joined, { day, fromMs, untilMs, times, rows: times.length });
    if (joined !== null && (times === null || joined.rows >= mostJoined)) {
      yield joined;
      joined = null;
    }
    if (times === null) yield { day, fromMs, untilMs, times, rows };
  }
  if (joined !== null) yield joined;
}

/** With so many times, a part is given: a search looks at the clock after each. */
const mostJoined = 1_000;

/** Two neighbours with times as one. */
function join(one: Span | null, other: Span): Span {
  if (one === null) return other;
  const times =
    one.fromMs < other.fromMs
      ? [...(one.times ?? []), ...(other.times ?? [])]
      : [...(other.times ?? []), ...(one.times ?? [])];
  return {
    day: one.day,
    fromMs: Math.min(one.fromMs, other.fromMs),
    untilMs: Math.max(one.untilMs, other.untilMs),
    times,
    rows: times.length,
  };
}

function timesWithin(
  fromAt: number,
  occurrences: readonly (readonly number[] | null)[],
  { fromMs, untilMs }: TimeRange,
): number[] | null {
  const times = new Set<number>();
  for (const some of occurrences) {
    if (some === null) return null;
    for (const time of some) {
      const at = fromAt + time;
      if (at >= fromMs && at < untilMs) times.add(at);
    }
  }
  return [...times].sort((one, other) => one - other);
}

/** The tables of a day can be dropped at any moment. */
export async function ofDay<Row>(rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await rows;
  } catch (error) {
    if (isDayGone(error)) return [];
    throw error;
  }
}
