import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/product-keys";
import { generateApiKey, shownPrefix } from "@countersign/domain/products/api-key";
import {
  addSigningKey,
  apiKeyOf,
  endApiKey,
  endApiKeys,
  removeUpcomingSigningKeys,
  signingKeysFrom,
} from "@countersign/store/queries/product-keys";
import { addApiKey, updateProduct } from "@countersign/store/queries/products";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { type Context, nextUpdatedAt, theProduct } from "../../http/manage/context.ts";
import { iso } from "../../http/manage/page.ts";
import { notFound, Problem } from "../../http/manage/problem.ts";
import { audit } from "../audit-log/record.ts";
import { currentProduct } from "./current.ts";
import { showProduct } from "./show.ts";
import { newSigningKey, showSigningKey } from "./signing-key.ts";

/** Times of keys are by the clock that validate reads: on PostgreSQL the database's, which all nodes share. */
export const productKeyRoutes: readonly BoundRoute[] = [
  bind(contract.rotateApiKey, async (context, { body }) => {
    const clockMs = await context.store.clock();
    const endMs = clockMs + body.overlap_seconds * 1_000;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, theProduct(context).id);
      const key = generateApiKey(randomBytes);
      await endApiKeys(db, row.id, endMs);
      await addApiKey(db, row.id, key, clockMs);
      const changed = await touched(db, context, row);
      await audit(db, context, {
        action: "product.api_key_rotated",
        subject: subject(row),
        after: { prefix: key.shownPrefix, old_keys_end_at: iso(endMs) },
      });
      return { ...(await showProduct(db, changed, clockMs)), api_key: key.key };
    });
  }),

  bind(contract.endApiKey, async (context, input) => {
    const clockMs = await context.store.clock();
    const prefix = param(input, "prefix");
    return context.transaction(async (db) => {
      const row = await currentProduct(db, theProduct(context).id);
      const key = await apiKeyOf(db, row.id, prefix.replace(/^csk_/, ""));
      const isThere = key !== undefined && shownPrefix(key.public_id) === prefix;
      if (!isThere || (key.expires_at !== null && key.expires_at <= clockMs)) throw notFound("API key");
      if (key.expires_at === null) {
        throw new Problem(
          "conflict",
          `${prefix} is the product's newest key. Make a new one with rotate-key, with an overlap of 0 to end this one.`,
        );
      }
      await endApiKey(db, key.public_id, clockMs);
      await touched(db, context, row);
      await audit(db, context, {
        action: "product.api_key_ended",
        subject: subject(row),
        before: { prefix, expires_at: iso(key.expires_at) },
        after: { prefix, expires_at: iso(clockMs) },
      });
    });
  }),

  bind(contract.revealSigningSecret, async (context) => {
    const clockMs = await context.store.clock();
    const { sealer } = context.store;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, theProduct(context).id);
      const [current, upcoming] = await signingKeysFrom(db, row.id, clockMs);
      if (current === undefined) throw new Error(`Product ${row.id} has no signing key.`);
      await audit(db, context, {
        action: "product.signing_secret_revealed",
        subject: subject(row),
        after: { key_ids: [current, upcoming].flatMap((key) => key?.id ?? []) },
      });
      return {
        current: showSigningKey(current, sealer),
        upcoming: upcoming === undefined ? null : showSigningKey(upcoming, sealer),
      };
    });
  }),

  bind(contract.rotateSigningSecret, async (context, { body }) => {
    const clockMs = await context.store.clock();
    const { sealer } = context.store;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, theProduct(context).id);
      const [current] = await signingKeysFrom(db, row.id, clockMs);
      await removeUpcomingSigningKeys(db, row.id, clockMs);
      // Never the same time as the one before, or nobody could say which of them signs.
      const activeFromMs = Math.max(clockMs + body.overlap_seconds * 1_000, (current?.active_from ?? 0) + 1);
      const key = { ...newSigningKey(sealer), activeFromMs };
      await addSigningKey(db, row.id, key, clockMs);
      await audit(db, context, {
        action: "product.signing_secret_rotated",
        subject: subject(row),
        after: { key_id: key.id, active_from: iso(activeFromMs) },
      });
      return showSigningKey(
        { id: key.id, sealed_secret: key.sealedSecret, active_from: activeFromMs, created_at: clockMs },
        sealer,
      );
    });
  }),
];

/** The list of keys is part of what a product shows, so a change to it is a change to the product. */
async function touched(db: Database, context: Context, row: ProductRow): Promise<ProductRow> {
  const updatedAt = nextUpdatedAt(context, row.updated_at);
  await updateProduct(db, row.id, { updated_at: updatedAt });
  return { ...row, updated_at: updatedAt };
}

function subject({ id, name }: ProductRow) {
  return { kind: "product", id, name };
}
