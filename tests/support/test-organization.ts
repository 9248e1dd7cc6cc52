import { randomBytes, randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { generateApiKey } from "@countersign/domain/products/api-key";
import type { Plan } from "@countersign/domain/quota/limit";
import { type DatabaseLocation, openStore } from "@countersign/store/databases/open";
import { createLicenses, type NewLicense } from "@countersign/store/queries/licenses/create";
import { createOrganization } from "@countersign/store/queries/organizations/organizations";
import { createProduct, type ProductSettings } from "@countersign/store/queries/products/products";
import type { Store } from "@countersign/store/store";

export const newId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});

/** An organization with one product, and functions that change it directly in the database. */
export type TestOrganization = Awaited<ReturnType<typeof openTestOrganization>>;

/** Opens a store at this location, unless one is given. */
export async function openTestOrganization(
  location: DatabaseLocation | null,
  options: {
    plan?: Plan;
    dailyLimit?: number | null;
    settings?: Partial<ProductSettings>;
    now?: () => number;
    /** Uses this open store, and leaves it open. */
    store?: Store;
  } = {},
) {
  const store = options.store ?? (await openAt(location, options.now));
  const organizationId = newId();
  const organization = {
    id: organizationId,
    name: "Test Organization",
    slug: `org-${organizationId}`,
    plan: options.plan ?? "enterprise",
    dailyLimitOverride: options.dailyLimit ?? null,
  };
  await store.transaction((db) => createOrganization(db, organization, Date.now()));
  const product = async (settings: Partial<ProductSettings> = {}) => {
    const productId = newId();
    const apiKey = generateApiKey(randomBytes);
    const signingKey = { id: randomBytes(4).toString("hex"), secret: randomBytes(32) as Uint8Array };
    const sealedSecret = store.sealer.seal(signingKey.secret);
    const made = { id: productId, organizationId, name: "Test Product", apiKey, settings };
    await store.transaction((db) =>
      createProduct(db, { ...made, signingKey: { id: signingKey.id, sealedSecret } }, Date.now()),
    );
    return { productId, apiKey: apiKey.key, signingKey };
  };
  const first = await product(options.settings);
  return {
    store,
    organizationId,
    ...first,
    product,
    license: async (settings: Partial<NewLicense> = {}) => {
      const { id = newId(), key = generateLicenseKey(randomBytes) } = settings;
      const owner = { organizationId, productId: first.productId, customerId: null, maxIps: 3 };
      await store.transaction((db) => createLicenses(db, [{ ...owner, ...settings, id, key }], Date.now()));
      return { id, key };
    },
  };
}

async function openAt(location: DatabaseLocation | null, now?: () => number): Promise<Store> {
  if (location === null) throw new Error("Without a location, an organization needs an open store.");
  const options = { encryptionKey: null, durability: "standard" } as const;
  return openStore(location, now === undefined ? options : { ...options, now });
}
