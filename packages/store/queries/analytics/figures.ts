import { bucketOf, type HourRange } from "@countersign/domain/analytics/range";
import {
  addAll,
  addText,
  type Counts,
  type HourRollUp,
  otherRefusals,
  type RollUps,
} from "../../rollups/roll-up.ts";
import type { Database } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

/** The requests of a number of hours. */
export interface HourCounts {
  readonly counts: Counts;
  readonly versions: Counts;
  readonly countries: Counts;
}

/** A product of an organization, or all of them: `allProducts`. */
export interface Scope {
  readonly organizationId: string;
  readonly productId: string;
}

/** Parsing so many takes a few milliseconds. */
const hoursAtOnce = 1_000;

/** The requests in each bucket of a range, from the roll-ups and the requests that are not in them yet. */
export async function countRequests(
  db: Database,
  scope: Scope,
  range: HourRange,
  starts: readonly number[],
  tail: RollUps,
): Promise<HourCounts[]> {
  const buckets = starts.map(
    (): HourCounts => ({ counts: new Map(), versions: new Map(), countries: new Map() }),
  );
  for (let after = range.from - 1; ; ) {
    const rows = await db
      .selectFrom("rollup_hours")
      .select(["hour", "counts", "versions", "countries"])
      .where("organization_id", "=", scope.organizationId)
      .where("product_id", "=", scope.productId)
      .where("hour", ">", after)
      .where("hour", "<", range.to)
      .orderBy("hour")
      .limit(hoursAtOnce)
      .execute();
    for (const row of rows) {
      const bucket = buckets[bucketOf(starts, row.hour)] as HourCounts;
      addText(bucket.counts, row.counts);
      addText(bucket.versions, row.versions);
      addText(bucket.countries, row.countries);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < hoursAtOnce) break;
    after = last.hour;
    await yieldToEventLoop();
  }
  for (const hour of hoursIn(tail, scope, range)) {
    const bucket = buckets[bucketOf(starts, hour.hour)] as HourCounts;
    addAll(bucket.counts, hour.counts);
    addAll(bucket.versions, hour.versions);
    addAll(bucket.countries, hour.countries);
  }
  return buckets;
}

export function hoursIn(tail: RollUps, scope: Scope, { from, to }: HourRange): HourRollUp[] {
  return tail.hours.filter(
    ({ organizationId, productId, hour }) =>
      organizationId === scope.organizationId && productId === scope.productId && hour >= from && hour < to,
  );
}

interface RefusedLicense {
  readonly licenseId: string;
  readonly refused: number;
  /** By status. */
  readonly outcomes: Record<string, number>;
}

const daysAtOnce = 100;

/** The licenses whose validations were refused, on days from the first to the last; most refused first. */
export async function refusalsByLicense(
  db: Database,
  scope: Scope,
  days: { readonly first: number; readonly last: number },
  tail: RollUps,
): Promise<RefusedLicense[]> {
  const counts: Counts = new Map();
  for (let after = days.first - 1; ; ) {
    const rows = await db
      .selectFrom("rollup_days")
      .select(["day", "refused"])
      .where("organization_id", "=", scope.organizationId)
      .where("product_id", "=", scope.productId)
      .where("day", ">", after)
      .where("day", "<=", days.last)
      .orderBy("day")
      .limit(daysAtOnce)
      .execute();
    for (const { refused } of rows) addText(counts, refused);
    const last = rows.at(-1);
    if (last === undefined || rows.length < daysAtOnce) break;
    after = last.day;
    await yieldToEventLoop();
  }
  for (const { organizationId, productId, day, refused } of tail.days)
    if (
      organizationId === scope.organizationId &&
      productId === scope.productId &&
      day >= days.first &&
      day <= days.last
    )
      addAll(counts, refused);
  counts.delete(otherRefusals);
  return byLicense(counts);
}

function byLicense(counts: ReadonlyMap<string, number>): RefusedLicense[] {
  const licenses = new Map<string, Record<string, number>>();
  for (const [key, count] of counts) {
    const [licenseId = "", status = ""] = key.split(" ");
    const outcomes = licenses.get(licenseId) ?? {};
    outcomes[status] = count;
    licenses.set(licenseId, outcomes);
  }
  return [...licenses]
    .map(([licenseId, outcomes]) => ({
      licenseId,
      outcomes,
      refused: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    }))
    .sort((a, b) => b.refused - a.refused || (a.licenseId < b.licenseId ? -1 : 1));
}
