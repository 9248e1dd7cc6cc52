import { bucketOf, type HourRange } from "@countersign/domain/analytics/range";
import { addText, type Counts } from "../../rollups/counts.ts";
import { addAll, type HourRollUp, type RollUps } from "../../rollups/roll-up.ts";
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
