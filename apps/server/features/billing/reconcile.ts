import { dayMs } from "@countersign/domain/dates/lengths";
import { StorageUnavailable } from "@countersign/store/errors/problem";
import { oldStripeEvents, pruneStripeEvents } from "@countersign/store/queries/billing/stripe-events";
import { claimSync, dueSyncs } from "@countersign/store/queries/billing/sync";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Store } from "@countersign/store/store";
import type { Log } from "../../base/log.ts";
import { inBatches, neverAborted } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { cancelSubscriptions } from "./cancel-deleted.ts";
import { stripeReason } from "./stripe-errors.ts";
import { type PaymentParts, syncOrganization } from "./sync.ts";

const organizationsAtOnce = 50;
/** A comparison that failed, or whose node stopped, is tried again. */
const retryAfterMs = 15 * 60_000;
/** Far below the number of requests that Stripe accepts, which the operator's other programs use too. */
const pauseMs = 200;

/**
 * Compares every organization that has a customer in Stripe with it once a day, in case an event was lost, and cancels
 * the subscriptions of deleted organizations. The node that postpones a comparison does it, so several nodes can run
 * this. After a downtime everything is due, and is done at the same pace.
 */
export class StripeReconciliation implements PeriodicJob {
  readonly name = "comparison with Stripe";
  readonly everyMs = 15_000;
  readonly #parts: PaymentParts;
  readonly #log: Log;
  readonly #pauseMs: number;

  constructor(parts: PaymentParts, log: Log, pause = pauseMs) {
    this.#parts = parts;
    this.#log = log;
    this.#pauseMs = pause;
  }

  async run(stopping = neverAborted): Promise<void> {
    const { store } = this.#parts;
    const nowMs = await store.clock();
    while (!stopping.aborted) {
      const due = await dueSyncs(store.reads, nowMs, organizationsAtOnce);
      for (const organizationId of due) {
        if (stopping.aborted) return;
        if (await this.#compare(organizationId, nowMs)) await paused(this.#pauseMs, stopping);
      }
      if (due.length < organizationsAtOnce) return;
    }
  }

  /** Returns whether it was this node's to do. A failure of one organization does not keep others waiting. */
  async #compare(organizationId: string, nowMs: number): Promise<boolean> {
    const { store } = this.#parts;
    const claimed = await store.transaction((db) =>
      claimSync(db, organizationId, nowMs, nowMs + retryAfterMs),
    );
    if (claimed === undefined) return false;
    try {
      if (!(await this.#isKnown(organizationId, claimed.stripe_customer_id)))
        this.#warn(
          organizationId,
          "Stripe does not know the customer. Is the key of the right account and mode?",
        );
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      this.#warn(organizationId, stripeReason(error));
    }
    return true;
  }

  async #isKnown(organizationId: string, customerId: string | null): Promise<boolean> {
    const organization = await organizationById(this.#parts.store.reads, organizationId);
    if (organization === undefined || customerId === null) return true;
    if (organization.deleted_at !== null) return cancelSubscriptions(this.#parts, organizationId, customerId);
    return (await syncOrganization(this.#parts, organizationId)) !== "unknown_customer";
  }

  #warn(organizationId: string, reason: string): void {
    this.#log.warn("An organization could not be compared with Stripe. It will be retried.", {
      organization_id: organizationId,
      reason,
    });
  }
}

async function paused(ms: number, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  stopping.addEventListener("abort", stop, { once: true });
  await promise;
  clearTimeout(timer);
  stopping.removeEventListener("abort", stop);
}

/** Much longer than Stripe repeats an event. */
const eventsKeptForMs = 90 * dayMs;
const eventsAtOnce = 200;

/** Prunes the record of events that were processed. */
export function stripeEventPruning(store: Store): PeriodicJob {
  return {
    name: "old events of Stripe",
    everyMs: 60 * 60_000,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - eventsKeptForMs;
      await inBatches(async () => {
        const ids = await oldStripeEvents(store.reads, beforeMs, eventsAtOnce);
        if (ids.length > 0) await store.transaction((db) => pruneStripeEvents(db, ids), "soon");
        return ids.length === eventsAtOnce;
      }, stopping);
    },
  };
}
