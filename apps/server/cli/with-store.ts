import { openStore } from "@countersign/store/open";
import type { Store } from "@countersign/store/store";
import type { Config } from "../config.ts";

/** Opens the store beside whatever server runs, and closes it whatever happens. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config.database, config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
