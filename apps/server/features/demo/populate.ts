import { randomBytes } from "node:crypto";
import { dayMs } from "@countersign/domain/dates/lengths";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { quotaDay } from "@countersign/domain/quota/day";
import { customerFor } from "@countersign/store/queries/customers";
import { createLicenses, type NewLicense } from "@countersign/store/queries/licenses";
import { setBillingState, suspendOrganization } from "@countersign/store/queries/organizations";
import { deleteProduct } from "@countersign/store/queries/products";
import { setDailyUsage } from "@countersign/store/queries/usage";
import { setVersion } from "@countersign/store/queries/versions";
import type { Database, Store } from "@countersign/store/store";
import { newId } from "../../new-id.ts";
import { addOrganization } from "../organizations/create.ts";
import { addProduct } from "../products/create.ts";
import {
  type DemoOrganization,
  type DemoProduct,
  demoCustomers,
  demoOrganizations,
  type Role,
} from "./catalog.ts";

/** A demo product, as the examples need it. */
export interface Stand {
  readonly organizationId: string;
  readonly productId: string;
  readonly apiKey: string;
  readonly customerIds: readonly string[];
}

export type Stands = ReadonlyMap<Role, Stand>;

/** Fills the database with organizations in every state. Each is written completely before the next. */
export async function populate(store: Store): Promise<Stands> {
  const nowMs = await store.clock();
  const stands = new Map<Role, Stand>();
  for (const organization of demoOrganizations) {
    for (const [role, stand] of await store.transaction((db) => build(db, store, organization, nowMs))) {
      stands.set(role, stand);
    }
  }
  return stands;
}

async function build(db: Database, store: Store, wanted: DemoOrganization, nowMs: number): Promise<Stands> {
  const stands = new Map<Role, Stand>();
  const { id: organizationId } = await addOrganization(db, wanted, nowMs);
  const customerIds: string[] = [];
  for (const name of demoCustomers) {
    const who = { name, email: emailOf(name), discordId: null };
    customerIds.push(await customerFor(db, organizationId, who, newId, nowMs));
  }
  for (const product of wanted.products) {
    const { role, name, settings = {} } = product;
    const { id, apiKey } = await addProduct(db, store.sealer, { organizationId, name, settings }, nowMs);
    const stand = { organizationId, productId: id, apiKey, customerIds };
    await finishProduct(db, product, stand, nowMs);
    stands.set(role, stand);
  }
  if (wanted.state === "suspended") {
    await suspendOrganization(db, organizationId, "Sold keys that were not theirs to sell.", nowMs);
  }
  if (wanted.state === "unpaid") await setBillingState(db, organizationId, "suspended", nowMs);
  return stands;
}

async function finishProduct(db: Database, product: DemoProduct, stand: Stand, nowMs: number): Promise<void> {
  for (const record of product.versions ?? []) await setVersion(db, stand.productId, record, nowMs);
  const licenses = Array.from({ length: product.licenses }, (_, index) => demoLicense(stand, index, nowMs));
  await createLicenses(db, licenses, nowMs);
  if (product.usedToday !== undefined) {
    await setDailyUsage(db, stand.productId, quotaDay(nowMs), product.usedToday);
  }
  if (product.deleted) await deleteProduct(db, stand.productId, nowMs);
}

/** A license like those that gather over the years: some forever, some run out, a few taken back. */
function demoLicense(stand: Stand, index: number, nowMs: number): NewLicense {
  const shape = index % 10;
  const revoked = shape === 9;
  return {
    ...blankLicense(stand, index),
    expiresAtMs: shape < 4 ? null : nowMs + (shape === 8 ? -30 : 20 + 30 * shape) * dayMs,
    maxIps: shape === 3 ? null : 1 + (index % 5),
    notes: shape === 5 ? "Bought at the spring sale." : null,
    revokedAtMs: revoked ? nowMs - 3 * dayMs : null,
    revokedReason: revoked ? "The payment was charged back." : null,
  };
}

/** An ordinary license. The number selects the customer. */
export function blankLicense(stand: Stand, number: number): NewLicense {
  return {
    id: newId(),
    organizationId: stand.organizationId,
    productId: stand.productId,
    customerId: stand.customerIds[number % stand.customerIds.length] ?? null,
    key: generateLicenseKey(randomBytes),
    maxIps: 3,
  };
}

function emailOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ı", "i").toLowerCase();
  return `${plain.replace(/[^a-z]+/g, ".")}@example.com`;
}
