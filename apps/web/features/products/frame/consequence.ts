import type { Answer } from "../../../api/client.ts";
import type { VersionChecks } from "../../../session/plan.ts";
import type { Changes, Product } from "./use-product.ts";

/** How a change of settings affects current customers. */
export type Consequence =
  | "checksVersions"
  | "unsigned"
  | "enforcesExpiry"
  | "allowList"
  | "limitsIps"
  | PortalConsequence;

/** These change what customers can do in the portal, and nothing in responses of validate. */
type PortalConsequence = "showsPortal" | "hidesPortal" | "automaticTransfers" | "noTransfers";

type Settings = Pick<
  Product,
  | "version_module_enabled"
  | "version_enforcement"
  | "signed_validation"
  | "expiry_enforcement"
  | "track_ip_on_validate"
  | "auto_register_ip_on_validate"
  | "portal_enabled"
  | "transfers"
>;
interface Terms extends Pick<Answer<"getOrganization">, "signed_validation"> {
  readonly versionChecks: VersionChecks;
}

/** Null for a change that affects no customer: it is saved immediately and can be undone. */
export function consequenceOf(product: Settings, changes: Changes, organization: Terms): Consequence | null {
  const next = { ...product, ...changes } as Settings;
  if (checksVersions(next, organization) && !checksVersions(product, organization)) return "checksVersions";
  if (isSigned(product, organization) && !isSigned(next, organization)) return "unsigned";
  if (next.expiry_enforcement && !product.expiry_enforcement) return "enforcesExpiry";
  if (isAllowList(next) && !isAllowList(product)) return "allowList";
  if (next.track_ip_on_validate && !product.track_ip_on_validate) return "limitsIps";
  return portalConsequenceOf(product, next);
}

function portalConsequenceOf(product: Settings, next: Settings): PortalConsequence | null {
  if (next.portal_enabled !== product.portal_enabled)
    return next.portal_enabled ? "showsPortal" : "hidesPortal";
  // Outside the portal, customers cannot request a transfer anyway.
  if (!next.portal_enabled || next.transfers === product.transfers) return null;
  if (next.transfers === "automatic") return "automaticTransfers";
  return next.transfers === "off" ? "noTransfers" : null;
}

/** Whether a version that is not on the list is rejected. */
export function checksVersions(
  product: Pick<Settings, "version_module_enabled" | "version_enforcement">,
  { versionChecks }: Pick<Terms, "versionChecks">,
): boolean {
  const isEffective = versionChecks === "included" || versionChecks === "enforced";
  return product.version_module_enabled && product.version_enforcement === "enforce" && isEffective;
}

function isSigned(product: Settings, organization: Terms): boolean {
  return product.signed_validation && organization.signed_validation;
}

function isAllowList(product: Settings): boolean {
  return product.track_ip_on_validate && !product.auto_register_ip_on_validate;
}
