import type { Permission } from "@countersign/domain/members/permissions";
import type { IconName } from "../ui/icon.tsx";
import type { PageLink } from "../ui/page-link.ts";
import { paths } from "./paths.ts";

export interface NavigationItem {
  /** Below the path of the organization, and the translation key. */
  readonly path: string;
  readonly page: (organization: string) => PageLink;
  readonly icon: IconName;
  /** Any of these permissions is enough; an empty list is for every member. */
  readonly any: readonly Permission[];
  /** Pressed after "g". */
  readonly key: string;
}

/** In the groups of the sidebar. */
export const navigationItems: readonly (readonly NavigationItem[])[] = [
  [
    { path: "", page: paths.overview, icon: "overview", any: [], key: "o" },
    { path: "licenses", page: paths.licenses, icon: "license", any: ["licenses:view"], key: "l" },
    {
      path: "customers",
      page: paths.customers,
      icon: "customer",
      any: ["customers:view", "customers:manage"],
      key: "c",
    },
    { path: "transfers", page: paths.transfers, icon: "transfer", any: ["transfers:review"], key: "x" },
    {
      path: "products",
      page: paths.products,
      icon: "product",
      any: ["products:view", "products:manage", "products:rotate_key"],
      key: "p",
    },
    { path: "ips", page: paths.ips, icon: "ip", any: ["licenses:view", "ip_blocks:manage"], key: "i" },
    { path: "requests", page: paths.requests, icon: "request", any: ["requests:view"], key: "q" },
  ],
  [
    {
      path: "webhooks",
      page: paths.webhooks,
      icon: "webhook",
      any: ["webhooks:view", "webhooks:manage"],
      key: "w",
    },
    { path: "analytics", page: paths.analytics, icon: "analytics", any: ["analytics:view"], key: "n" },
    {
      path: "usage",
      page: paths.usage,
      icon: "usage",
      any: ["products:view", "products:manage", "products:rotate_key", "analytics:view"],
      key: "u",
    },
    { path: "audit-log", page: paths.auditLog, icon: "audit", any: ["audit_log:view"], key: "a" },
  ],
  [
    {
      path: "members",
      page: paths.members,
      icon: "members",
      any: ["members:view", "members:invite", "members:remove", "roles:edit"],
      key: "m",
    },
    { path: "roles", page: paths.roles, icon: "role", any: ["members:view", "roles:edit"], key: "r" },
    {
      path: "access-tokens",
      page: paths.accessTokens,
      icon: "token",
      any: ["organization:manage"],
      key: "t",
    },
    { path: "settings", page: paths.settings, icon: "settings", any: ["organization:manage"], key: "s" },
    {
      path: "settings/billing",
      page: paths.billing,
      icon: "billing",
      any: ["billing:view", "billing:manage"],
      key: "b",
    },
  ],
];
