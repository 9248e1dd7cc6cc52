import { type Api, apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { openTestOrganization, type TestOrganization } from "./test-organization.ts";

/** A new database, an organization on it, and a server. */
export interface PublicApiFixture {
  readonly database: TestDatabase;
  readonly server: ServerProcess;
  readonly org: TestOrganization;
  /** Uses the product's API key. */
  readonly api: Api;
  close(): Promise<void>;
}

export async function openPublicApiFixture(
  make: () => Promise<TestDatabase>,
  options: Parameters<typeof openTestOrganization>[1] = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<PublicApiFixture> {
  const database = await make();
  const org = await openTestOrganization(database.location, options);
  const server = await startServerProcess({ ...database.environment, ...environment });
  return {
    database,
    server,
    org,
    api: apiOf(server.url, org.apiKey),
    close: async () => {
      await server.stop();
      await org.store.close();
      database.remove();
    },
  };
}

/** The counted requests of the product, on all days. */
export async function countedRequests(
  { store, productId }: Pick<TestOrganization, "store" | "productId">,
  ofProduct: string = productId,
): Promise<number> {
  const rows = await store.reads
    .selectFrom("daily_usage")
    .select("used")
    .where("product_id", "=", ofProduct)
    .execute();
  return rows.reduce((sum, row) => sum + Number(row.used), 0);
}

export async function registeredIps(store: TestOrganization["store"], licenseId: string): Promise<string[]> {
  const rows = await store.reads
    .selectFrom("license_ips")
    .select("ip")
    .where("license_id", "=", licenseId)
    .orderBy("ip")
    .execute();
  return rows.map((row) => row.ip);
}
