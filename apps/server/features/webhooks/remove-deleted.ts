import { deletedEndpoints, removeSomeOfEndpoint } from "@countersign/store/queries/webhook-endpoints";
import type { Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";
import type { Chore } from "../../jobs/chores.ts";

/** Small enough that concurrent writers do not notice. */
const rowsAtOnce = 200;

/** Removes the data of deleted endpoints. */
export function deletedEndpointRemoval(store: Store): Chore {
  return {
    name: "remove deleted webhooks",
    everyMs: 5_000,
    run: async () => {
      for (const id of await deletedEndpoints(store.reads)) {
        while (await store.transaction((db) => removeSomeOfEndpoint(db, id, rowsAtOnce), "soon"))
          await yieldToEventLoop();
      }
    },
  };
}
