import type { getAnalytics } from "@countersign/contract/manage/analytics";
import { maxBuckets } from "@countersign/contract/manage/analytics-shapes";
import {
  bucketStarts,
  type HourRange,
  type Interval,
  previousRange,
  usualInterval,
} from "@countersign/domain/analytics/range";
import { uniqueError } from "@countersign/domain/analytics/unique-count";
import { hourMs } from "@countersign/domain/dates/lengths";
import { countRequests, type HourCounts } from "@countersign/store/queries/analytics/figures";
import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import { countUniques } from "@countersign/store/queries/analytics/uniques";
import { uniqueHoursSince } from "@countersign/store/rollups/retention";
import { addAll, mergeUniques, noCountry, noUniques, type Uniques } from "@countersign/store/rollups/roll-up";
import type { z } from "zod";
import type { OrganizationContext } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { type AskedQuery, askedIn, shownRange } from "./asked.ts";
import { mostCounted } from "./compared.ts";
import { quotaUse } from "./quota.ts";
import { versionUse } from "./version-use.ts";

type Answer = z.input<typeof getAnalytics.answer>;

const noCounts = (): HourCounts => ({ counts: new Map(), versions: new Map(), countries: new Map() });

export async function requestAnalytics(
  context: OrganizationContext,
  query: AskedQuery & { readonly interval?: Interval | undefined },
): Promise<Answer> {
  const asked = await askedIn(context, query);
  const { range, scope, timeZone, geo } = asked;
  const interval = query.interval ?? usualInterval(range);
  const starts = bucketStarts(range, interval, timeZone, maxBuckets);
  if (starts === null) throw new Problem("too_many_buckets", { limit: maxBuckets });
  const previous = previousRange(range);
  const ranges = starts.map((from, at): HourRange => ({ from, to: starts[at + 1] ?? range.to }));
  const hoursSince = uniqueHoursSince(context.nowMs);
  const db = context.store.listReads;
  const { counts, uniques } = await withOpenTail(db, scope.organizationId, geo, async (tail) => ({
    counts: await countRequests(
      db,
      scope,
      { from: previous.from, to: range.to },
      [previous.from, ...starts],
      tail,
    ),
    uniques: await countUniques(db, scope, [previous, ...ranges], hoursSince, tail),
  }));
  const [before = noCounts(), ...buckets] = counts;
  const [uniquesBefore = noUniques(), ...bucketUniques] = uniques;
  const total = noCounts();
  const totalUniques = noUniques();
  for (const bucket of buckets) {
    addAll(total.counts, bucket.counts);
    addAll(total.versions, bucket.versions);
    addAll(total.countries, bucket.countries);
  }
  for (const bucket of bucketUniques) mergeUniques(totalUniques, bucket);
  return {
    ...shownRange(range),
    time_zone: timeZone,
    interval,
    buckets: ranges.map((own, at) => ({
      ...shownRange(own),
      ...figuresOf(buckets[at] as HourCounts, bucketUniques[at] as Uniques),
    })),
    totals: { ...shownRange(range), ...figuresOf(total, totalUniques) },
    previous: { ...shownRange(previous), ...figuresOf(before, uniquesBefore) },
    unique_error: Math.round(uniqueError * 1_000) / 1_000,
    unique_hours_since: iso(hoursSince * hourMs),
    versions: versionUse(buckets, total, before),
    has_countries: geo !== null,
    countries: mostCounted(total.countries, before.countries)
      .slice(0, 300)
      .map((country) => ({
        country: country === noCountry ? null : country,
        requests: total.countries.get(country) ?? 0,
        previous_requests: before.countries.get(country) ?? 0,
      })),
    quota: await quotaUse(context, query.product_id ?? null),
  };
}

function figuresOf({ counts }: HourCounts, { licenses, active, ips }: Uniques) {
  const outcomes: Record<string, number> = {};
  const validationOutcomes: Record<string, number> = {};
  let requests = 0;
  let validations = 0;
  for (const [key, count] of counts) {
    const [endpoint, outcome = ""] = key.split(" ");
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    requests += count;
    if (endpoint !== "validate") continue;
    validations += count;
    validationOutcomes[outcome] = count;
  }
  return {
    requests,
    validations,
    refused: validations - (counts.get("validate active") ?? 0),
    outcomes,
    validation_outcomes: validationOutcomes,
    unique_licenses: licenses.size,
    active_licenses: active.size,
    unique_ips: ips.size,
  };
}
