import type { Item, Params } from "../../api/client.ts";

export type IpBlock = Item<"listOrganizationIpBlocks">;

/** What a block applies to. */
export type BlockScope =
  | { readonly level: "platform" }
  | { readonly level: "organization"; readonly organizationId: string }
  | { readonly level: "customer"; readonly organizationId: string; readonly customerId: string }
  | { readonly level: "license"; readonly licenseId: string };

export interface BlockChoice {
  /** Empty if the level is enough. */
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

/** The four routes of a level, which have the same shapes, and what their paths need. */
export function routesOf(scope: BlockScope): {
  readonly list: "listOrganizationIpBlocks";
  readonly add: "addOrganizationIpBlock";
  readonly update: "updateOrganizationIpBlock";
  readonly remove: "removeOrganizationIpBlock";
  readonly params: Params<"listOrganizationIpBlocks">;
} {
  return {
    ...(routes[scope.level] as (typeof routes)["organization"]),
    params: paramsOf(scope) as Params<"listOrganizationIpBlocks">,
  };
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

/** A single IP address without its prefix length. */
export function shownCidr(cidr: string): string {
  return cidr.replace(/^(\d+\.\d+\.\d+\.\d+)\/32$|^(.*:.*)\/128$/, "$1$2");
}

/** Only a single IP address has a page. */
export function isSingleIp(cidr: string): boolean {
  return !shownCidr(cidr).includes("/");
}
