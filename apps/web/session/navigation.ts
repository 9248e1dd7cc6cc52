import type { Permission } from "@countersign/domain/members/permissions";
import type { IconName } from "../ui/icon.tsx";
import type { PageLink } from "../ui/links.tsx";
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

/** An entry of the sidebar, with the pages that are listed below it while one of them is open. */
export interface NavigationSection {
  /** The translation key. */
  readonly name: string;
  readonly icon: IconName;
  /** Whether the entry itself is the first page, which is then not listed below it. */
  readonly isPage: boolean;
  readonly pages: readonly NavigationItem[];
}

const section = (page: NavigationItem, ...others: readonly NavigationItem[]): NavigationSection => ({
  name: page.path === "" ? "overview" : page.path,
  icon: page.icon,
  isPage: true,
  pages: [page, ...others],
});

/** An organization's pages, in the order of the sidebar. */
export const navigationSections: readonly NavigationSection[] = [
  section({ path: "", page: paths.overview, icon: "overview", any: [], key: "o" }),
  section({ path: "licenses", page: paths.licenses, icon: "license", any: ["licenses:view"], key: "l" }),
  section(
    {
      path: "customers",
      page: paths.customers,
      icon: "customer",
      any: ["customers:view", "customers:manage"],
      key: "c",
    },
    { path: "transfers", page: paths.transfers, icon: "transfer", any: ["transfers:review"], key: "x" },
  ),
  section({
    path: "products",
    page: paths.products,
    icon: "product",
    any: ["products:view", "products:manage", "products:rotate_key"],
    key: "p",
  }),
  section({ path: "requests", page: paths.requests, icon: "request", any: ["requests:view"], key: "q" }),
  section({
    path: "ips",
    page: paths.ips,
    icon: "ip",
    any: ["licenses:view", "ip_blocks:manage"],
    key: "i",
  }),
  section(
    { path: "analytics", page: paths.analytics, icon: "analytics", any: ["analytics:view"], key: "n" },
    {
      path: "usage",
      page: paths.usage,
      icon: "usage",
      any: ["products:view", "products:manage", "products:rotate_key", "analytics:view"],
      key: "u",
    },
  ),
  {
    name: "developers",
    icon: "token",
    isPage: false,
    pages: [
      {
        path: "webhooks",
        page: paths.webhooks,
        icon: "webhook",
        any: ["webhooks:view", "webhooks:manage"],
        key: "w",
      },
      {
        path: "access-tokens",
        page: paths.accessTokens,
        icon: "token",
        any: ["organization:manage"],
        key: "t",
      },
    ],
  },
  {
    name: "settings",
    icon: "settings",
    isPage: false,
    pages: [
      { path: "settings", page: paths.settings, icon: "settings", any: ["organization:manage"], key: "s" },
      {
        path: "members",
        page: paths.members,
        icon: "members",
        any: ["members:view", "members:invite", "members:remove", "roles:edit"],
        key: "m",
      },
      { path: "roles", page: paths.roles, icon: "role", any: ["members:view", "roles:edit"], key: "r" },
      { path: "audit-log", page: paths.auditLog, icon: "audit", any: ["audit_log:view"], key: "a" },
      { path: "settings/portal", page: paths.portalSettings, icon: "license", any: [], key: "e" },
      {
        path: "settings/billing",
        page: paths.billing,
        icon: "billing",
        any: ["billing:view", "billing:manage"],
        key: "b",
      },
    ],
  },
];

export const navigationItems: readonly NavigationItem[] = navigationSections.flatMap(({ pages }) => pages);

/** Pages that belong to an entry with another path. */
const belongsTo: Readonly<Record<string, string>> = { "ip-blocks": "ips" };

/** The path of the entry that a page of the organization belongs to, such as `licenses` for `licenses/new`. */
export function entryOf(path: string): string | null {
  const [first = ""] = path.split("/");
  const [longest] = navigationItems
    .map((item) => item.path)
    .filter((entry) => entry === path || (entry !== "" && path.startsWith(`${entry}/`)))
    .sort((one, other) => other.length - one.length);
  return longest ?? belongsTo[first] ?? null;
}

/** The signed-in user's access to an organization. */
interface Allowed {
  readonly is_owner: boolean;
  readonly permissions: readonly Permission[];
}

/** Pages that require other permissions than the list they belong to. */
const further: Readonly<Record<string, readonly Permission[]>> = {
  "licenses/new": ["licenses:create"],
  "licenses/import": ["licenses:import"],
  "products/new": ["products:manage"],
  "roles/new": ["roles:edit"],
  "webhooks/new": ["webhooks:manage"],
  "ip-blocks": ["licenses:view", "ip_blocks:manage"],
};

const needed: ReadonlyMap<string, readonly Permission[]> = new Map([
  ...navigationItems.map(({ path, any }) => [path, any] as const),
  ...Object.entries(further),
]);

/** Whether the signed-in user can use a page of the organization, by its path. */
export function mayOpen(organization: Allowed, path: string): boolean {
  const [first = "", second = ""] = path.split("/").filter((part) => part !== "");
  const any = needed.get(`${first}/${second}`) ?? needed.get(first) ?? [];
  return any.length === 0 || isAllowed(organization, any);
}

/** Whether the user has any of these permissions. */
export function isAllowed({ is_owner: isOwner, permissions }: Allowed, any: readonly Permission[]): boolean {
  return isOwner || any.some((permission) => permissions.includes(permission));
}

/** The same for changes: a suspended organization can only be viewed and exported, and paid for if a payment is overdue. */
export function mayDo(organization: Allowed & Suspended, any: readonly Permission[]): boolean {
  const isUnpaid = organization.billing_state === "suspended";
  if (organization.suspended_at === null && !isUnpaid) return isAllowed(organization, any);
  const left = any.filter(
    (permission) =>
      /:(view|export)$/.test(permission) ||
      (permission === "billing:manage" && organization.suspended_at === null),
  );
  return left.length > 0 && isAllowed(organization, left);
}

/** Whether the server refuses every change of the organization, also those that members need no permission for. */
export function isReadOnly(
  organization: Suspended & { readonly impersonated_until: string | null },
): boolean {
  const { suspended_at, billing_state, impersonated_until } = organization;
  return suspended_at !== null || billing_state === "suspended" || impersonated_until !== null;
}

interface Suspended {
  readonly suspended_at: string | null;
  readonly billing_state: "active" | "grace" | "suspended" | "cancelled";
}
