import { type HourRange, previousRange } from "@countersign/domain/analytics/range";
import { UniqueCount } from "@countersign/domain/analytics/unique-count";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { expiringDays, expiringUntilMs } from "@countersign/domain/licenses/expiring";
import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import { countUniques } from "@countersign/store/queries/analytics/uniques";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import {
  createdBetween,
  expiringBetween,
  type LicensesOf,
  revokedBetween,
  storedCount,
} from "@countersign/store/queries/licenses/stored-counts";
import { uniqueHoursSince } from "@countersign/store/rollups/retention";
import type { Database } from "@countersign/store/store";
import type { OrganizationContext } from "../../api/context.ts";
import { type SelectionQuery, selectionOf, shownRange } from "./selection.ts";

/** New, active, expiring and churned licenses. */
export async function licenseAnalytics(context: OrganizationContext, query: SelectionQuery) {
  const { range, scope, timeZone } = await selectionOf(context, query);
  const { nowMs } = context;
  const db = context.store.listReads;
  const previous = previousRange(range);
  const beforeThat = previousRange(previous);
  const used = await withOpenTail(db, scope.organizationId, null, (tail) =>
    countUniques(db, scope, [beforeThat, previous, range], uniqueHoursSince(nowMs), tail),
  );
  const [first = null, second = null, third = null] = used.map(({ active }) => active);
  const licenses: LicensesOf = { organizationId: scope.organizationId, productId: query.product_id ?? null };
  const untilMs = expiringUntilMs(nowMs, expiringDays);
  const expiring = { ...everyLicenseOf(licenses.organizationId), productId: licenses.productId };
  return {
    time_zone: timeZone,
    totals: await figuresOf(db, licenses, nowMs, { range, usedBefore: second, used: third }),
    previous: await figuresOf(db, licenses, nowMs, { range: previous, usedBefore: first, used: second }),
    expiring: {
      from: isoTime(nowMs),
      to: isoTime(untilMs),
      count: await storedCount(db, { ...expiring, expiresByMs: untilMs }, nowMs),
      previous_count: await expiringBetween(db, licenses, {
        fromMs: expiringUntilMs(nowMs, -expiringDays) + 1,
        toMs: nowMs + 1,
      }),
    },
  };
}

interface UsedLicenses {
  readonly range: HourRange;
  readonly used: UniqueCount | null;
  /** In the range before. */
  readonly usedBefore: UniqueCount | null;
}

async function figuresOf(
  db: Database,
  licenses: LicensesOf,
  nowMs: number,
  { range, used, usedBefore }: UsedLicenses,
) {
  const during = { fromMs: range.from * hourMs, toMs: range.to * hourMs };
  // Licenses that will expire later in the current hour have not expired yet.
  const expired = await expiringBetween(db, licenses, { ...during, toMs: Math.min(during.toMs, nowMs + 1) });
  const revoked = await revokedBetween(db, licenses, during);
  const active = used?.size ?? 0;
  const either = new UniqueCount();
  for (const count of [usedBefore, used]) if (count !== null) either.merge(count);
  return {
    ...shownRange(range),
    new: await createdBetween(db, licenses, during),
    active,
    // Both are estimates, so the difference could be negative.
    stopped: Math.max(0, either.size - active),
    expired,
    revoked,
    churned: expired + revoked,
  };
}
