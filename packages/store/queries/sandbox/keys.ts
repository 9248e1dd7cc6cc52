import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { ProductSandboxKeyRow } from "../../tables/products.ts";

export async function sandboxKeyOf(
  db: Database,
  productId: string,
): Promise<ProductSandboxKeyRow | undefined> {
  return db
    .selectFrom("product_sandbox_keys")
    .selectAll()
    .where("product_id", "=", productId)
    .executeTakeFirst();
}

/** Does nothing if the product has one by now. */
export async function addSandboxKey(db: Database, key: ProductSandboxKeyRow): Promise<void> {
  await db
    .insertInto("product_sandbox_keys")
    .values(key)
    .onConflict((is) => is.column("product_id").doNothing())
    .execute();
}

export async function replaceSandboxKey(db: Database, key: ProductSandboxKeyRow): Promise<void> {
  const { product_id: _, ...replaced } = key;
  await db
    .insertInto("product_sandbox_keys")
    .values(key)
    .onConflict((is) => is.column("product_id").doUpdateSet(replaced))
    .execute();
}

/** What the sandbox answers about a product. */
export interface SandboxCallerRow {
  public_id: string;
  api_key: string;
  product_id: string;
  product_name: string;
  organization_id: string;
  organization_name: string;
  ipv6_prefix: number;
  custom_response_enabled: number;
  custom_response: string | null;
  custom_response_on_refusal: number;
  product_signs: number;
  organization_signs: number;
}

/** The products with these test API keys, except deleted ones. */
export const sandboxCallers = prepared((db, publicIds: readonly string[]) =>
  db
    .selectFrom("product_sandbox_keys as k")
    .innerJoin("products as p", "p.id", "k.product_id")
    .innerJoin("organizations as o", "o.id", "p.organization_id")
    .select([
      "k.public_id",
      "k.api_key",
      "p.id as product_id",
      "p.name as product_name",
      "o.id as organization_id",
      "o.name as organization_name",
      "p.ipv6_prefix",
      "p.custom_response_enabled",
      "p.custom_response",
      "p.custom_response_on_refusal",
      "p.signed_validation as product_signs",
      "o.signed_validation as organization_signs",
    ])
    .where("k.public_id", "in", publicIds)
    .where("p.deleted_at", "is", null),
).all;
