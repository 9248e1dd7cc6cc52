import type { QueriedIp } from "@countersign/domain/ip/cidr";
import { countedAs } from "@countersign/domain/ip/ip-address";
import type { LicenseFacts, ProductFacts } from "@countersign/domain/validate/facts";
import { sql } from "kysely";
import {
  type CallerRow,
  Facts,
  gatesVersions,
  limitOf,
  planJoin,
  productColumns,
  versionCatalog,
} from "../../batches/caller.ts";
import type { Sealer } from "../../secrets/sealer.ts";
import type { Database } from "../../store.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import { licenseIp } from "../licenses/ips.ts";

/** The facts on which a validation of a product's license is decided, read without validating. */

export interface ProductState {
  readonly facts: ProductFacts;
  readonly dailyLimit: number | null;
  readonly suspendedAtMs: number | null;
}

/** Null if there is no such product. A deleted product still has facts. */
export async function productState(
  db: Database,
  sealer: Sealer,
  productId: string,
): Promise<ProductState | null> {
  const { rows } = await sql<CallerRow>`
    select ${sql.raw(productColumns)} from products p
    join organizations o on o.id = p.organization_id
    ${sql.raw(planJoin)}
    where p.id = ${productId}`.execute(db);
  const [stored] = rows;
  if (stored === undefined) return null;
  // No API key is used, and nothing is signed.
  const row = { ...stored, public_id: "", hash: "", signing_key_id: null, sealed_secret: null };
  const catalog = gatesVersions(row) ? versionCatalog(await versionRecords(db, productId)) : null;
  return {
    facts: new Facts(sealer).product(row, catalog).facts,
    dailyLimit: limitOf(row),
    suspendedAtMs: row.suspended_at,
  };
}

/** The product's version records, of which there are a bounded number. */
export async function versionRecords(db: Database, productId: string) {
  return db
    .selectFrom("product_versions")
    .select(["version", "state"])
    .where("product_id", "=", productId)
    .execute();
}

export function licenseFacts(sealer: Sealer, row: LicenseRow): LicenseFacts {
  return new Facts(sealer).license(row, row, null);
}

/** Whether an IP address is registered to a license, as the product counts it. */
export async function isRegistered(
  db: Database,
  licenseId: string,
  { text, address, isNetwork }: QueriedIp,
  ipv6Prefix: 64 | 128,
): Promise<boolean> {
  const counted = isNetwork ? text : countedAs(address, ipv6Prefix);
  return (await licenseIp(db, licenseId, counted)) !== undefined;
}
