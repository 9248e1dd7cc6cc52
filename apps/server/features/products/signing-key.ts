import { randomBytes } from "node:crypto";
import type { signingKey } from "@countersign/contract/manage/product-keys";
import type { Sealer } from "@countersign/store/secrets/sealer";
import type { ProductSigningKeyRow } from "@countersign/store/tables/products";
import type { z } from "zod";
import { iso } from "../../api/page.ts";

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
    active_from: iso(Math.max(row.active_from, row.created_at)),
    created_at: iso(row.created_at),
  };
}
