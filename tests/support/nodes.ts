import type { TestDatabase } from "./databases.ts";
import { openSeller, type Seller } from "./seller.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** One database with several servers on it. SQLite allows only one. */
export interface Nodes {
  readonly database: TestDatabase;
  readonly seller: Seller;
  readonly servers: readonly ServerProcess[];
  close(): Promise<void>;
}

export async function openNodes(
  make: () => Promise<TestDatabase>,
  count: number,
  options: Parameters<typeof openSeller>[1] = {},
): Promise<Nodes> {
  const database = await make();
  const seller = await openSeller(database.location, options);
  const servers = await Promise.all(
    Array.from({ length: count }, () => startServerProcess(database.environment)),
  );
  return {
    database,
    seller,
    servers,
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await seller.store.close();
      database.remove();
    },
  };
}
