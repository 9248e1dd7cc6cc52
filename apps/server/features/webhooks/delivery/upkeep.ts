import { dayMs } from "@countersign/domain/dates/lengths";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { deletedEndpoints, removeSomeOfEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import {
  deliveriesAtOnce,
  deliveriesOutOfStep,
  enableDeliveries,
  holdDeliveries,
} from "@countersign/store/queries/webhooks/hold-deliveries";
import { oldAttempts, oldDeliveries, oldEvents, pruneRows } from "@countersign/store/queries/webhooks/prune";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../../jobs/batches.ts";
import type { PeriodicJob } from "../../../jobs/periodic-jobs.ts";

const keptForMs = 30 * dayMs;
/** Little enough that nobody who writes meanwhile notices. */
const rowsAtOnce = 200;

/** An endpoint is enabled or disabled immediately; its many waiting deliveries follow here, in batches. */
export function deliverySync(store: Store): PeriodicJob {
  return {
    name: "deliveries of endpoints that were enabled or disabled",
    everyMs: 5_000,
    run: async (stopping) => {
      const { held, pending } = await deliveriesOutOfStep(store.listReads);
      for (const [endpointIds, follow] of [
        [held, enableDeliveries],
        [pending, holdDeliveries],
      ] as const) {
        for (const endpointId of endpointIds) {
          const nowMs = await store.clock();
          const followSome = (db: Database) => follow(db, endpointId, nowMs);
          // A full batch may be followed by another.
          await inBatches(
            async () => (await store.transaction(followSome, "soon")) === deliveriesAtOnce,
            stopping,
          );
        }
      }
    },
  };
}

/** Prunes events, deliveries and attempts after the time in which anyone may want to inspect or replay them. */
export function deliveryPruning(store: Store): PeriodicJob {
  return {
    name: "old events and deliveries",
    everyMs: 60 * 60 * 1000,
    run: async (stopping) => {
      const beforeMs = (await store.clock()) - keptForMs;
      const beforeId = firstUuidAt(beforeMs);
      const db = store.listReads;
      // Events come last: their pending deliveries keep them.
      for (const find of [
        () => oldAttempts(db, beforeId, rowsAtOnce),
        () => oldDeliveries(db, beforeId, rowsAtOnce),
        () => oldEvents(db, beforeMs, rowsAtOnce),
      ])
        await inBatches(async () => {
          const old = await find();
          if (old.ids.length > 0)
            await store.transaction((transaction) => pruneRows(transaction, old), "soon");
          return old.ids.length === rowsAtOnce;
        }, stopping);
    },
  };
}

/** Removes the data of deleted endpoints. */
export function deletedEndpointRemoval(store: Store): PeriodicJob {
  return {
    name: "remove deleted webhooks",
    everyMs: 5_000,
    run: async (stopping) => {
      for (const id of await deletedEndpoints(store.reads)) {
        const removeSome = (db: Database) => removeSomeOfEndpoint(db, id, rowsAtOnce);
        await inBatches(() => store.transaction(removeSome, "soon"), stopping);
      }
    },
  };
}
