import { initializeState, replaceState, stateOf } from "@countersign/store/queries/admin/platform-state";
import {
  type Due,
  dueLicenses,
  expiringSoon,
  organizationIdsAfter,
  removeUnannouncedExpiries,
  stillDue,
  unannouncedExpiries,
  warningDays,
} from "@countersign/store/queries/events/expiries";
import { shownLicenses } from "@countersign/store/queries/licenses/views";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { Config } from "../../base/config.ts";
import { inBatches, neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { licenseExpiringEmails } from "../mail/license-emails.ts";
import { lookBackMs, recordExpiries, watchedUntil as stateName } from "./record-changes.ts";

/** The size of one transaction: validations wait while it runs. */
const batchSize = 50;
const organizationsAtOnce = 500;

/**
 * Records events for licenses that expire soon and those that have expired. Each check covers what became due since the
 * last one on any node, so that downtime is caught up with; what became due before the very first check, on an older
 * database, is never recorded. A row decides which node records an expiry, so several nodes can run this.
 */
export function expiryCheck(
  store: Store,
  config: Config,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const untilMs = await clock();
    const state =
      (await stateOf(store.reads, stateName)) ??
      (await store.transaction((db) => initializeState(db, stateName, String(untilMs))));
    const afterMs = Number(state) - lookBackMs;
    const next = (last = "") => organizationIdsAfter(store.listReads, last, organizationsAtOnce);
    for await (const organizationIds of slicesOf(organizationsAtOnce, stopping, next)) {
      await recordDue({ organizationIds, type: "license.expired", days: 0, afterMs, untilMs }, stopping);
      for (const days of await warningDays(store.listReads, organizationIds))
        await recordDue({ organizationIds, type: "license.expiring_soon", days, afterMs, untilMs }, stopping);
    }
    if (stopping.aborted) return;
    await recordUnannounced(untilMs, stopping);
    // Only from where it started: another node may be further ahead.
    await store.transaction((db) => replaceState(db, stateName, state, String(untilMs)), "soon");
  };

  const recordDue = async (due: Due, stopping: AbortSignal) => {
    for await (const dueIds of dueLicenses(store.listReads, due))
      for (let start = 0; start < dueIds.length; start += batchSize) {
        if (stopping.aborted) return;
        const ids = dueIds.slice(start, start + batchSize);
        await store.transaction(async (db) => {
          await store.bulk.lockLicenses(db, ids);
          await recordWithEmails(db, due.type, await stillDue(db, due, ids), due.untilMs);
        });
        await yieldToEventLoop();
      }
  };

  /** Those whose expiry was set within the warning period. */
  const recordUnannounced = (nowMs: number, stopping: AbortSignal) =>
    inBatches(async () => {
      const ids = await unannouncedExpiries(store.reads, batchSize);
      if (ids.length > 0)
        await store.transaction(async (db) => {
          await store.bulk.lockLicenses(db, ids);
          await recordWithEmails(db, "license.expiring_soon", await expiringSoon(db, ids, nowMs), nowMs);
          await removeUnannouncedExpiries(db, ids);
        });
      return ids.length === batchSize;
    }, stopping);

  const recordWithEmails = async (db: Database, type: Due["type"], ids: readonly string[], nowMs: number) => {
    const recorded = await recordExpiries(db, nowMs, type, await shownLicenses(db, ids, nowMs));
    if (type !== "license.expiring_soon") return;
    await licenseExpiringEmails(
      db,
      recorded.map(({ id }) => id),
      config,
      nowMs,
    );
  };

  return { name: "expiring licenses", everyMs: 10_000, run };
}
