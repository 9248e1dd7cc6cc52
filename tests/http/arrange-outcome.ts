import { customerFor } from "@countersign/store/queries/customers/identify";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { setVersion } from "@countersign/store/queries/versions/versions";
import { newId, type TestOrganization } from "../support/test-organization.ts";
import type { OutcomeRow } from "./outcome-rows.ts";

/** Stores the state that a row describes. */
export async function arrange(org: TestOrganization, row: OutcomeRow) {
  const { store, organizationId, productId } = org;
  const now = Date.now();
  const { customer, organization } = row;
  const customerId = customer
    ? await store.transaction((db) =>
        customerFor(db, organizationId, { ...customer, discordId: null }, newId, now),
      )
    : null;
  const created = row.license === null ? null : await org.license({ customerId, ...row.license });
  const licenseId = created?.id ?? "";
  await store.transaction(async (db) => {
    for (const ip of row.registeredIps ?? []) await registerIp(db, licenseId, ip, now);
    for (const [version, state] of Object.entries(row.versions ?? {}))
      await setVersion(db, productId, { version, state }, now);
    if (row.isCallerBlocked) {
      const scope = { tier: "license", organizationId, licenseId } as const;
      const cidr = "127.0.0.1/32";
      await addIpBlocks(db, [{ id: newId(), scope, cidr, note: null, expiresAtMs: null }], now);
    }
    if (organization !== undefined)
      await db.updateTable("organizations").set(organization).where("id", "=", organizationId).execute();
    if (row.isProductDeleted)
      await db.updateTable("products").set({ deleted_at: now }).where("id", "=", productId).execute();
  });
  return { key: created?.key ?? "0000-0000-0000-0000", licenseId };
}

/** All ten members in order, because the signature covers these exact bytes. */
export function expectedBody({ status, expected }: Pick<OutcomeRow, "status" | "expected">): string {
  const ipMembers = { ip_registered: null, ip_count: null, max_ips: null };
  const others = { version: null, version_valid: null, custom: null };
  const members = { expires: null, ...ipMembers, ...others, ...expected };
  return JSON.stringify({ valid: status === "active", status, ...members, signature: null });
}
