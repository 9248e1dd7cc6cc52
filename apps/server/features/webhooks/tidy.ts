import { dayMs } from "@countersign/domain/dates/lengths";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import {
  deliveriesAtOnce,
  deliveriesOutOfStep,
  enableDeliveries,
  holdDeliveries,
} from "@countersign/store/queries/deliveries";
import { forget, oldAttempts, oldDeliveries, oldEvents } from "@countersign/store/queries/forget-deliveries";
import type { Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";
import type { Chore } from "../../jobs/chores.ts";

const keptForMs = 30 * dayMs;
/** Little enough that nobody who writes meanwhile notices. */
const rowsAtOnce = 200;

/** An endpoint is enabled or disabled immediately; its many waiting deliveries follow here, in batches. */
export function deliveriesFollowing(store: Store): Chore {
  return {
    name: "deliveries of endpoints that were enabled or disabled",
    everyMs: 5_000,
    run: async () => {
      const { held, pending } = await deliveriesOutOfStep(store.alongIndexes);
      for (const [endpointIds, follow] of [
        [held, enableDeliveries],
        [pending, holdDeliveries],
      ] as const) {
        for (const endpointId of endpointIds) {
          const nowMs = await store.clock();
          // A full batch may be followed by another.
          while (
            (await store.transaction((db) => follow(db, endpointId, nowMs), "soon")) === deliveriesAtOnce
          )
            await yieldToEventLoop();
        }
      }
    },
  };
}

/** Prunes events, deliveries and attempts after the time in which anyone may want to inspect or replay them. */
export function deliveryForgetting(store: Store): Chore {
  return {
    name: "old events and deliveries",
    everyMs: 60 * 60 * 1000,
    run: async () => {
      const beforeMs = (await store.clock()) - keptForMs;
      const beforeId = firstUuidAt(beforeMs);
      const db = store.alongIndexes;
      // Events come last: their pending deliveries keep them.
      for (const look of [
        () => oldAttempts(db, beforeId, rowsAtOnce),
        () => oldDeliveries(db, beforeId, rowsAtOnce),
        () => oldEvents(db, beforeMs, rowsAtOnce),
      ]) {
        for (let old = await look(); old.ids.length > 0; old = await look()) {
          const found = old;
          await store.transaction((own) => forget(own, found), "soon");
          if (found.ids.length < rowsAtOnce) break;
          await yieldToEventLoop();
        }
      }
    },
  };
}
