import type { LicenseSummary, Seller } from "../base/api.ts";

export interface SellerGroup {
  readonly seller: Seller;
  readonly licenses: readonly LicenseSummary[];
}

/** In the order of the list, each seller once. */
export function bySeller(licenses: readonly LicenseSummary[]): SellerGroup[] {
  const groups = new Map<string, { seller: Seller; licenses: LicenseSummary[] }>();
  for (const license of licenses) {
    const { organization_id: id } = license.seller;
    const group = groups.get(id) ?? { seller: license.seller, licenses: [] };
    group.licenses.push(license);
    groups.set(id, group);
  }
  return [...groups.values()];
}
