import { type Api, apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import { storedRows } from "./stored-rows.ts";
import { openTestOrganization, type TestOrganization } from "./test-organization.ts";
import { type OwnServer, openServer, type TestServer } from "./test-server.ts";

/** A server with a new organization. */
export interface PublicApiFixture extends TestServer {
  readonly org: TestOrganization;
  /** Uses the product's API key. */
  readonly api: Api;
}

/** On the shared server, unless the file needs its own. */
export async function openPublicApiFixture(
  make: () => Promise<TestDatabase>,
  options: Omit<NonNullable<Parameters<typeof openTestOrganization>[1]>, "store"> = {},
  own?: OwnServer,
): Promise<PublicApiFixture> {
  const running = await openServer(make, own);
  const { store, url } = running;
  const org = await openTestOrganization(null, { ...options, store });
  return { ...running, org, api: apiOf(url, org.apiKey) };
}

/** The counted requests of the product, on all days. */
export async function countedRequests(
  { store, productId }: Pick<TestOrganization, "store" | "productId">,
  ofProduct: string = productId,
): Promise<number> {
  const rows = await storedRows(store.reads, "daily_usage", { product_id: ofProduct });
  return rows.reduce((sum, row) => sum + Number(row.used), 0);
}

export async function registeredIps(store: TestOrganization["store"], licenseId: string): Promise<string[]> {
  const rows = await storedRows(store.reads, "license_ips", { license_id: licenseId });
  return rows.map(({ ip }) => ip).sort();
}
