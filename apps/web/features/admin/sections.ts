import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/page-link.ts";
export interface AdminPage {
  readonly to: PageLink;
  /** The name in the translations, below `sections`. */
  readonly name: "health" | "jobs" | "organizations" | "users" | "plans" | "ips" | "blocks" | MessagePage;
}

type MessagePage = "announcements" | "outbox" | "emailTemplates" | "audit" | "settings";

interface AdminGroup {
  /** The name in the translations, below `groups`. */
  readonly name: "overview" | "organizations" | "users" | "plans" | "ips" | "messages" | "audit" | "settings";
  readonly pages: readonly [AdminPage, ...AdminPage[]];
}

/** The pages of the platform, in groups. */
export const adminGroups: readonly AdminGroup[] = [
  {
    name: "overview",
    pages: [
      { to: paths.platform(), name: "health" },
      { to: paths.jobs(), name: "jobs" },
    ],
  },
  { name: "organizations", pages: [{ to: paths.platformOrganizations(), name: "organizations" }] },
  { name: "users", pages: [{ to: paths.users(), name: "users" }] },
  { name: "plans", pages: [{ to: paths.plans(), name: "plans" }] },
  {
    name: "ips",
    pages: [
      { to: paths.platformIps(), name: "ips" },
      { to: paths.platformIpBlocks(), name: "blocks" },
    ],
  },
  {
    name: "messages",
    pages: [
      { to: paths.announcements(), name: "announcements" },
      { to: paths.outbox(), name: "outbox" },
      { to: paths.emailTemplates(), name: "emailTemplates" },
    ],
  },
  { name: "audit", pages: [{ to: paths.platformAuditLog(), name: "audit" }] },
  { name: "settings", pages: [{ to: paths.platformSettings(), name: "settings" }] },
];
