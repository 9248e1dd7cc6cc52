import { dayMs } from "@countersign/domain/dates/lengths";
import { maskedKey } from "@countersign/domain/licenses/key";
import { newId } from "@countersign/store/new-id";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { personWith } from "@countersign/store/queries/portal/people";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import type { Store } from "@countersign/store/store";
import { demoCustomers } from "./catalog.ts";
import { blankLicense, emailOf, type SeededProducts } from "./populate.ts";

/** Reserved for documentation by RFC 5737. */
const usedIps = ["203.0.113.24", "198.51.100.7"];

/**
 * Gives the first demo customer something to do in the portal: a license that has no free slot, and one with a transfer
 * that waits for review. Returns the customer's email address.
 */
export async function addPortalCustomer(store: Store, seededProducts: SeededProducts): Promise<string> {
  const seeded = seededProducts.get("plain");
  const [name = "", targetName = ""] = demoCustomers;
  const customerId = seeded?.customerIds[0];
  if (seeded === undefined || customerId === undefined) throw new Error("The demo has no portal customer.");
  const email = emailOf(name);
  const nowMs = await store.clock();
  await store.transaction(async (db) => {
    const full = { ...blankLicense(seeded, 0), maxIps: usedIps.length, expiresAtMs: nowMs + 12 * dayMs };
    const given = blankLicense(seeded, 0);
    await createLicenses(db, [full, given], nowMs);
    for (const ip of usedIps) await registerIp(db, full.id, ip, nowMs);
    await addTransfer(db, {
      id: newId(),
      organization_id: seeded.organizationId,
      product_id: seeded.productId,
      license_id: given.id,
      license_key_hint: maskedKey(given.key),
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
