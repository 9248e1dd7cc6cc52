import type { HourRange } from "@countersign/domain/analytics/range";
import { mergeUniques, noUniques, type RollUps, type Uniques } from "../../rollups/roll-up.ts";
import type { Database } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { hoursIn, type Scope } from "./figures.ts";

/** With three full sketches each, about 3 MB. */
const rowsAtOnce = 500;

/**
 * The different licenses and IP addresses in each of some ranges, which can overlap. Whole UTC days are read as such,
 * the hours before and after them one by one. Hours before `hoursSince` are no longer known: a day before it counts in
 * the range that includes its noon.
 */
export async function countUniques(
  db: Database,
  scope: Scope,
  ranges: readonly HourRange[],
  hoursSince: number,
  tail: RollUps,
): Promise<Uniques[]> {
  const uniquesOfRanges = ranges.map(noUniques);
  const parts = ranges.map((range) => partsOf(range, hoursSince));
  await addRows(
    db,
    scope,
    "day",
    parts.map(({ days }) => days),
    uniquesOfRanges,
  );
  await addRows(
    db,
    scope,
    "hour",
    parts.map(({ before }) => before),
    uniquesOfRanges,
  );
  await addRows(
    db,
    scope,
    "hour",
    parts.map(({ after }) => after),
    uniquesOfRanges,
  );
  for (const [index, range] of ranges.entries())
    for (const { uniques } of hoursIn(tail, scope, range))
      mergeUniques(uniquesOfRanges[index] as Uniques, uniques);
  return uniquesOfRanges;
}

/** From the first to the last, which is not part of it. */
type Span = HourRange;

interface Parts {
  readonly days: Span;
  readonly before: Span;
  readonly after: Span;
}

/** The days of a range, and the hours before and after them. */
export function partsOf({ from, to }: HourRange, hoursSince: number): Parts {
  // The first day with a noon at or after the start.
  const oldDays = { from: Math.ceil((from - 12) / 24), to: Math.ceil((Math.min(to, hoursSince) - 12) / 24) };
  if (to <= hoursSince) return { days: oldDays, before: none, after: none };
  const firstHour = Math.max(from, hoursSince);
  const whole = { from: Math.ceil(firstHour / 24), to: Math.floor(to / 24) };
  const isOld = from < hoursSince;
  if (whole.from >= whole.to)
    return { days: isOld ? oldDays : none, before: { from: firstHour, to }, after: none };
  return {
    // `hoursSince` is the start of a day, so that old days and whole days adjoin.
    days: { from: isOld ? oldDays.from : whole.from, to: whole.to },
    before: { from: firstHour, to: whole.from * 24 },
    after: { from: whole.to * 24, to },
  };
}

const none: Span = { from: 0, to: 0 };

/** Reads the rows of spans that follow one another together, and others on their own. */
async function addRows(
  db: Database,
  scope: Scope,
  unit: "hour" | "day",
  spans: readonly Span[],
  into: readonly Uniques[],
): Promise<void> {
  const wholeSpans = spans
    .map((span, index) => ({ ...span, into: into[index] as Uniques }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  for (let first = 0; first < wholeSpans.length; ) {
    let end = first + 1;
    while (end < wholeSpans.length && wholeSpans[end]?.from === wholeSpans[end - 1]?.to) end += 1;
    const group = wholeSpans.slice(first, end);
    first = end;
    let current = 0;
    const { from } = group[0] as Span;
    const { to } = group.at(-1) as Span;
    for await (const row of uniquesBetween(db, scope, unit, { from, to })) {
      while (row.at >= (group[current] as Span).to) current += 1;
      const { licenses, active, ips } = (group[current] as { into: Uniques }).into;
      licenses.mergeText(row.licenses);
      active.mergeText(row.active);
      ips.mergeText(row.ips);
    }
  }
}

async function* uniquesBetween(db: Database, scope: Scope, unit: "hour" | "day", { from, to }: Span) {
  for (let after = from - 1; ; ) {
    const rows = await (unit === "hour" ? hoursAfter : daysAfter)(db, scope, after, to);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last.at;
    await yieldToEventLoop();
  }
}

function hoursAfter(db: Database, scope: Scope, after: number, to: number) {
  return db
    .selectFrom("rollup_hour_uniques")
    .select(["hour as at", "licenses", "active", "ips"])
    .where("organization_id", "=", scope.organizationId)
    .where("product_id", "=", scope.productId)
    .where("hour", ">", after)
    .where("hour", "<", to)
    .orderBy("hour")
    .limit(rowsAtOnce)
    .execute();
}

function daysAfter(db: Database, scope: Scope, after: number, to: number) {
  return db
    .selectFrom("rollup_days")
    .select(["day as at", "licenses", "active", "ips"])
    .where("organization_id", "=", scope.organizationId)
    .where("product_id", "=", scope.productId)
    .where("day", ">", after)
    .where("day", "<", to)
    .orderBy("day")
    .limit(rowsAtOnce)
    .execute();
}
