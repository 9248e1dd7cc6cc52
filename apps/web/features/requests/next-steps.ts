import type { Permission } from "@countersign/domain/members/permissions";
import type { LoggedRequest } from "./request.ts";

/** What can be done about a refusal, as a link to the page where it is done. */
export interface NextStep {
  /** The translation key. */
  readonly name: string;
  /** Below the organization's path. */
  readonly path: string;
  readonly search?: Readonly<Record<string, unknown>>;
  /** Any of these permissions is enough. */
  readonly any: readonly Permission[];
}

/** The most likely step first. Without the license, only what concerns the product is left. */
export function nextSteps(request: Asked): readonly NextStep[] {
  const { outcome, product_id: productId, license_key: key } = request;
  const product = `products/${productId}`;
  const productStep = (name: string, path: string): NextStep => ({
    name,
    path: `${product}${path}`,
    any: ["products:view", "products:manage"],
  });
  const license = key === null ? null : `licenses/${request.license_id}`;
  switch (outcome) {
    case "expired":
      return licenseStep(license, "renew", { do: "renew" }, ["licenses:update"]);
    case "revoked":
      return licenseStep(license, "reinstate", {}, ["licenses:revoke"]);
    case "ip_blocked":
      return [
        {
          name: "unblock",
          path: `ips/${encodeURIComponent(request.ip)}`,
          any: ["licenses:view", "ip_blocks:manage"],
        },
      ];
    case "ip_not_registered":
      return licenseStep(license, "register", { ip: request.ip }, ["licenses:update"]);
    case "ip_limit_reached":
      return [
        ...licenseStep(license, "raise", { do: "edit" }, ["licenses:update"]),
        ...licenseStep(license, "freeSlot", {}, ["licenses:reset_ips"]),
      ];
    case "version_not_allowed":
      return [
        productStep("versions", "/versions"),
        ...licenseStep(license, "pin", { do: "edit" }, ["licenses:update"]),
      ];
    case "product_archived":
    case "product_disabled":
      return [productStep("product", "")];
    case "rate_limit_exceeded":
      return [{ name: "usage", path: "usage", any: ["products:view", "products:manage", "analytics:view"] }];
    case "billing_suspended":
      return [{ name: "billing", path: "settings/billing", any: ["billing:view", "billing:manage"] }];
    case "license_not_found":
    case "not_found":
      return [
        { name: "licenses", path: "licenses", any: ["licenses:view"] },
        productStep("integrate", "/integrate"),
      ];
    case "body_too_large":
    case "body_timeout":
      return [productStep("integrate", "/integrate")];
    case "org_suspended":
    case "product_not_found":
    case "active":
    case "found":
      return [];
  }
}

type Asked = Pick<LoggedRequest, "outcome" | "product_id" | "license_id" | "license_key" | "ip">;

function licenseStep(
  path: string | null,
  name: string,
  search: Readonly<Record<string, unknown>>,
  any: readonly Permission[],
): readonly NextStep[] {
  return path === null ? [] : [{ name, path, search, any }];
}
