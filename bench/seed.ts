import { randomBytes } from "node:crypto";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { addIpBlocks, type NewIpBlock } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, type NewLicense } from "@countersign/store/queries/licenses/create";
import { newId, openTestOrganization } from "../tests/support/test-organization.ts";
import { createManagementAccess, type ManagementAccess } from "./management-load.ts";

export interface Seeded {
  readonly apiKey: string;
  /** A sample of the keys, used by the load. */
  readonly keys: readonly string[];
  readonly access: ManagementAccess;
}

const batchSize = 5_000;
const sampleSize = 50_000;

/** Creates an organization with a signing product and this many licenses, each with 127.0.0.1 registered. */
export async function seed(location: DatabaseLocation, licenses: number, cidrBlocks = 0): Promise<Seeded> {
  // A daily limit that is never reached, so that every response includes the work of counting.
  const seller = await openTestOrganization(location, {
    dailyLimit: 1_000_000_000,
    settings: { signed_validation: 1 },
  });
  const sample: string[] = [];
  const sampleEvery = Math.max(1, Math.floor(licenses / sampleSize));
  for (let start = 0; start < licenses; start += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, licenses - start) }, (_, index): NewLicense => {
      const key = generateLicenseKey(randomBytes);
      if ((start + index) % sampleEvery === 0) sample.push(key);
      return {
        id: newId(),
        organizationId: seller.organizationId,
        productId: seller.productId,
        customerId: null,
        key,
        maxIps: 5,
        firstUsedAtMs: Date.now(),
      };
    });
    await seller.store.transaction(async (db) => {
      const nowMs = Date.now();
      await createLicenses(db, rows, nowMs);
      for (let at = 0; at < rows.length; at += 1_000) {
        const ips = rows
          .slice(at, at + 1_000)
          .map((row) => ({ license_id: row.id, ip: "127.0.0.1", registered_at: nowMs }));
        await db.insertInto("license_ips").values(ips).execute();
        const ids = ips.map(({ license_id }) => license_id);
        await db.updateTable("licenses").set({ ip_count: 1 }).where("id", "in", ids).execute();
      }
    });
  }
  await seller.store.transaction(async (db) => {
    await addIpBlocks(db, blocks(cidrBlocks, seller.organizationId), Date.now());
  });
  const access = await createManagementAccess(seller.store, seller.organizationId, seller.productId);
  await seller.store.close();
  return { apiKey: seller.apiKey, keys: sample, access };
}

/** IP blocks of different sizes, half of them platform-wide. None covers the load generator. */
function blocks(count: number, organizationId: string): NewIpBlock[] {
  return Array.from({ length: count }, (_, index) => {
    const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4);
    const network = (a % 100) + 10;
    const cidr = [
      `${network}.${b}.${c}.${d}/32`,
      `${network}.${b}.${c}.0/24`,
      `2001:db8:${(b * 256 + c).toString(16)}::/48`,
    ][index % 3];
    return {
      id: newId(),
      scope: index % 2 === 0 ? { tier: "platform" } : { tier: "organization", organizationId },
      cidr: cidr ?? "10.0.0.0/8",
      note: null,
      expiresAtMs: null,
    };
  });
}
