import type { Permission } from "@countersign/domain/members/permissions";
import type { IconName } from "../ui/icon.tsx";

export interface NavigationItem {
  /** The path below `/o/$organization/`, and the translation key. */
  readonly path: string;
  readonly icon: IconName;
  /** Any of these permissions is enough; an empty list is for every member. */
  readonly any: readonly Permission[];
  /** Pressed after "g". */
  readonly key: string;
}

/** In the groups of the sidebar. */
export const navigationItems: readonly (readonly NavigationItem[])[] = [
  [
    { path: "", icon: "overview", any: [], key: "o" },
    { path: "licenses", icon: "license", any: ["licenses:view"], key: "l" },
    { path: "customers", icon: "customer", any: ["customers:view", "customers:manage"], key: "c" },
    { path: "transfers", icon: "transfer", any: ["transfers:review"], key: "x" },
    {
      path: "products",
      icon: "product",
      any: ["products:view", "products:manage", "products:rotate_key"],
      key: "p",
    },
    { path: "ips", icon: "ip", any: ["licenses:view", "ip_blocks:manage"], key: "i" },
    { path: "requests", icon: "request", any: ["requests:view"], key: "q" },
  ],
  [
    { path: "webhooks", icon: "webhook", any: ["webhooks:view", "webhooks:manage"], key: "w" },
    { path: "analytics", icon: "analytics", any: ["analytics:view"], key: "n" },
    {
      path: "usage",
      icon: "usage",
      any: ["products:view", "products:manage", "products:rotate_key", "analytics:view"],
      key: "u",
    },
    { path: "audit-log", icon: "audit", any: ["audit_log:view"], key: "a" },
  ],
  [
    {
      path: "members",
      icon: "members",
      any: ["members:view", "members:invite", "members:remove", "roles:edit"],
      key: "m",
    },
    { path: "roles", icon: "role", any: ["members:view", "roles:edit"], key: "r" },
    { path: "access-tokens", icon: "token", any: ["organization:manage"], key: "t" },
    { path: "settings", icon: "settings", any: ["organization:manage"], key: "s" },
    { path: "settings/billing", icon: "billing", any: ["billing:view", "billing:manage"], key: "b" },
  ],
];
