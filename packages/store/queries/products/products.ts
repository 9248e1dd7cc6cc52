import type { NewApiKey } from "@countersign/domain/products/api-key";
import type { Kysely } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { ProductDownloadRow, ProductRow } from "../../tables/products.ts";
import type { Tables } from "../../tables.ts";
import { addSandboxKey } from "../sandbox/keys.ts";

export interface NewProduct {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly apiKey: Pick<NewApiKey, "publicId" | "hash">;
  /** Created when it is first needed if there is none. */
  readonly testKey?: { readonly publicId: string; readonly key: string };
  readonly signingKey: { readonly id: string; readonly sealedSecret: string };
  readonly settings?: Partial<ProductSettings>;
}

export type ProductSettings = Omit<
  ProductRow,
  | "id"
  | "organization_id"
  | "name"
  | "versions_revision"
  | "merge_ips_after"
  | "created_at"
  | "updated_at"
  | "deleted_at"
>;

export const defaultProductSettings: ProductSettings = {
  status: "active",
  closed_for_sale: 0,
  auto_register_ip_on_validate: 1,
  auto_register_scope: "until_limit",
  track_ip_on_validate: 1,
  default_max_ips: 3,
  default_expires_in_days: null,
  default_ip_system_enabled: 1,
  expiring_soon_days: 7,
  deliver_license_by_email: 0,
  license_email_text: null,
  expiring_soon_email: 0,
  locale: null,
  expiry_enforcement: 1,
  signed_validation: 0,
  custom_response_enabled: 0,
  custom_response: null,
  custom_response_on_refusal: 0,
  version_module_enabled: 0,
  version_enforcement: "enforce",
  ipv6_prefix: 64,
  portal_enabled: 1,
  portal_ip_removals_per_30_days: 0,
  portal_key_rotation: 0,
  transfers: "off",
  transfer_cooldown_days: 30,
  transfer_resets_ips: 1,
  transfer_rotates_key: 1,
  renewal_url: null,
};

/** A product with its first API key and its signing secret, so that signing can be turned on at any time. */
export async function createProduct(db: Kysely<Tables>, product: NewProduct, nowMs: number) {
  await db
    .insertInto("products")
    .values({
      ...defaultProductSettings,
      ...product.settings,
      id: product.id,
      organization_id: product.organizationId,
      name: product.name,
      versions_revision: 0,
      merge_ips_after: null,
      created_at: nowMs,
      updated_at: nowMs,
      deleted_at: null,
    })
    .execute();
  await addApiKey(db, product.id, product.apiKey, nowMs);
  if (product.testKey !== undefined) {
    const { publicId, key } = product.testKey;
    const row = { product_id: product.id, public_id: publicId, api_key: key, created_at: nowMs };
    await addSandboxKey(db, row);
  }
  await db
    .insertInto("product_signing_keys")
    .values({
      id: product.signingKey.id,
      product_id: product.id,
      sealed_secret: product.signingKey.sealedSecret,
      active_from: 0,
      created_at: nowMs,
    })
    .execute();
}

export async function addApiKey(
  db: Kysely<Tables>,
  productId: string,
  key: NewProduct["apiKey"],
  nowMs: number,
  { name = "", expiresAtMs = null }: { name?: string; expiresAtMs?: number | null } = {},
) {
  await db
    .insertInto("product_api_keys")
    .values({
      public_id: key.publicId,
      product_id: productId,
      hash: key.hash,
      name,
      created_at: nowMs,
      last_used_at: null,
      expires_at: expiresAtMs,
    })
    .execute();
}

/** Its row and its keys stay, so that its callers learn what happened. Nobody's access depends on its test API key. */
export async function deleteProduct(db: Kysely<Tables>, productId: string, nowMs: number) {
  await db.deleteFrom("product_sandbox_keys").where("product_id", "=", productId).execute();
  await db
    .updateTable("products")
    .set({ deleted_at: nowMs, updated_at: nowMs })
    .where("id", "=", productId)
    .where("deleted_at", "is", null)
    .execute();
}

export async function productsOf(
  db: Kysely<Tables>,
  organizationId: string,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
    readonly status: ProductRow["status"] | null;
  },
): Promise<ProductRow[]> {
  let query = db
    .selectFrom("products")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null);
  if (page.status !== null) query = query.where("status", "=", page.status);
  if (page.after !== null) {
    const { createdAt, id } = page.after;
    query = query.where((is) =>
      is.or([
        is("created_at", ">", createdAt),
        is.and([is("created_at", "=", createdAt), is("id", ">", id)]),
      ]),
    );
  }
  return query.orderBy("created_at").orderBy("id").limit(page.limit).execute();
}

export async function updateProduct(db: Kysely<Tables>, id: string, changes: Partial<ProductRow>) {
  await db.updateTable("products").set(changes).where("id", "=", id).execute();
}

/** The keys of some products that have not expired, oldest first. */
export async function workingApiKeys(db: Kysely<Tables>, productIds: readonly string[], nowMs: number) {
  return productIds.length === 0 ? [] : keysThatWork(db, productIds, nowMs);
}

const keysThatWork = prepared((db, productIds: readonly string[], nowMs: number) =>
  db
    .selectFrom("product_api_keys")
    .select(["public_id", "product_id", "name", "created_at", "last_used_at", "expires_at"])
    .where("product_id", "in", productIds)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", nowMs)]))
    .orderBy("created_at")
    .orderBy("public_id"),
).all;

/** Deleted products do not exist for the management API. */
export const productById = prepared((db, id: string) =>
  db.selectFrom("products").selectAll().where("id", "=", id).where("deleted_at", "is", null),
).first;

/** The current row, locked until the transaction ends. */
export const lockedProduct = prepared((db, id: string) =>
  db
    .updateTable("products")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returningAll(),
).first;

/** In the order in which customers see them. */
export const downloadsOf = prepared((db, productId: string) =>
  db.selectFrom("product_downloads").selectAll().where("product_id", "=", productId).orderBy("position"),
).all;

export async function replaceDownloads(
  db: Database,
  productId: string,
  rows: readonly ProductDownloadRow[],
): Promise<void> {
  await db.deleteFrom("product_downloads").where("product_id", "=", productId).execute();
  if (rows.length > 0) await db.insertInto("product_downloads").values(rows).execute();
}
