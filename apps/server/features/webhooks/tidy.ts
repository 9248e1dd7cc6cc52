import { firstUuidAt } from "@countersign/domain/ids/uuid";
import {
  deliveriesAtOnce,
  deliveriesOutOfStep,
  enableDeliveries,
  holdDeliveries,
} from "@countersign/store/queries/deliveries";
import { forgetDeliveries } from "@countersign/store/queries/delivery-results";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";

const keptForMs = 30 * 24 * 60 * 60 * 1000;
const rowsAtOnce = 500;

/** An endpoint is enabled or disabled at once; the many deliveries that wait for it follow here, a lot at a time. */
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
          // A full lot may be followed by another.
          while (
            (await store.transaction((db) => follow(db, endpointId, nowMs), "soon")) === deliveriesAtOnce
          );
        }
      }
    },
  };
}

/** Events, deliveries and attempts are kept for as long as anybody may want to look into them or have them again. */
export function deliveryForgetting(store: Store): Chore {
  return {
    name: "old events and deliveries",
    everyMs: 60 * 60 * 1000,
    run: async () => {
      const ms = (await store.clock()) - keptForMs;
      const before = { ms, id: firstUuidAt(ms) };
      while (await store.transaction((db) => forgetDeliveries(db, before, rowsAtOnce), "soon"));
    },
  };
}
