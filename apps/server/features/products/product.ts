import { randomBytes } from "node:crypto";
import type { signingKey } from "@countersign/contract/manage/product-keys";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { generateApiKey, generateTestKey } from "@countersign/domain/products/api-key";
import { newId } from "@countersign/store/new-id";
import {
  createProduct,
  lockedProduct,
  type ProductSettings,
} from "@countersign/store/queries/products/products";
import type { Sealer } from "@countersign/store/secrets/sealer";
import type { Database } from "@countersign/store/store";
import type { ProductRow, ProductSigningKeyRow } from "@countersign/store/tables/products";
import type { z } from "zod";
import { Problem } from "../../http/problem.ts";

/** The current row, locked until the transaction ends: what was read before may be outdated. */
export async function currentProduct(db: Database, id: string): Promise<ProductRow> {
  const row = await lockedProduct(db, id);
  if (row === undefined) throw new Problem("product_not_found");
  return row;
}

/** Every way to create licenses starts with this check. */
export function checkOpenForSale({ name, closed_for_sale: isClosed }: ProductRow): void {
  if (isClosed === 0) return;
  throw new Problem("product_closed_for_sale", { product: name });
}

interface ProductInput {
  readonly organizationId: string;
  readonly name: string;
  readonly settings?: Partial<ProductSettings>;
}

interface CreatedProduct {
  readonly id: string;
  /** In full only here: only its hash is stored. */
  readonly apiKey: string;
}

/** Creates a product, with its API keys and its signing secret, inside a transaction. */
export async function addProduct(
  db: Database,
  sealer: Sealer,
  input: ProductInput,
  nowMs: number,
): Promise<CreatedProduct> {
  const id = newId();
  const apiKey = generateApiKey(randomBytes);
  const testKey = generateTestKey(randomBytes);
  await createProduct(db, { id, ...input, apiKey, testKey, signingKey: newSigningKey(sealer) }, nowMs);
  return { id, apiKey: apiKey.key };
}

/** The ID is unique in the whole installation, so it is longer than it would seem to need. */
export function newSigningKey(sealer: Sealer): { id: string; sealedSecret: string } {
  return { id: randomBytes(8).toString("hex"), sealedSecret: sealer.seal(randomBytes(32)) };
}

export function showSigningKey(
  row: Omit<ProductSigningKeyRow, "product_id">,
  sealer: Sealer,
): z.input<typeof signingKey> {
  return {
    id: row.id,
    secret: Buffer.from(sealer.open(row.sealed_secret)).toString("hex"),
    // The first key of a product signs from the beginning.
    active_from: isoTime(Math.max(row.active_from, row.created_at)),
    created_at: isoTime(row.created_at),
  };
}
