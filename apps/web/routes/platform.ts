import { createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { billingStates, plans, suspensionStates } from "../features/admin/terms.ts";
import { ipsSearch } from "../features/ips/search.ts";
import { isTrue, oneOf, pagesBelow, text } from "./pages.ts";
import { signedInRoute } from "./root.tsx";

const adminRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/admin",
  component: Outlet,
});

const frameRoute = createRoute({
  getParentRoute: () => adminRoute,
  id: "admin-layout",
  component: lazyRouteComponent(() => import("../features/admin/admin-layout.tsx"), "AdminLayout"),
});

const page = pagesBelow(frameRoute);

const pages = [
  page("/", () => import("../features/admin/health-page.tsx"), "HealthPage"),
  page("/ip-blocks", () => import("../features/admin/ip-pages.tsx"), "PlatformBlocksPage"),
  page("/organizations", () => import("../features/admin/organizations-page.tsx"), "OrganizationsPage", {
    q: text,
    plan: oneOf(plans),
    billing: oneOf(billingStates),
    status: oneOf(suspensionStates),
  }),
  page("/organizations/$id", () => import("../features/admin/organization-page.tsx"), "OrganizationPage"),
  page("/users", () => import("../features/admin/users-page.tsx"), "UsersPage", {
    q: text,
    show: oneOf(["admins", "suspended"]),
  }),
  page("/users/$id", () => import("../features/admin/user-page.tsx"), "UserPage"),
  page("/outbox", () => import("../features/admin/outbox-pages.tsx"), "OutboxPage", {
    kind: text,
    recipient: text,
  }),
  page("/outbox/$id", () => import("../features/admin/outbox-pages.tsx"), "EmailPage", {
    as: oneOf(["text"]),
  }),
  page("/email-templates", () => import("../features/admin/outbox-pages.tsx"), "TemplatesPage", {
    kind: text,
    language: oneOf(["en", "de", "es"]),
    as: oneOf(["text"]),
  }),
  page("/audit-log", () => import("../features/admin/audit-page.tsx"), "PlatformAuditPage", {
    action: text,
    organization: text,
    actor: text,
    subject: text,
    entry: text,
  }),
  page("/plans", () => import("../features/admin/plans-page.tsx"), "PlansPage", { edit: oneOf(plans) }),
  page("/announcements", () => import("../features/admin/announcements-page.tsx"), "AnnouncementsPage"),
  page("/settings", () => import("../features/admin/settings-page.tsx"), "SettingsPage"),
  page("/jobs", () => import("../features/admin/jobs-page.tsx"), "JobsPage"),
  page("/ips", () => import("../features/admin/ip-pages.tsx"), "PlatformIpsPage", ipsSearch),
  page("/ips/$ip", () => import("../features/admin/ip-pages.tsx"), "PlatformIpPage", { block: isTrue }),
] as const;

export const platformRoutes = adminRoute.addChildren([frameRoute.addChildren(pages)]);
