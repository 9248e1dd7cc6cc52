import { dueBillings, lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import type { Database, Store } from "@countersign/store/store";
import { neverAborted } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { changeTerms, termsOf } from "./change-terms.ts";

const organizationsAtOnce = 100;
const server = { kind: "system", name: "Countersign" } as const;

/**
 * Writes the emails of grace periods, suspends organizations at their end, and ends plans that were set until a date.
 * When an organization is due next is stored, so one indexed read finds all of them. The node that locks an organization
 * first does what is due, all of it, and stores when the next is due; others then find nothing to do.
 */
export class BillingClock implements PeriodicJob {
  readonly name = "billing clock";
  readonly everyMs = 1_000;
  readonly #store: Store;
  readonly #url: string;
  readonly #clock: () => Promise<number>;

  constructor(store: Store, url: string, clock = () => store.clock()) {
    this.#store = store;
    this.#url = url;
    this.#clock = clock;
  }

  async run(stopping = neverAborted): Promise<void> {
    const nowMs = await this.#clock();
    for (;;) {
      const due = await dueBillings(this.#store.reads, nowMs, organizationsAtOnce);
      const failures: unknown[] = [];
      for (const organizationId of due) {
        if (stopping.aborted) return;
        try {
          await this.#store.transaction((db) => runClock(db, organizationId, this.#url, nowMs));
        } catch (error) {
          // One organization that cannot be changed does not stop the others.
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      if (due.length < organizationsAtOnce) return;
    }
  }
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
