import { type Cidr, parseCidr } from "../ip/cidr.ts";
import type { ProductFacts } from "../validate/facts.ts";
import { VersionCatalog, type VersionState } from "../versions/catalog.ts";

/** A change of a product that is tried against past requests before it is made. */
export type ShadowChange =
  | { readonly type: "max_ips"; readonly max_ips: number }
  | { readonly type: "registration"; readonly registration: "off" }
  | { readonly type: "block_version"; readonly version: string }
  | { readonly type: "block_ip"; readonly cidr: string };

/** Why a change refuses nothing with the product's settings. */
export const ineffectiveReasons = [
  "ip_not_checked",
  "registration_already_off",
  "only_first_ip_registered",
  "versions_not_checked",
  "versions_reported_only",
] as const;

export type IneffectiveReason = (typeof ineffectiveReasons)[number];

/** Null if the change can refuse requests. */
export function ineffective(change: ShadowChange, product: ProductFacts): IneffectiveReason | null {
  switch (change.type) {
    case "max_ips":
      if (!product.trackIp) return "ip_not_checked";
      // The limit only decides whether another IP address is registered.
      if (product.registration === "off") return "registration_already_off";
      return product.registration === "first_only" ? "only_first_ip_registered" : null;
    case "registration":
      if (!product.trackIp) return "ip_not_checked";
      return product.registration === "off" ? "registration_already_off" : null;
    case "block_version":
      if (product.versions === null) return "versions_not_checked";
      return product.versions.enforced ? null : "versions_reported_only";
    case "block_ip":
      return null;
  }
}

/** The product's version records with another one blocked. */
export function withBlocked(
  records: readonly { readonly version: string; readonly state: VersionState }[],
  version: string,
): VersionCatalog {
  return VersionCatalog.from([...records, { version, state: "blocked" }]);
}

export function blockedCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new Error(`${text} is no network.`);
  return cidr;
}
