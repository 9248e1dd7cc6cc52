import { keyColumn, keyMark, timesOfKey } from "../../request-log/keys.ts";
import { dayOf, existingDays, keysOf, logOf, startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestKeyRow, RequestSegmentRow } from "../../tables/journal.ts";
import {
  growth,
  type Order,
  ofDay,
  type Span,
  type SpanKey,
  type SpanSizes,
  spanSizes,
  type TimeRange,
} from "./span.ts";

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

/** How many segments are listed together. */
const segmentsListed = 256;

/** The parts in which a key occurs, among those that have an index. */
async function* closedSpans(
  db: Database,
  key: SpanKey,
  { fromMs, untilMs }: TimeRange,
  order: Order,
  sizes: SpanSizes,
): AsyncGenerator<Span> {
  let range = { fromMs, untilMs };
  const columns = Map.groupBy(key.keys, (each) => keyColumn(key.kind, each));
  // Each segment has a row for each of these, and a query returns about as many rows as for one key.
  const most = Math.max(1, Math.floor(sizes.segments.most / columns.size));
  let together = Math.min(sizes.segments.first, most);
  while (range.fromMs < range.untilMs) {
    const segments = await segmentsIn(db, range, order);
    const batches: (readonly Segment[])[] = [];
    for (let start = 0; start < segments.length; ) {
      const batch = sameDay(segments, start, together);
      batches.push(batch);
      start += batch.length;
      together = Math.min(together * growth, most);
    }
    const sought = { ...key, columns };
    const keysOfBatches = lookUps(db, sought, batches);
    for (const batch of batches)
      yield* spansOf(sought, batch, await keysOfBatches.next(), { fromMs, untilMs });
    const last = segments.at(-1);
    if (last === undefined || segments.length < segmentsListed) return;
    range = order === "newest" ? { ...range, untilMs: last.from_at } : { ...range, fromMs: last.until_at };
  }
}

type Segment = Pick<RequestSegmentRow, "from_at" | "until_at" | "rows">;

/** With the keys by the column that has them. */
interface SoughtKeys extends SpanKey {
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

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

/** How many look-ups are under way while rows are read, once the first ones did not find enough. */
const ahead = 2;

/** The keys of each batch, in their order. */
function lookUps(
  db: Database,
  key: SoughtKeys,
  batches: readonly (readonly Segment[])[],
): { readonly next: () => Promise<FoundKey[]> } {
  const started: Promise<FoundKey[]>[] = [];
  let taken = 0;
  return {
    next: () => {
      const wanted = taken < 2 ? taken + 1 : taken + 1 + ahead;
      for (const batch of batches.slice(started.length, wanted)) {
        const lookup = lookUp(db, key, batch);
        // One that is no longer needed can fail unnoticed.
        lookup.catch(() => undefined);
        started.push(lookup);
      }
      taken += 1;
      return started[taken - 1] ?? Promise.resolve([]);
    },
  };
}

type FoundKey = Pick<RequestKeyRow, "from_at" | "key" | "ats">;

/**
 * One range per column, of neighbouring segments. Segments without the license or IP address stay in the database, unless
 * there are so many that most rows have one of them.
 */
function lookUp(
  db: Database,
  { kind, keys, columns }: SoughtKeys,
  segments: readonly Segment[],
): Promise<FoundKey[]> {
  const starts = segments.map(({ from_at }) => from_at);
  const range = db
    .selectFrom(keysOf(dayOf(starts[0] ?? 0)))
    .select(["from_at", "key", "ats"])
    .where("kind", "=", kind)
    .where("key", "in", [...columns.keys()])
    .where("from_at", ">=", Math.min(...starts))
    .where("from_at", "<=", Math.max(...starts));
  const having =
    kind === "o" || keys.length > maxMarks
      ? range
      : range.where((is) => is.or(keys.map((key) => is("ats", "like", `%${keyMark(key)}%`))));
  return ofDay(having.execute());
}

const maxMarks = 64;

/**
 * Those of some segments of one day, in their order. Segments in which the times are known become one, even if there are
 * no times, to tell how far the search came.
 */
function* spansOf(
  { kind, columns }: SoughtKeys,
  segments: readonly Segment[],
  foundKeys: readonly FoundKey[],
  range: TimeRange,
): Generator<Span> {
  const day = dayOf(segments[0]?.from_at ?? 0);
  const entries = Map.groupBy(foundKeys, ({ from_at }) => from_at);
  let joined: Span | null = null;
  for (const { from_at: fromAt, until_at: untilAt, rows } of segments) {
    const fromMs = Math.max(fromAt, range.fromMs);
    const untilMs = Math.min(untilAt, range.untilMs);
    const occurrences = (entries.get(fromAt) ?? []).flatMap((entry) =>
      (columns.get(entry.key) ?? []).flatMap((key) => {
        const times = timesOfKey(entry, kind, key);
        return times === undefined ? [] : [times];
      }),
    );
    const times = timesWithin(fromAt, occurrences, { fromMs, untilMs });
    if (times !== null) joined = join(joined, { day, fromMs, untilMs, times, rows: times.length });
    if (joined !== null && (times === null || joined.rows >= maxJoined)) {
      yield joined;
      joined = null;
    }
    if (times === null) yield { day, fromMs, untilMs, times, rows };
  }
  if (joined !== null) yield joined;
}

/** With so many times, a part is given: a search looks at the clock after each. */
const maxJoined = 1_000;

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
  for (const timesOfOne of occurrences) {
    if (timesOfOne === null) return null;
    for (const time of timesOfOne) {
      const at = fromAt + time;
      if (at >= fromMs && at < untilMs) times.add(at);
    }
  }
  return [...times].sort((one, other) => one - other);
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
  const latest = await ofDay(
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
  return latest[0]?.at ?? null;
}
