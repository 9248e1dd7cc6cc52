import { type Api, apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import { openSeller, type Seller } from "./seller.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** A fresh database, somebody who sells on it, and a server in front of it. */
export interface Scene {
  readonly database: TestDatabase;
  readonly server: ServerProcess;
  readonly seller: Seller;
  /** Called with the seller's own key. */
  readonly api: Api;
  close(): Promise<void>;
}

export async function openScene(
  make: () => Promise<TestDatabase>,
  options: Parameters<typeof openSeller>[1] = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const database = await make();
  const seller = await openSeller(database.location, options);
  const server = await startServerProcess({ ...database.environment, ...environment });
  return {
    database,
    server,
    seller,
    api: apiOf(server.url, seller.apiKey),
    close: async () => {
      await server.stop();
      await seller.store.close();
      database.remove();
    },
  };
}

/** How many requests of the product have been counted, on whatever day it is. */
export async function countedRequests(
  { store, productId }: Pick<Seller, "store" | "productId">,
  ofProduct: string = productId,
): Promise<number> {
  const rows = await store.reads
    .selectFrom("daily_usage")
    .select("used")
    .where("product_id", "=", ofProduct)
    .execute();
  return rows.reduce((sum, row) => sum + Number(row.used), 0);
}

export async function registeredIps(store: Seller["store"], licenseId: string): Promise<string[]> {
  const rows = await store.reads
    .selectFrom("license_ips")
    .select("ip")
    .where("license_id", "=", licenseId)
    .orderBy("ip")
    .execute();
  return rows.map((row) => row.ip);
}
