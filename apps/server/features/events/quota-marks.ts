import { quotaMarks } from "@countersign/domain/events/thresholds";
import { quotaDay } from "@countersign/domain/quota/day";
import { addQuotaChecks } from "@countersign/store/queries/events/quota-checks";
import type { Database } from "@countersign/store/store";

/** By then, a batch that was counted under the old limit has been written: it takes at most two seconds, or fails. */
const checkAfterMs = 5_000;

/** A change of the daily limit. Null for no limit. */
interface LimitChange {
  readonly from: number | null;
  readonly to: number | null;
  readonly changedAt: number;
}

/** Schedules checks of the thresholds that a change lowers, for the products of these organizations. */
export async function addChecks(
  db: Database,
  organizationIds: readonly string[],
  { from, to, changedAt }: LimitChange,
  nowMs: number,
): Promise<void> {
  const oldMarks = quotaMarks(from);
  const newMarks = quotaMarks(to);
  for (const type of ["quota.warning", "quota.exhausted"] as const) {
    if (newMarks[type] >= oldMarks[type]) continue;
    await addQuotaChecks(db, organizationIds, {
      type,
      oldMark: Math.min(oldMarks[type], Number.MAX_SAFE_INTEGER),
      day: quotaDay(nowMs),
      changed_at: changedAt,
      check_at: nowMs + checkAfterMs,
    });
  }
}
