import { randomBytes } from "node:crypto";
import { generateApiKey, generateTestKey } from "@countersign/domain/products/api-key";
import { newId } from "@countersign/store/new-id";
import { createProduct, type ProductSettings } from "@countersign/store/queries/products/products";
import type { Sealer } from "@countersign/store/secrets/sealer";
import type { Database } from "@countersign/store/store";
import { newSigningKey } from "./signing-key.ts";

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
