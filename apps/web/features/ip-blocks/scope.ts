import type { Item } from "../../api/client.ts";

export type IpBlock = Item<"listOrganizationIpBlocks">;

/** Whom a block is for. */
export type BlockScope =
  | { readonly level: "platform" }
  | { readonly level: "organization"; readonly organizationId: string }
  | { readonly level: "customer"; readonly organizationId: string; readonly customerId: string }
  | { readonly level: "license"; readonly licenseId: string };

export interface BlockChoice {
  /** Empty where the level says it all. */
  readonly label: string;
  readonly scope: BlockScope;
}

export function sameScope(one: BlockScope, other: BlockScope): boolean {
  return JSON.stringify(paramsOf(one)) === JSON.stringify(paramsOf(other));
}

const routes = {
  platform: {
    list: "listPlatformIpBlocks",
    add: "addPlatformIpBlock",
    update: "updatePlatformIpBlock",
    remove: "removePlatformIpBlock",
  },
  organization: {
    list: "listOrganizationIpBlocks",
    add: "addOrganizationIpBlock",
    update: "updateOrganizationIpBlock",
    remove: "removeOrganizationIpBlock",
  },
  customer: {
    list: "listCustomerIpBlocks",
    add: "addCustomerIpBlock",
    update: "updateCustomerIpBlock",
    remove: "removeCustomerIpBlock",
  },
  license: {
    list: "listLicenseIpBlocks",
    add: "addLicenseIpBlock",
    update: "updateLicenseIpBlock",
    remove: "removeLicenseIpBlock",
  },
} as const;

/** What says of an address whether it is blocked, and by whom. */
export const affectedQueries = ["getIp", "listIps", "listLicenseIps", "listAuditLog"] as const;

/** The four routes of a level, which have the same shapes, and what their paths need. */
export function routesOf(scope: BlockScope): {
  readonly list: "listOrganizationIpBlocks";
  readonly add: "addOrganizationIpBlock";
  readonly update: "updateOrganizationIpBlock";
  readonly remove: "removeOrganizationIpBlock";
  readonly params: Record<string, string>;
} {
  return { ...(routes[scope.level] as (typeof routes)["organization"]), params: paramsOf(scope) };
}

function paramsOf(scope: BlockScope): Record<string, string> {
  switch (scope.level) {
    case "platform":
      return {};
    case "organization":
      return { organization_id: scope.organizationId };
    case "customer":
      return { organization_id: scope.organizationId, customer_id: scope.customerId };
    case "license":
      return { license_id: scope.licenseId };
  }
}

/** A single address without the length that says so. */
export function shownCidr(cidr: string): string {
  return cidr.replace(/^(\d+\.\d+\.\d+\.\d+)\/32$|^(.*:.*)\/128$/, "$1$2");
}

/** The same for a path: what a network is cannot be looked up as an address. */
export function isAddress(cidr: string): boolean {
  return !shownCidr(cidr).includes("/");
}
