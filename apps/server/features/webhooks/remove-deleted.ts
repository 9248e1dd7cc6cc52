import { deletedEndpoints, removeSomeOfEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import type { Database, Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

/** Small enough that concurrent writers do not notice. */
const rowsAtOnce = 200;

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
