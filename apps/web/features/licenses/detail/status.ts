import type { License, Product } from "./license.ts";

/** Whether requests with this key are accepted, and why; in the order in which a validation checks it. */
export type Status =
  | { readonly kind: "organization_suspended" | "product_archived" | "product_disabled" }
  | { readonly kind: "revoked"; readonly at: string; readonly reason: string | null }
  | { readonly kind: "expired"; readonly at: string }
  | { readonly kind: "no_ip" }
  | { readonly kind: "expired_unenforced" | "works_until"; readonly at: string }
  | { readonly kind: "works_for_a_term"; readonly seconds: number }
  | { readonly kind: "works_forever" };

/** Limits of a license that works. */
export type Limit =
  | { readonly kind: "blocked"; readonly count: number }
  | { readonly kind: "limit_reached"; readonly count: number }
  | { readonly kind: "only_registered" | "ips_unlimited" }
  | { readonly kind: "version_pinned"; readonly version: string }
  | { readonly kind: "version_range"; readonly min: string | null; readonly max: string | null };

/** Without permission to see the product, its default settings are assumed. */
export function statusOf(license: License, product: Product | null, isSuspended: boolean): Status {
  if (isSuspended) return { kind: "organization_suspended" };
  if (product?.status === "archived") return { kind: "product_archived" };
  if (product?.status === "disabled") return { kind: "product_disabled" };
  const { revoked_at: revokedAt, expires_at: expiresAt, term_seconds: seconds } = license;
  if (revokedAt !== null) return { kind: "revoked", at: revokedAt, reason: license.revoked_reason };
  const isOver = license.status === "expired" && expiresAt !== null;
  if (isOver && product?.expiry_enforcement !== false) return { kind: "expired", at: expiresAt };
  if (license.current_unique_ip_count === 0 && isChecked(license, product) && isManual(product))
    return { kind: "no_ip" };
  if (isOver) return { kind: "expired_unenforced", at: expiresAt };
  if (expiresAt !== null) return { kind: "works_until", at: expiresAt };
  if (seconds !== null) return { kind: "works_for_a_term", seconds };
  return { kind: "works_forever" };
}

export function isRejected({ kind }: Status): boolean {
  switch (kind) {
    case "organization_suspended":
    case "product_archived":
    case "product_disabled":
    case "revoked":
    case "expired":
    case "no_ip":
      return true;
    case "expired_unenforced":
    case "works_until":
    case "works_for_a_term":
    case "works_forever":
      return false;
  }
}

export function limitsOf(license: License, product: Product | null, blocks: number): Limit[] {
  const limits: Limit[] = [];
  const { max_ips: limit, current_unique_ip_count: taken } = license;
  if (blocks > 0) limits.push({ kind: "blocked", count: blocks });
  if (!isChecked(license, product)) limits.push({ kind: "ips_unlimited" });
  else if (limit !== null && taken >= limit) limits.push({ kind: "limit_reached", count: limit });
  else if (isManual(product) || (product?.auto_register_scope === "first_only" && taken > 0))
    limits.push({ kind: "only_registered" });
  if (product?.version_module_enabled !== true || product.version_enforcement !== "enforce") return limits;
  if (license.version_pin_mode === "pinned" && license.version_pinned !== null)
    limits.push({ kind: "version_pinned", version: license.version_pinned });
  if (license.version_pin_mode === "range")
    limits.push({
      kind: "version_range",
      min: license.version_range_min,
      max: license.version_range_max,
    });
  return limits;
}

function isChecked(license: License, product: Product | null): boolean {
  return license.ip_system_enabled && product?.track_ip_on_validate !== false;
}

function isManual(product: Product | null): boolean {
  return product?.auto_register_ip_on_validate === false;
}
