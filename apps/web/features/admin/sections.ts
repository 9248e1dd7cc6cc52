interface AdminPage {
  readonly to: string;
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
      { to: "/admin", name: "health" },
      { to: "/admin/jobs", name: "jobs" },
    ],
  },
  { name: "organizations", pages: [{ to: "/admin/organizations", name: "organizations" }] },
  { name: "users", pages: [{ to: "/admin/users", name: "users" }] },
  { name: "plans", pages: [{ to: "/admin/plans", name: "plans" }] },
  {
    name: "ips",
    pages: [
      { to: "/admin/ips", name: "ips" },
      { to: "/admin/ip-blocks", name: "blocks" },
    ],
  },
  {
    name: "messages",
    pages: [
      { to: "/admin/announcements", name: "announcements" },
      { to: "/admin/outbox", name: "outbox" },
      { to: "/admin/email-templates", name: "emailTemplates" },
    ],
  },
  { name: "audit", pages: [{ to: "/admin/audit-log", name: "audit" }] },
  { name: "settings", pages: [{ to: "/admin/settings", name: "settings" }] },
];
