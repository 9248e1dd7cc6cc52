import { isoTime } from "@countersign/domain/dates/iso-time";
import { refusalHour, summaryDelayMs } from "@countersign/domain/events/thresholds";
import { newId } from "@countersign/store/new-id";
import { addEvents, type TakenSummary, takeSummaries } from "@countersign/store/queries/events/events";
import { pruneRefusals } from "@countersign/store/queries/events/expiries";
import type { Database, Store } from "@countersign/store/store";
import { distribution, type EventRow } from "@countersign/store/tables/events";

import { inBatches } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const rowsAtATime = 200;

/** Records the summaries of past hours, and then prunes their rejections. One hour is kept, because clocks differ. */
export function refusalPruning(store: Store): PeriodicJob {
  return {
    name: "prune refusals",
    everyMs: 60_000,
    run: async (stopping) => {
      await recordSummaries(store, stopping);
      const beforeHour = refusalHour(await store.clock()) - 1;
      const deleteSome = (db: Database) => pruneRefusals(db, beforeHour, rowsAtATime);
      await inBatches(() => store.transaction(deleteSome, "soon"), stopping);
    },
  };
}

/** The size of one transaction: validations wait while it runs. */
const summariesAtOnce = 50;

/** Records one event per license and type with more occurrences in an hour than are recorded individually. */
async function recordSummaries(store: Store, stopping?: AbortSignal): Promise<void> {
  const nowMs = await store.clock();
  const beforeHour = refusalHour(nowMs - summaryDelayMs);
  const recordSome = () =>
    store.transaction(async (db) => {
      const { found, taken } = await takeSummaries(db, beforeHour, summariesAtOnce);
      if (taken.length > 0)
        await addEvents(
          db,
          taken.map((summary) => eventOf(summary, nowMs)),
        );
      return found === summariesAtOnce;
    });
  await inBatches(recordSome, stopping);
}

function eventOf(summary: TakenSummary, nowMs: number): EventRow {
  const { organization_id, product_id, license_id, type, count, last_ip: ip } = summary;
  const data = {
    organization_id,
    product_id,
    license_id,
    ip,
    summary: {
      count,
      ip_count: summary.ipCount,
      ip_count_is_exact: summary.isExact,
      first_at: isoTime(summary.first_at),
      last_at: isoTime(summary.last_at),
    },
  };
  return {
    id: newId(),
    organization_id,
    product_id,
    license_id,
    type,
    at: nowMs,
    data: JSON.stringify(data),
    undistributed: distribution.waitingWithoutLicense,
  };
}
