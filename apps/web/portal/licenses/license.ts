import type { LicenseSummary, Seller } from "../base/api.ts";

export type ShownStatus =
  | "active"
  | "revoked"
  | "expired"
  | "product_disabled"
  | "product_archived"
  | "seller_suspended";

/** What validate says first: the seller and the product come before the license. */
export function shownStatus(license: Pick<LicenseSummary, "seller" | "product" | "status">): ShownStatus {
  if (license.seller.is_suspended) return "seller_suspended";
  if (license.product.status === "archived") return "product_archived";
  if (license.product.status === "disabled") return "product_disabled";
  return license.status;
}

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

/** From this many days before the expiry on, it is emphasized. */
const soonDays = 14;

type Expiry =
  | { readonly kind: "never" }
  /** Whole days that are left; 0 on the last day. */
  | { readonly kind: "ahead"; readonly daysLeft: number; readonly isSoon: boolean }
  | { readonly kind: "over" };

/** How long a license is still valid, from the server's count, which a wrong clock here does not change. */
export function expiryOf(daysLeft: number | null): Expiry {
  if (daysLeft === null) return { kind: "never" };
  if (daysLeft < 0) return { kind: "over" };
  return { kind: "ahead", daysLeft, isSoon: daysLeft < soonDays };
}
