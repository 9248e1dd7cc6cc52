import { randomBytes } from "node:crypto";
import { dayMs } from "@countersign/domain/dates/lengths";
import { generateLicenseKey, maskedKey } from "@countersign/domain/licenses/key";
import { quotaDay } from "@countersign/domain/quota/day";
import { newId } from "@countersign/store/new-id";
import { firstPlatformAdmin } from "@countersign/store/queries/admin/users";
import { saveBranding } from "@countersign/store/queries/branding/branding";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { createLicenses, type NewLicense, registerIp } from "@countersign/store/queries/licenses/create";
import { setBillingState, suspendOrganization } from "@countersign/store/queries/organizations/organizations";
import { personWith } from "@countersign/store/queries/portal/people";
import { deleteProduct, replaceDownloads } from "@countersign/store/queries/products/products";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import { setVersion } from "@countersign/store/queries/versions/versions";
import type { Database, Store } from "@countersign/store/store";
import { addOrganization } from "../organizations/create.ts";
import { addProduct } from "../products/product.ts";
import {
  type DemoOrganization,
  type DemoProduct,
  demoCustomers,
  demoOrganizations,
  type Role,
} from "./catalog.ts";

/** A demo product, as the examples need it. */
export interface SeededProduct {
  readonly organizationId: string;
  readonly productId: string;
  readonly apiKey: string;
  readonly customerIds: readonly string[];
  /** For license keys. */
  readonly random: RandomBytes;
}

type RandomBytes = (count: number) => Uint8Array;

export type SeededProducts = ReadonlyMap<Role, SeededProduct>;

/** Fills the database with organizations in every state. Each is written completely before the next. */
export async function populate(store: Store, random: RandomBytes = randomBytes): Promise<SeededProducts> {
  const nowMs = await store.clock();
  const seededProducts = new Map<Role, SeededProduct>();
  for (const organization of demoOrganizations) {
    for (const [role, seeded] of await store.transaction((db) =>
      build(db, store, organization, { nowMs, random }),
    )) {
      seededProducts.set(role, seeded);
    }
  }
  return seededProducts;
}

async function build(
  db: Database,
  store: Store,
  wanted: DemoOrganization,
  { nowMs, random }: { readonly nowMs: number; readonly random: RandomBytes },
): Promise<SeededProducts> {
  const seededProducts = new Map<Role, SeededProduct>();
  // Without a platform admin, the first user will own it.
  const ownerId = await firstPlatformAdmin(db);
  const { id: organizationId } = await addOrganization(db, { ...wanted, ownerId }, nowMs);
  const customerIds: string[] = [];
  for (const name of demoCustomers) {
    const who = { name, email: emailOf(name), discordId: null };
    customerIds.push(await customerFor(db, organizationId, who, newId, nowMs));
  }
  if (wanted.branding !== undefined) await saveBranding(db, organizationId, wanted.branding, nowMs);
  for (const product of wanted.products) {
    const { role, name, settings = {} } = product;
    const { id, apiKey } = await addProduct(db, store.sealer, { organizationId, name, settings }, nowMs);
    const seeded = { organizationId, productId: id, apiKey, customerIds, random };
    await finishProduct(db, product, seeded, nowMs);
    seededProducts.set(role, seeded);
  }
  if (wanted.state === "suspended") {
    await suspendOrganization(db, organizationId, "Sold keys of other sellers' products.", nowMs);
  }
  if (wanted.state === "unpaid") await setBillingState(db, organizationId, "suspended", nowMs);
  return seededProducts;
}

async function finishProduct(
  db: Database,
  product: DemoProduct,
  seeded: SeededProduct,
  nowMs: number,
): Promise<void> {
  for (const record of product.versions ?? []) await setVersion(db, seeded.productId, record, nowMs);
  const sales = Array.from({ length: product.licenses }, (_, index) => demoSale(seeded, index, nowMs));
  for (const [soldAtMs, sold] of Map.groupBy(sales, (sale) => sale.soldAtMs))
    await createLicenses(
      db,
      sold.map(({ license }) => license),
      soldAtMs,
    );
  const downloads = (product.downloads ?? []).map((download, position) => ({
    product_id: seeded.productId,
    position,
    id: newId(),
    ...download,
  }));
  await replaceDownloads(db, seeded.productId, downloads);
  if (product.usedToday !== undefined) {
    await setDailyUsage(db, seeded.productId, quotaDay(nowMs), product.usedToday);
  }
  if (product.deleted) await deleteProduct(db, seeded.productId, nowMs);
}

/**
 * A mix as in a real product, sold over the last weeks: some licenses never expire, some have expired or are about to, a
 * few are revoked.
 */
function demoSale(seeded: SeededProduct, index: number, nowMs: number) {
  const shape = index % 10;
  const revoked = shape === 9;
  const expiresInDays = shape === 8 ? -(index % 50) - 0.5 : shape === 4 ? 1 + (index % 70) : 20 + 30 * shape;
  const soldDaysAgo = (shape === 8 ? 365 : 4) + ((index * 13) % 50);
  const license: NewLicense = {
    ...blankLicense(seeded, index),
    // The first customer has licenses of their own: see addPortalCustomer.
    customerId: seeded.customerIds[1 + (index % (seeded.customerIds.length - 1))] ?? null,
    expiresAtMs: shape < 4 ? null : nowMs + expiresInDays * dayMs,
    maxIps: shape === 3 ? null : 1 + (index % 5),
    notes: shape === 5 ? "Bought at the spring sale." : null,
    revokedAtMs: revoked ? nowMs - 3 * dayMs : null,
    revokedReason: revoked ? "The payment was charged back." : null,
  };
  return { license, soldAtMs: nowMs - soldDaysAgo * dayMs };
}

/** An ordinary license. The number selects the customer. */
export function blankLicense(seeded: SeededProduct, number: number): NewLicense {
  return {
    id: newId(),
    organizationId: seeded.organizationId,
    productId: seeded.productId,
    customerId: seeded.customerIds[number % seeded.customerIds.length] ?? null,
    key: generateLicenseKey(seeded.random),
    maxIps: 3,
  };
}

function emailOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ı", "i").toLowerCase();
  return `${plain.replace(/[^a-z]+/g, ".")}@example.com`;
}

/** Reserved for documentation by RFC 5737. */
const usedIps = ["203.0.113.24", "198.51.100.7"];

/**
 * Gives the first demo customer something to do in the portal: a license that has no free slot, one with a transfer that
 * waits for review, and one of another product. Returns the customer's email address.
 */
export async function addPortalCustomer(store: Store, seededProducts: SeededProducts): Promise<string> {
  const seeded = seededProducts.get("plain");
  const other = seededProducts.get("signed");
  const [name = "", targetName = ""] = demoCustomers;
  const customerId = seeded?.customerIds[0];
  if (seeded === undefined || other === undefined || customerId === undefined)
    throw new Error("The demo has no portal customer.");
  const email = emailOf(name);
  const nowMs = await store.clock();
  await store.transaction(async (db) => {
    const full = { ...blankLicense(seeded, 0), maxIps: usedIps.length, expiresAtMs: nowMs + 12 * dayMs };
    const transferred = blankLicense(seeded, 0);
    await createLicenses(db, [full, transferred, blankLicense(other, 0)], nowMs);
    for (const ip of usedIps) await registerIp(db, full.id, ip, nowMs);
    await addTransfer(db, {
      id: newId(),
      organization_id: seeded.organizationId,
      product_id: seeded.productId,
      license_id: transferred.id,
      license_key_hint: maskedKey(transferred.key),
      state: "pending",
      from_customer_id: customerId,
      from_email: email,
      from_discord_id: null,
      from_name: name,
      to_email: emailOf(targetName),
      to_discord_id: null,
      to_customer_id: null,
      message: "I sold my studio computer.",
      review_reason: "product_setting",
      requested_by: await personWith(db, { kind: "email", value: email, name: null }, newId, nowMs),
      requested_at: nowMs,
      decided_at: null,
      decided_by: null,
      decided_by_name: null,
      reason: null,
      updated_at: nowMs,
    });
  });
  return email;
}
