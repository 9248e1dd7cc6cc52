import { dueBillings, lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import type { Database, Store } from "@countersign/store/store";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { changeTerms, termsOf } from "./change-terms.ts";

const organizationsAtOnce = 100;
const server = { kind: "system", name: "Countersign" } as const;

/**
 * Writes the emails of grace periods, suspends organizations at their end, and ends plans that were set until a date.
 * When an organization is due next is stored, so one indexed read finds all of them. The node that locks an organization
 * first does what is due, all of it, and stores when the next is due; others then find nothing to do.
 */
export function billingClock(
  store: Store,
  url: string,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const nowMs = await clock();
    const next = () => dueBillings(store.reads, nowMs, organizationsAtOnce);
    for await (const due of slicesOf(organizationsAtOnce, stopping, next)) {
      const failures: unknown[] = [];
      for (const organizationId of due) {
        if (stopping.aborted) return;
        try {
          await store.transaction((db) => runClock(db, organizationId, url, nowMs));
        } catch (error) {
          // One organization that cannot be changed does not stop the others.
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    }
  };
  return { name: "billing clock", everyMs: 1_000, run };
}

/** Does what is due for an organization, unless another node has. */
export async function runClock(
  db: Database,
  organizationId: string,
  url: string,
  nowMs: number,
): Promise<void> {
  const locked = await lockedBilling(db, organizationId);
  if (locked === undefined) return;
  const { organization, billing } = locked;
  if (billing.due_at === null || billing.due_at > nowMs) return;
  if (organization.deleted_at !== null) {
    await updateBilling(db, organizationId, { due_at: null, updated_at: nowMs });
    return;
  }
  const next = termsOf(organization, billing);
  await changeTerms(db, { organization, billing, next, actor: server, url }, nowMs);
}
