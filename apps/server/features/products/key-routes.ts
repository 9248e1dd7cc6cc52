import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/product-keys";
import { signingSecretRevealed } from "@countersign/domain/audit-log/audit-log-days";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { generateApiKey, maxLiveApiKeys, shownPrefix } from "@countersign/domain/products/api-key";
import { lastEntry } from "@countersign/store/queries/audit-log/entries";
import {
  addSigningKey,
  apiKeyOf,
  endApiKey,
  endApiKeys,
  liveApiKeys,
  removeUpcomingSigningKeys,
  signingKeysFrom,
  updateApiKey,
} from "@countersign/store/queries/products/keys";
import { addApiKey, updateProduct } from "@countersign/store/queries/products/products";
import type { Database } from "@countersign/store/store";
import type { ProductApiKeyRow, ProductRow } from "@countersign/store/tables/products";
import { type BoundRoute, bind, type Context, nextUpdatedAt } from "../../api/context.ts";
import { milliseconds } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { checkReauthenticated } from "../identity/sign-in/reauthenticate.ts";
import { currentProduct, newSigningKey, showSigningKey } from "./product.ts";
import { showProduct } from "./show.ts";

/** Key times follow the clock that validate uses: on PostgreSQL the database's, which all nodes share. */
export const productKeyRoutes: readonly BoundRoute[] = [
  bind(contract.rotateApiKey, async (context, { body }) => {
    const clockMs = await context.store.clock();
    const endMs = body.overlap_seconds === null ? null : clockMs + body.overlap_seconds * 1_000;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, context.product.id);
      const key = generateApiKey(randomBytes);
      if (endMs !== null) await endApiKeys(db, row.id, endMs);
      await checkRoomForKey(db, row.id, clockMs);
      await addApiKey(db, row.id, key, clockMs, { name: body.name });
      const changed = await touched(db, context, row);
      await audit(db, context, {
        action: "product.api_key_rotated",
        subject: subject(row),
        after: { prefix: key.shownPrefix, name: body.name, old_keys_end_at: isoTime(endMs) },
      });
      return { ...(await showProduct(db, changed, clockMs)), api_key: key.key };
    });
  }),

  bind(contract.createApiKey, async (context, { body }) => {
    const clockMs = await context.store.clock();
    const expiresAtMs = endOf(body.expires_at, clockMs);
    return context.transaction(async (db) => {
      const row = await currentProduct(db, context.product.id);
      await checkRoomForKey(db, row.id, clockMs);
      const key = generateApiKey(randomBytes);
      await addApiKey(db, row.id, key, clockMs, { name: body.name, expiresAtMs });
      const changed = await touched(db, context, row);
      await audit(db, context, {
        action: "product.api_key_created",
        subject: subject(row),
        after: { prefix: key.shownPrefix, name: body.name, expires_at: isoTime(expiresAtMs) },
      });
      return { ...(await showProduct(db, changed, clockMs)), api_key: key.key };
    });
  }),

  bind(contract.updateApiKey, async (context, input) => {
    const clockMs = await context.store.clock();
    const prefix = input.params.prefix;
    const { name, expires_at: end } = input.body;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, context.product.id);
      const key = await liveKey(db, row.id, prefix, clockMs);
      const expiresAtMs = end === undefined ? key.expires_at : endOf(end, clockMs);
      if (expiresAtMs !== null) await checkOneIsLeft(db, row.id, key, prefix, clockMs);
      const after = { name: name ?? key.name, expires_at: expiresAtMs };
      if (after.name === key.name && after.expires_at === key.expires_at)
        return showProduct(db, row, clockMs);
      await updateApiKey(db, key.public_id, after);
      const changed = await touched(db, context, row);
      await audit(db, context, {
        action: "product.api_key_changed",
        subject: subject(row),
        before: { prefix, name: key.name, expires_at: isoTime(key.expires_at) },
        after: { prefix, name: after.name, expires_at: isoTime(after.expires_at) },
      });
      return showProduct(db, changed, clockMs);
    });
  }),

  bind(contract.endApiKey, async (context, input) => {
    const clockMs = await context.store.clock();
    const prefix = input.params.prefix;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, context.product.id);
      const key = await liveKey(db, row.id, prefix, clockMs);
      await checkOneIsLeft(db, row.id, key, prefix, clockMs);
      await endApiKey(db, key.public_id, clockMs);
      await touched(db, context, row);
      await audit(db, context, {
        action: "product.api_key_ended",
        subject: subject(row),
        before: { prefix, name: key.name, expires_at: isoTime(key.expires_at) },
        after: { prefix, name: key.name, expires_at: isoTime(clockMs) },
      });
    });
  }),

  bind(contract.getSigningSecret, async (context) => {
    const { id: subjectId, organization_id: organizationId } = context.product;
    const last = await lastEntry(context.store.reads, {
      organizationId,
      subjectId,
      action: signingSecretRevealed,
    });
    return {
      last_revealed_at: isoTime(last?.at ?? null),
      last_revealed_by: last?.actor_name ?? null,
    };
  }),

  bind(contract.revealSigningSecret, async (context, { body: { password, confirmation } }) => {
    const { store, signIn, ip, nowMs, actor } = context;
    if (actor.kind === "person")
      await checkReauthenticated({ store, flood: signIn.flood, actor, password, confirmation, ip, nowMs });
    const clockMs = await store.clock();
    const { sealer } = store;
    return context.transaction(async (db) => {
      const row = await currentProduct(db, context.product.id);
      const [current, upcoming] = await signingKeysFrom(db, row.id, clockMs);
      if (current === undefined) throw new Error(`Product ${row.id} has no signing key.`);
      await audit(db, context, {
        action: signingSecretRevealed,
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
      const row = await currentProduct(db, context.product.id);
      const [current] = await signingKeysFrom(db, row.id, clockMs);
      await removeUpcomingSigningKeys(db, row.id, clockMs);
      // Never the same time as the previous one, or it would be undefined which of them signs.
      const activeFromMs = Math.max(clockMs + body.overlap_seconds * 1_000, (current?.active_from ?? 0) + 1);
      const key = { ...newSigningKey(sealer), activeFromMs };
      await addSigningKey(db, row.id, key, clockMs);
      await audit(db, context, {
        action: "product.signing_secret_rotated",
        subject: subject(row),
        after: { key_id: key.id, active_from: isoTime(activeFromMs) },
      });
      return showSigningKey(
        { id: key.id, sealed_secret: key.sealedSecret, active_from: activeFromMs, created_at: clockMs },
        sealer,
      );
    });
  }),
];

/** An active key of this product; any other is not found. */
async function liveKey(
  db: Database,
  productId: string,
  prefix: string,
  clockMs: number,
): Promise<ProductApiKeyRow> {
  const key = await apiKeyOf(db, productId, prefix.replace(/^csk_/, ""));
  const isThere = key !== undefined && shownPrefix(key.public_id) === prefix;
  if (!isThere || (key.expires_at !== null && key.expires_at <= clockMs))
    throw new Problem("api_key_not_found");
  return key;
}

/** A product always has a key without an expiry; otherwise every app would one day get 401. */
async function checkOneIsLeft(
  db: Database,
  productId: string,
  key: ProductApiKeyRow,
  prefix: string,
  clockMs: number,
): Promise<void> {
  if (key.expires_at !== null) return;
  const lasting = (await liveApiKeys(db, productId, clockMs)).filter((one) => one.expires_at === null);
  if (lasting.length > 1) return;
  throw new Problem("last_lasting_api_key", { prefix });
}

async function checkRoomForKey(db: Database, productId: string, clockMs: number): Promise<void> {
  const { length } = await liveApiKeys(db, productId, clockMs);
  if (length < maxLiveApiKeys) return;
  throw new Problem("api_key_limit_reached", { limit: maxLiveApiKeys });
}

function endOf(expiresAt: string | null, clockMs: number): number | null {
  if (expiresAt === null) return null;
  const atMs = milliseconds(expiresAt);
  if (atMs <= clockMs) throw invalid("expires_at", "not_in_future");
  return atMs;
}

/** The list of keys is part of a product, so changing it changes the product. */
async function touched(db: Database, context: Context, row: ProductRow): Promise<ProductRow> {
  const updatedAt = nextUpdatedAt(context, row.updated_at);
  await updateProduct(db, row.id, { updated_at: updatedAt });
  return { ...row, updated_at: updatedAt };
}

function subject({ id, name }: ProductRow) {
  return { kind: "product", id, name };
}
