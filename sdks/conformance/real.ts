import { randomBytes } from "node:crypto";
import { addSigningKey, removeUpcomingSigningKeys } from "@countersign/store/queries/product-keys";
import { defaultProductSettings, updateProduct } from "@countersign/store/queries/products";
import { replaceVersions } from "@countersign/store/queries/versions";
import type { OrganizationRow, ProductRow } from "@countersign/store/tables";
import { arrange } from "../../tests/http/arrange-outcome.ts";
import { type OutcomeRow, outcomeRows } from "../../tests/http/outcome-rows.ts";
import { sqlite } from "../../tests/support/databases.ts";
import { newId, openSeller, type Seller } from "../../tests/support/seller.ts";
import { startServerProcess } from "../../tests/support/server-process.ts";
import { allowLoopback } from "../../tests/support/webhooks.ts";
import { type Arrangement, type SigningSettings, usualKey } from "./case.ts";

/** What the client has to be made with. */
export interface ArrangedClient {
  readonly api_key: string;
  readonly signing?: SigningSettings;
}

/** A product of its own for each case. */
export interface RealCase {
  readonly client: ArrangedClient;
  /** The time by the client's clock. */
  readonly now: string;
  /** Changes what there is, as the seller would between two answers. */
  become(arrangement: Arrangement): Promise<void>;
}

/** A real Countersign, on which every case gets a product of its own. */
export interface RealServer {
  readonly url: string;
  /** Somebody who sells there, and whom no case belongs to. */
  readonly seller: Seller;
  begin(arrangement: Arrangement): Promise<RealCase>;
  close(): Promise<void>;
}

export async function startRealServer(): Promise<RealServer> {
  const database = await sqlite.make();
  const first = await openSeller(database.location);
  const server = await startServerProcess({ ...database.environment, ...allowLoopback });
  return {
    url: server.url,
    seller: first,
    begin: async (arrangement) => {
      const { plan, product } = rowOf(arrangement);
      const seller = await openSeller(database.location, {
        store: first.store,
        ...(plan === undefined ? {} : { plan }),
        ...(product === undefined ? {} : { settings: product }),
        ...(arrangement.daily_limit === undefined ? {} : { dailyLimit: arrangement.daily_limit }),
      });
      const beganAtMs = Date.now();
      await fill(seller, arrangement, beganAtMs);
      const aheadMs = (arrangement.client_is_ahead_seconds ?? 0) * 1_000;
      return {
        client: clientFor(seller, arrangement),
        now: new Date(beganAtMs + aheadMs).toISOString(),
        become: async (next) => {
          await empty(seller, next);
          await fill(seller, next, beganAtMs);
        },
      };
    },
    close: async () => {
      await server.stop();
      await first.store.close();
      database.remove();
    },
  };
}

/** Makes the licenses that an arrangement speaks of, and all that is about them. */
async function fill(seller: Seller, arrangement: Arrangement, beganAtMs: number): Promise<void> {
  const row = rowOf(arrangement);
  const {
    keys = [usualKey],
    ends_after_seconds: endsAfter,
    signs_with: secret,
    api_key,
    signing,
  } = arrangement;
  const end = endsAfter === undefined ? {} : { expiresAtMs: beganAtMs + endsAfter * 1_000 };
  for (const key of keys) {
    const license = row.license === null ? null : { key: key.trim(), ...row.license, ...end };
    await arrange(seller, { ...row, license });
  }
  const known = typeof signing === "object" ? signing.secrets : [];
  if (secret !== undefined && secret !== null) await signWith(seller, secret, known);
  if (secret !== undefined) await change(seller, { product: { signed_validation: secret === null ? 0 : 1 } });
  if (api_key === "ended") await endKeys(seller, Date.now());
}

/** Takes away what an earlier arrangement made, and leaves the product as a new one is. */
async function empty(seller: Seller, next: Arrangement): Promise<void> {
  const { store, productId, organizationId } = seller;
  await store.transaction(async (db) => {
    const licenses = db.selectFrom("licenses").select("id").where("product_id", "=", productId);
    await db.deleteFrom("license_ips").where("license_id", "in", licenses).execute();
    await db.deleteFrom("ip_blocks").where("organization_id", "=", organizationId).execute();
    await db.deleteFrom("licenses").where("product_id", "=", productId).execute();
    await replaceVersions(db, store.bulk, productId, []);
  });
  await change(seller, {
    product: { ...defaultProductSettings, ...rowOf(next).product, deleted_at: null },
    organization: {
      suspended_at: null,
      billing_state: "active",
      daily_limit_override: next.daily_limit ?? null,
    },
  });
  await endKeys(seller, null);
}

async function change(
  { store, productId, organizationId }: Seller,
  { product, organization }: { product: Partial<ProductRow>; organization?: Partial<OrganizationRow> },
): Promise<void> {
  await store.transaction(async (db) => {
    await updateProduct(db, productId, product);
    if (organization !== undefined)
      await db.updateTable("organizations").set(organization).where("id", "=", organizationId).execute();
  });
}

/** Null lets them work again. */
async function endKeys({ store, productId }: Seller, atMs: number | null): Promise<void> {
  await store.transaction(async (db) => {
    await db
      .updateTable("product_api_keys")
      .set({ expires_at: atMs })
      .where("product_id", "=", productId)
      .execute();
  });
}

/** A rotation: this secret takes over now, and of those that the client knows too, each waits for its turn. */
async function signWith(
  { store, productId }: Seller,
  secret: string,
  known: readonly string[],
): Promise<void> {
  const nowMs = Date.now();
  const keyOf = (hex: string, activeFromMs: number) => ({
    id: randomBytes(4).toString("hex"),
    sealedSecret: store.sealer.seal(Buffer.from(hex, "hex")),
    activeFromMs,
  });
  await store.transaction(async (db) => {
    await removeUpcomingSigningKeys(db, productId, nowMs);
    await addSigningKey(db, productId, keyOf(secret, nowMs), nowMs);
    for (const [index, next] of known.filter((one) => one !== secret).entries())
      await addSigningKey(db, productId, keyOf(next, nowMs + (index + 1) * 86_400_000), nowMs);
  });
}

function rowOf({ outcome = {} }: Arrangement): OutcomeRow {
  if (typeof outcome !== "string") return { says: "", status: "", ...outcome };
  const row = outcomeRows.find(({ says }) => says === outcome);
  if (row === undefined) throw new Error(`No row says: ${outcome}`);
  return row;
}

function clientFor(seller: Seller, { signing, api_key }: Arrangement): ArrangedClient {
  return {
    api_key:
      api_key === "wrong"
        ? `${seller.apiKey.slice(0, -1)}${seller.apiKey.endsWith("A") ? "B" : "A"}`
        : seller.apiKey,
    ...(signing === undefined ? {} : { signing: signingFor(seller, signing) }),
  };
}

function signingFor(
  { productId, signingKey }: Seller,
  signing: NonNullable<Arrangement["signing"]>,
): SigningSettings {
  if (typeof signing === "object") {
    const { product, ...known } = signing;
    return { ...known, product_id: product === "another" ? newId() : productId };
  }
  const known = Buffer.from(signingKey.secret).toString("hex");
  const other = randomBytes(32).toString("hex");
  const secrets = { current: [known], "current and next": [other, known], wrong: [other] };
  return { product_id: productId, secrets: secrets[signing] };
}
