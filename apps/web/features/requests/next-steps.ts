import type { Permission } from "@countersign/domain/members/permissions";
import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/links.tsx";
import type { LoggedRequest } from "./request.tsx";

/** What can be done about a refusal, as a link to the page where it is done. */
interface NextStep {
  /** The translation key. */
  readonly name: string;
  readonly page: PageLink;
  /** Any of these permissions is enough. */
  readonly any: readonly Permission[];
}

/** The most likely step first. Without the license, only what concerns the product is left. */
export function nextSteps(request: ExplainedRequest, slug: string): readonly NextStep[] {
  const { outcome, product_id: productId, license_id: id, license_key: key } = request;
  const productStep = (name: string, page: PageLink): NextStep => ({
    name,
    page,
    any: ["products:view", "products:manage"],
  });
  const licenseStep = (name: string, search: LicenseSearch, any: readonly Permission[]): NextStep[] =>
    key === null || id === null ? [] : [{ name, page: paths.license(slug, id, search), any }];
  switch (outcome) {
    case "expired":
      return licenseStep("renew", { do: "renew" }, ["licenses:update"]);
    case "revoked":
      return licenseStep("reinstate", {}, ["licenses:revoke"]);
    case "ip_blocked":
      return [
        {
          name: "unblock",
          page: paths.ip(slug, request.ip),
          any: ["licenses:view", "ip_blocks:manage"],
        },
      ];
    case "ip_not_registered":
      return licenseStep("register", { ip: request.ip }, ["licenses:update"]);
    case "ip_limit_reached":
      return [
        ...licenseStep("raise", { do: "edit" }, ["licenses:update"]),
        ...licenseStep("freeSlot", {}, ["licenses:reset_ips"]),
      ];
    case "version_not_allowed":
      return [
        productStep("versions", paths.productVersions(slug, productId)),
        ...licenseStep("pin", { do: "edit" }, ["licenses:update"]),
      ];
    case "product_archived":
    case "product_disabled":
      return [productStep("product", paths.product(slug, productId))];
    case "rate_limit_exceeded":
      return [
        {
          name: "usage",
          page: paths.usage(slug),
          any: ["products:view", "products:manage", "analytics:view"],
        },
      ];
    case "billing_suspended":
      return [{ name: "billing", page: paths.billing(slug), any: ["billing:view", "billing:manage"] }];
    case "license_not_found":
    case "not_found":
      return [
        { name: "licenses", page: paths.licenses(slug), any: ["licenses:view"] },
        productStep("integrate", paths.integrate(slug, productId)),
      ];
    case "body_too_large":
    case "body_timeout":
      return [productStep("integrate", paths.integrate(slug, productId))];
    case "org_suspended":
    case "product_not_found":
    case "active":
    case "found":
      return [];
  }
}

type ExplainedRequest = Pick<LoggedRequest, "outcome" | "product_id" | "license_id" | "license_key" | "ip">;

type LicenseSearch = Parameters<typeof paths.license>[2];
