import { maskedKey } from "@countersign/domain/licenses/key";
import { listedLicenses } from "@countersign/store/queries/analytics/listed-licenses";
import type { MemberContext, OrganizationContext } from "../../api/context.ts";

export type Listed = Awaited<ReturnType<typeof listedLicenses>>[number];

/** The licenses with these IDs that still exist. */
export async function knownLicenses(
  context: OrganizationContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Listed>> {
  const rows = await listedLicenses(context.store.reads, context.organization.id, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A license as lists show it. Its customer is only shown to those who can view licenses. */
export function shownLicense(
  context: MemberContext,
  licenseId: string,
  productId: string,
  known: Listed | undefined,
) {
  const seesCustomers = context.organizationAccess.permissions.has("licenses:view");
  return {
    license_id: licenseId,
    license_key: known === undefined ? null : maskedKey(known.license_key),
    customer_name: (seesCustomers ? known?.customer_name : null) ?? null,
    customer_email: (seesCustomers ? known?.customer_email : null) ?? null,
    product_id: known?.product_id ?? productId,
    product_name: known?.product_name ?? null,
  };
}
