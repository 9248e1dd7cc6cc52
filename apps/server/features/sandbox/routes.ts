import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/sandbox";
import { generateTestKey } from "@countersign/domain/products/api-key";
import { sandboxSigningKey } from "@countersign/domain/sandbox/facts";
import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { addSandboxKey, replaceSandboxKey, sandboxKeyOf } from "@countersign/store/queries/sandbox/keys";
import type { ProductSandboxKeyRow } from "@countersign/store/tables/products";
import type { z } from "zod";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { audit } from "../audit-log/record.ts";
import { currentProduct } from "../products/current.ts";

export const sandboxRoutes: readonly BoundRoute[] = [
  bind(contract.getSandbox, async (context) => {
    const { id } = context.product;
    const known = await sandboxKeyOf(context.store.reads, id);
    if (known !== undefined) return shown(known);
    // Of a product that is older than the sandbox. If several requests need the key at once, all get the same.
    return context.transaction(async (db) => {
      await currentProduct(db, id);
      await addSandboxKey(db, newKey(id, context.nowMs));
      const added = await sandboxKeyOf(db, id);
      if (added === undefined) throw new Error(`Product ${id} has no test API key.`);
      return shown(added);
    });
  }),

  bind(contract.rotateSandboxKey, async (context) =>
    context.transaction(async (db) => {
      const { id, name } = await currentProduct(db, context.product.id);
      const before = await sandboxKeyOf(db, id);
      const key = newKey(id, context.nowMs);
      await replaceSandboxKey(db, key);
      await audit(db, context, {
        action: "product.test_key_rotated",
        subject: { kind: "product", id, name },
        ...(before === undefined ? {} : { before: { prefix: prefixOf(before) } }),
        after: { prefix: prefixOf(key) },
      });
      return shown(key);
    }),
  ),
];

function newKey(productId: string, nowMs: number): ProductSandboxKeyRow {
  const { publicId, key } = generateTestKey(randomBytes);
  return { product_id: productId, public_id: publicId, api_key: key, created_at: nowMs };
}

function prefixOf({ public_id: publicId }: ProductSandboxKeyRow): string {
  return `cskt_${publicId}`;
}

function shown({
  public_id: publicId,
  api_key: key,
}: ProductSandboxKeyRow): z.input<typeof contract.sandbox> {
  const { keyId, secret } = sandboxSigningKey({ publicId, key });
  return {
    api_key: key,
    signing_key: { id: keyId, secret: Buffer.from(secret).toString("hex") },
    license_keys: sandboxLicenses.map((one) => ({
      license_key: one.licenseKey,
      status: one.status,
      http_status: one.httpStatus,
      lookup_http_status: one.lookupHttpStatus,
      description: one.description,
    })),
  };
}
