import { calendarDays } from "@countersign/domain/dates/relative-time";
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
  | { readonly kind: "never" | "over" }
  | { readonly kind: "from_first_use"; readonly seconds: number }
  /** `nowMs` is the server's clock, so that a wrong one here changes nothing. */
  | { readonly kind: "ahead"; readonly atMs: number; readonly nowMs: number; readonly isSoon: boolean };

export type ExpiryFacts = Parameters<typeof shownStatus>[0] &
  Pick<LicenseSummary, "expires_at" | "seconds_left" | "term_seconds">;

/** How long a license is still valid. Null if it is refused for another reason: then that is no answer. */
export function expiryOf(license: ExpiryFacts, timeZone: string): Expiry | null {
  const status = shownStatus(license);
  if (status !== "active" && status !== "expired") return null;
  const { expires_at: at, seconds_left: seconds, term_seconds: term } = license;
  if (at === null || seconds === null)
    return term === null ? { kind: "never" } : { kind: "from_first_use", seconds: term };
  if (seconds <= 0) return { kind: "over" };
  const atMs = Date.parse(at);
  const nowMs = atMs - seconds * 1_000;
  return { kind: "ahead", atMs, nowMs, isSoon: calendarDays(atMs, nowMs, timeZone) < soonDays };
}
