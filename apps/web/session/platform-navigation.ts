import type { IconName } from "../ui/icon.tsx";
import type { PageLink } from "../ui/links.tsx";
import { paths } from "./paths.ts";

interface PlatformPage {
  readonly to: PageLink;
  /** Below `/admin`. */
  readonly path: string;
  /** The name in the translations, below `sections`. */
  readonly name: string;
}

interface PlatformSection {
  /** The name in the translations, below `groups`. */
  readonly name: string;
  readonly icon: IconName;
  readonly pages: readonly [PlatformPage, ...PlatformPage[]];
}

/** The platform's pages, in the order of the sidebar. */
export const platformSections: readonly PlatformSection[] = [
  {
    name: "overview",
    icon: "overview",
    pages: [
      { to: paths.platform(), path: "", name: "health" },
      { to: paths.jobs(), path: "jobs", name: "jobs" },
    ],
  },
  {
    name: "organizations",
    icon: "organization",
    pages: [{ to: paths.platformOrganizations(), path: "organizations", name: "organizations" }],
  },
  { name: "users", icon: "customer", pages: [{ to: paths.users(), path: "users", name: "users" }] },
  { name: "plans", icon: "billing", pages: [{ to: paths.plans(), path: "plans", name: "plans" }] },
  {
    name: "ips",
    icon: "ip",
    pages: [
      { to: paths.platformIps(), path: "ips", name: "ips" },
      { to: paths.platformIpBlocks(), path: "ip-blocks", name: "blocks" },
    ],
  },
  {
    name: "messages",
    icon: "mail",
    pages: [
      { to: paths.announcements(), path: "announcements", name: "announcements" },
      { to: paths.outbox(), path: "outbox", name: "outbox" },
      { to: paths.emailTemplates(), path: "email-templates", name: "emailTemplates" },
    ],
  },
  {
    name: "audit",
    icon: "audit",
    pages: [{ to: paths.platformAuditLog(), path: "audit-log", name: "audit" }],
  },
  {
    name: "settings",
    icon: "settings",
    pages: [{ to: paths.platformSettings(), path: "settings", name: "settings" }],
  },
];

/** The name of the page that a path belongs to; null if it is not one of the platform's. */
export function platformEntryOf(pathname: string): string | null {
  const [, area, first = ""] = pathname.split("/");
  if (area !== "admin") return null;
  const page = platformSections.flatMap(({ pages }) => pages).find(({ path }) => path === first);
  return page?.name ?? null;
}
