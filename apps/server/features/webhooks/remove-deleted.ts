import { pause } from "@countersign/store/queries/license-list";
import { deletedEndpoints, removeSomeOfEndpoint } from "@countersign/store/queries/webhook-endpoints";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";

/** Little enough that nobody who writes meanwhile notices. */
const rowsAtOnce = 200;

/** Removes what endpoints held that were deleted. */
export function deletedEndpointRemoval(store: Store): Chore {
  return {
    name: "remove deleted webhooks",
    everyMs: 5_000,
    run: async () => {
      for (const id of await deletedEndpoints(store.reads)) {
        while (await store.transaction((db) => removeSomeOfEndpoint(db, id, rowsAtOnce), "soon"))
          await pause();
      }
    },
  };
}
