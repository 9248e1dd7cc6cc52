import { openStore } from "@countersign/store/databases/open";
import type { Store } from "@countersign/store/store";
import type { Config } from "../base/config.ts";
import { migrationMessages } from "./command.ts";

/** Opens the store, also while a server runs, and always closes it. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config.database, { ...config, ...migrationMessages });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
