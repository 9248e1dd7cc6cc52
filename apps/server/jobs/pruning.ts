import { dayMs, hourMs, minuteMs } from "@countersign/domain/dates/lengths";
import { ipRemovalWindowMs } from "@countersign/domain/portal/self-service";
import { quotaDay, usageDays } from "@countersign/domain/quota/day";
import { type AgingTableName, deleteOldRows } from "@countersign/store/queries/jobs/old-rows";
import type { Store } from "@countersign/store/store";
import { deleteInBatches, neverAborted } from "./batches.ts";
import type { PeriodicJob } from "./periodic-jobs.ts";

interface Pruning {
  readonly name: string;
  readonly everyMs: number;
  readonly rowsAtOnce: number;
  /** Tables, each with the time or day from which on its rows are kept. */
  readonly tables: (nowMs: number) => { readonly [Table in AgingTableName]?: number };
}

const prunings: readonly Pruning[] = [
  {
    // Programs retry within minutes. A response that lists thousands of licenses has megabytes.
    name: "forget kept answers",
    everyMs: 10 * minuteMs,
    rowsAtOnce: 20,
    tables: (nowMs) => ({ idempotency_keys: nowMs - dayMs }),
  },
  {
    name: "old sessions and codes",
    everyMs: 10 * minuteMs,
    rowsAtOnce: 500,
    tables: (nowMs) => ({ sessions: nowMs, verifications: nowMs, attempts: nowMs }),
  },
  {
    name: "old codes and sessions of the portal",
    everyMs: 10 * minuteMs,
    rowsAtOnce: 500,
    tables: (nowMs) => ({ portal_codes: nowMs, portal_sessions: nowMs }),
  },
  {
    // What customers did themselves counts for a budget.
    name: "old actions of customers",
    everyMs: hourMs,
    rowsAtOnce: 500,
    tables: (nowMs) => ({ portal_actions: nowMs - ipRemovalWindowMs }),
  },
  {
    name: "old impersonations",
    everyMs: 10 * minuteMs,
    rowsAtOnce: 100,
    tables: (nowMs) => ({ impersonations: nowMs }),
  },
  {
    // The outbox is not an archive: emails that were sent or failed, and links that expired long ago, go.
    name: "old mail",
    everyMs: hourMs,
    rowsAtOnce: 500,
    tables: (nowMs) => ({ outbox: nowMs - 90 * dayMs, waiting_emails: nowMs - 90 * dayMs }),
  },
  {
    // Daily counts are shown for 13 months. Emails about reached limits are only written today; clocks of nodes differ.
    name: "old usage",
    everyMs: hourMs,
    rowsAtOnce: 500,
    tables: (nowMs) => ({
      daily_usage: quotaDay(nowMs) - usageDays + 1,
      quota_notices: quotaDay(nowMs) - 2,
    }),
  },
];

/** Events that were processed, for much longer than Stripe repeats them. */
const stripeEvents: Pruning = {
  name: "old events of Stripe",
  everyMs: hourMs,
  rowsAtOnce: 200,
  tables: (nowMs) => ({ stripe_events: nowMs - 90 * dayMs }),
};

/** Delete what is old and only counted for a while. */
export function pruningJobs(
  store: Store,
  usesStripe: boolean,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob[] {
  return [...prunings, ...(usesStripe ? [stripeEvents] : [])].map(
    ({ name, everyMs, rowsAtOnce, tables }) => ({
      name,
      everyMs,
      run: async (stopping = neverAborted) => {
        for (const [table, before] of Object.entries(tables(await clock())))
          await deleteInBatches(store, rowsAtOnce, stopping, (db, limit) =>
            deleteOldRows(db, table as AgingTableName, before, limit),
          );
      },
    }),
  );
}
