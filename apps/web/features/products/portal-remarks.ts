import type { Product } from "./frame/use-product.ts";

type Settings = Pick<
  Product,
  | "portal_enabled"
  | "portal_ip_removals_per_30_days"
  | "track_ip_on_validate"
  | "auto_register_ip_on_validate"
  | "transfers"
  | "transfer_rotates_key"
>;

/** Which settings of the portal have no effect at present and why, and which combinations are risky. */
export function portalRemarks(product: Settings) {
  const portalOff = product.portal_enabled ? null : ("portalOff" as const);
  const takesRequests = product.portal_enabled && product.transfers !== "off";
  // A decision about a request that is already waiting applies these in any case.
  const onlyWaiting = takesRequests ? null : ("onlyWaiting" as const);
  const removesIps = product.portal_ip_removals_per_30_days > 0;
  return {
    noEffect: {
      renewal_url: portalOff,
      portal_ip_removals_per_30_days: portalOff ?? (product.track_ip_on_validate ? null : "noTracking"),
      portal_key_rotation: portalOff,
      transfers: portalOff,
      transfer_cooldown_days: portalOff ?? withoutCooldown[product.transfers],
      transfer_resets_ips: onlyWaiting,
      transfer_rotates_key: onlyWaiting,
    },
    cannotReplaceIps: removesIps && product.track_ip_on_validate && !product.auto_register_ip_on_validate,
    // With the same key, they can register their IP addresses again.
    formerOwnersKeepAccess: takesRequests && !product.transfer_rotates_key,
  };
}

const withoutCooldown = { off: "transfersOff", review: "notAutomatic", automatic: null } as const;
