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
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { quotaDay, runsOutAt } from "@countersign/domain/quota/day";
import { countRequests, type HourCounts } from "@countersign/store/queries/analytics/figures";
import { mostUsedProducts } from "@countersign/store/queries/analytics/listed-licenses";
import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import { countUniques } from "@countersign/store/queries/analytics/uniques";
import { uniqueHoursSince } from "@countersign/store/rollups/retention";
import {
  addAll,
  mergeUniques,
  noCountry,
  noUniques,
  noVersion,
  otherVersions,
  type Uniques,
} from "@countersign/store/rollups/roll-up";
import type { z } from "zod";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { planOf } from "../plans/limits.ts";
import { mostCounted, type SelectionQuery, selectionOf, shownRange } from "./selection.ts";

type Answer = z.input<typeof getAnalytics.answer>;

const noCounts = (): HourCounts => ({ counts: new Map(), versions: new Map(), countries: new Map() });

export async function requestAnalytics(
  context: OrganizationContext,
  query: SelectionQuery & { readonly interval?: Interval | undefined },
): Promise<Answer> {
  const selection = await selectionOf(context, query);
  const { range, scope, timeZone, geo } = selection;
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
    buckets: ranges.map((bucketRange, at) => ({
      ...shownRange(bucketRange),
      ...figuresOf(buckets[at] as HourCounts, bucketUniques[at] as Uniques),
    })),
    totals: { ...shownRange(range), ...figuresOf(total, totalUniques) },
    previous: { ...shownRange(previous), ...figuresOf(before, uniquesBefore) },
    unique_error: Math.round(uniqueError * 1_000) / 1_000,
    unique_hours_since: isoTime(hoursSince * hourMs),
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

const maxListed = 20;

/** The most used versions, those of the period before included, and all others as one. */
function versionUse(buckets: readonly HourCounts[], total: HourCounts, before: HourCounts) {
  const listed = mostCounted(total.versions, before.versions)
    .filter((key) => key !== otherVersions)
    .slice(0, maxListed);
  const versions = listed.map((key) => ({
    version: key === noVersion ? null : key.slice(1),
    is_other: false,
    validations: total.versions.get(key) ?? 0,
    previous_validations: before.versions.get(key) ?? 0,
    buckets: buckets.map((bucket) => bucket.versions.get(key) ?? 0),
  }));
  const others = ({ versions: counts }: HourCounts) => {
    let sum = 0;
    for (const [key, count] of counts) if (!listed.includes(key)) sum += count;
    return sum;
  };
  const [other, otherBefore] = [others(total), others(before)];
  if (other === 0 && otherBefore === 0) return versions;
  return [
    ...versions,
    {
      version: null,
      is_other: true,
      validations: other,
      previous_validations: otherBefore,
      buckets: buckets.map(others),
    },
  ];
}

const maxProducts = 20;

/** The products that used most of their daily limit today, or one product. */
export async function quotaUse(context: OrganizationContext, productId: string | null) {
  const { organization, nowMs } = context;
  const db = context.store.reads;
  const today = quotaDay(nowMs);
  const limit = organization.daily_limit_override ?? (await planOf(db, organization)).daily_limit;
  const products = await mostUsedProducts(db, organization.id, productId, today, maxProducts);
  return products.map(({ id, name, used, usedBefore }) => ({
    product_id: id,
    product_name: name,
    used_today: used,
    used_yesterday: usedBefore,
    daily_limit: limit,
    resets_at: isoTime((today + 1) * dayMs),
    runs_out_at: isoTime(runsOutAt(limit, used, nowMs)),
  }));
}
