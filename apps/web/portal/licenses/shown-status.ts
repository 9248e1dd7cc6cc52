import type { LicenseSummary } from "../base/api.ts";

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
