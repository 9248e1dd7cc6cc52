import { randomBytes } from "node:crypto";
import { generateTestKey } from "@countersign/domain/products/api-key";
import { sandboxSigningKey } from "@countersign/domain/sandbox/facts";
import { addSigningKey, removeUpcomingSigningKeys } from "@countersign/store/queries/products/keys";
import { defaultProductSettings, updateProduct } from "@countersign/store/queries/products/products";
import { replaceSandboxKey } from "@countersign/store/queries/sandbox/keys";
import { replaceVersions } from "@countersign/store/queries/versions/versions";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { ProductRow } from "@countersign/store/tables/products";
import {
  sandboxServerKey,
  sandboxServerProductId,
  sandboxServerSecret,
  serveSandbox,
} from "../../apps/server/threads/serve-sandbox.ts";
import { arrange } from "../../tests/http/arrange-outcome.ts";
import { type OutcomeRow, outcomeRows } from "../../tests/http/outcome-rows.ts";
import { sqlite } from "../../tests/support/databases.ts";
import { startServerProcess } from "../../tests/support/server-process.ts";
import { newId, openTestOrganization, type TestOrganization } from "../../tests/support/test-organization.ts";
import { allowLoopback } from "../../tests/support/webhooks.ts";
import { defaultKey, type ServerSetup, type SigningSettings } from "./case.ts";

/** The settings that the real server generates for the client. */
export interface GeneratedSettings {
  readonly api_key: string;
  readonly signing?: SigningSettings;
}

/** One case on the real server, with its own product. */
export interface RealCase {
  readonly url: string;
  readonly client: GeneratedSettings;
  /** The time by the client's clock. */
  readonly now: string;
  /** Changes the state of the server between two answers. */
  change(setup: ServerSetup): Promise<void>;
}

/** A real Countersign, on which every case gets its own product. */
export interface RealServer {
  readonly url: string;
  /** An organization that no case uses. */
  readonly seller: TestOrganization;
  startCase(setup: ServerSetup): Promise<RealCase>;
  close(): Promise<void>;
}

export async function startRealServer(): Promise<RealServer> {
  const database = await sqlite.make();
  const first = await openTestOrganization(database.location);
  const server = await startServerProcess({ ...database.environment, ...allowLoopback });
  const sandbox = serveSandbox({ host: "127.0.0.1", port: 0, isSigned: true });
  const sandboxCase: RealCase = {
    url: `http://127.0.0.1:${sandbox.port}`,
    client: {
      api_key: sandboxServerKey.key,
      signing: { product_id: sandboxServerProductId, secrets: [sandboxServerSecret] },
    },
    now: new Date().toISOString(),
    change: async () => {},
  };
  return {
    url: server.url,
    seller: first,
    startCase: async (setup) => {
      if (setup.sandbox_server === true) return sandboxCase;
      const { product } = rowOf(setup);
      const seller = await openTestOrganization(database.location, {
        store: first.store,
        ...(product === undefined ? {} : { settings: product }),
        ...(setup.daily_limit === undefined ? {} : { dailyLimit: setup.daily_limit }),
      });
      const startedAtMs = Date.now();
      await createState(seller, setup, startedAtMs);
      const testKey = generateTestKey(randomBytes);
      if (setup.api_key === "test") await setTestKey(seller, testKey);
      const aheadMs = (setup.client_is_ahead_seconds ?? 0) * 1_000;
      return {
        url: server.url,
        client: clientFor(seller, setup, testKey),
        now: new Date(startedAtMs + aheadMs).toISOString(),
        change: async (next) => {
          await resetState(seller, next);
          await createState(seller, next, startedAtMs);
        },
      };
    },
    close: async () => {
      await sandbox.stop();
      await server.stop();
      await first.store.close();
      database.remove();
    },
  };
}

/** Creates the licenses of a setup, with everything that belongs to them. */
async function createState(seller: TestOrganization, setup: ServerSetup, startedAtMs: number): Promise<void> {
  const row = rowOf(setup);
  const {
    keys = [defaultKey],
    expires_after_seconds: expiresAfter,
    signs_with: secret,
    api_key,
    signing,
  } = setup;
  const expiry = expiresAfter === undefined ? {} : { expiresAtMs: startedAtMs + expiresAfter * 1_000 };
  for (const key of keys) {
    const license = row.license === null ? null : { key: key.trim(), ...row.license, ...expiry };
    await arrange(seller, { ...row, license });
  }
  const known = typeof signing === "object" ? signing.secrets : [];
  if (secret !== undefined && secret !== null) await signWith(seller, secret, known);
  if (secret !== undefined)
    await updateRows(seller, { product: { signed_validation: secret === null ? 0 : 1 } });
  if (api_key === "expired") await setApiKeyExpiry(seller, Date.now());
}

/** Deletes what an earlier setup created, and resets the product to its defaults. */
async function resetState(seller: TestOrganization, next: ServerSetup): Promise<void> {
  const { store, productId, organizationId } = seller;
  await store.transaction(async (db) => {
    const licenses = db.selectFrom("licenses").select("id").where("product_id", "=", productId);
    await db.deleteFrom("license_ips").where("license_id", "in", licenses).execute();
    await db.deleteFrom("ip_blocks").where("organization_id", "=", organizationId).execute();
    await db.deleteFrom("licenses").where("product_id", "=", productId).execute();
    await replaceVersions(db, store.bulk, productId, []);
  });
  await updateRows(seller, {
    product: { ...defaultProductSettings, ...rowOf(next).product, deleted_at: null },
    organization: {
      suspended_at: null,
      billing_state: "active",
      daily_limit_override: next.daily_limit ?? null,
    },
  });
  await setApiKeyExpiry(seller, null);
}

async function updateRows(
  { store, productId, organizationId }: TestOrganization,
  { product, organization }: { product: Partial<ProductRow>; organization?: Partial<OrganizationRow> },
): Promise<void> {
  await store.transaction(async (db) => {
    await updateProduct(db, productId, product);
    if (organization !== undefined)
      await db.updateTable("organizations").set(organization).where("id", "=", organizationId).execute();
  });
}

/** Null makes the API keys valid again. */
async function setApiKeyExpiry({ store, productId }: TestOrganization, atMs: number | null): Promise<void> {
  await store.transaction(async (db) => {
    await db
      .updateTable("product_api_keys")
      .set({ expires_at: atMs })
      .where("product_id", "=", productId)
      .execute();
  });
}

async function setTestKey({ store, productId }: TestOrganization, { publicId, key }: TestKey): Promise<void> {
  const row = { product_id: productId, public_id: publicId, api_key: key, created_at: Date.now() };
  await store.transaction((db) => replaceSandboxKey(db, row));
}

/** Rotates to this secret now. The client's other secrets become active later, one per day. */
async function signWith(
  { store, productId }: TestOrganization,
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

function rowOf({ outcome = {} }: ServerSetup): OutcomeRow {
  if (typeof outcome !== "string") return { name: "", status: "", ...outcome };
  const row = outcomeRows.find(({ name }) => name === outcome);
  if (row === undefined) throw new Error(`There is no outcome row named: ${outcome}`);
  return row;
}

type TestKey = ReturnType<typeof generateTestKey>;

function clientFor(
  seller: TestOrganization,
  { signing, api_key }: ServerSetup,
  testKey: TestKey,
): GeneratedSettings {
  const wrong = `${seller.apiKey.slice(0, -1)}${seller.apiKey.endsWith("A") ? "B" : "A"}`;
  return {
    api_key: api_key === "wrong" ? wrong : api_key === "test" ? testKey.key : seller.apiKey,
    ...(signing === undefined ? {} : { signing: signingFor(seller, signing, testKey) }),
  };
}

function signingFor(
  { productId, signingKey }: TestOrganization,
  signing: NonNullable<ServerSetup["signing"]>,
  testKey: TestKey,
): SigningSettings {
  if (typeof signing === "object") {
    const { product, ...known } = signing;
    return { ...known, product_id: product === "another" ? newId() : productId };
  }
  const known = Buffer.from(signingKey.secret).toString("hex");
  const other = randomBytes(32).toString("hex");
  const ofSandbox = Buffer.from(sandboxSigningKey(testKey).secret).toString("hex");
  const secrets = {
    current: [known],
    "current and next": [other, known],
    wrong: [other],
    sandbox: [ofSandbox],
  };
  return { product_id: productId, secrets: secrets[signing] };
}
