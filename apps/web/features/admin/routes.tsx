import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { adminRoute } from "../../app/base-routes.tsx";
import { ipsSearch } from "../ips/search.ts";
import { billingStates, plans, suspensionStates } from "./terms.ts";

type Search = Record<string, unknown>;

const oneOf = <T extends string>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((one) => one === value);
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** A link can leave out what has no value. */
const optional = <T extends object>(search: T): { [Name in keyof T]?: T[Name] } => search;

const frameRoute = createRoute({
  getParentRoute: () => adminRoute,
  id: "admin-layout",
  component: lazyRouteComponent(() => import("./admin-layout.tsx"), "AdminLayout"),
});

const adminOrganizationsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/organizations",
  validateSearch: (search: Search) =>
    optional({
      q: text(search.q),
      plan: oneOf(plans, search.plan),
      billing: oneOf(billingStates, search.billing),
      status: oneOf(suspensionStates, search.status),
    }),
  component: lazyRouteComponent(() => import("./organizations-page.tsx"), "OrganizationsPage"),
});

const adminOrganizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/organizations/$id",
  component: lazyRouteComponent(() => import("./organization-page.tsx"), "OrganizationPage"),
});

const adminUsersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/users",
  validateSearch: (search: Search) =>
    optional({
      q: text(search.q),
      show: oneOf(["admins", "suspended"] as const, search.show),
    }),
  component: lazyRouteComponent(() => import("./users-page.tsx"), "UsersPage"),
});

const adminUserRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/users/$id",
  component: lazyRouteComponent(() => import("./user-page.tsx"), "UserPage"),
});

const outboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/outbox",
  validateSearch: (search: Search) =>
    optional({ kind: text(search.kind), recipient: text(search.recipient) }),
  component: lazyRouteComponent(() => import("./outbox-page.tsx"), "OutboxPage"),
});

const emailRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/outbox/$id",
  validateSearch: (search: Search) => optional({ as: oneOf(["text"] as const, search.as) }),
  component: lazyRouteComponent(() => import("./email-page.tsx"), "EmailPage"),
});

const templatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/email-templates",
  validateSearch: (search: Search) =>
    optional({
      kind: text(search.kind),
      language: oneOf(["en", "de", "es"] as const, search.language),
      as: oneOf(["text"] as const, search.as),
    }),
  component: lazyRouteComponent(() => import("./email-page.tsx"), "TemplatesPage"),
});

const platformAuditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/audit-log",
  validateSearch: (search: Search) =>
    optional({
      action: text(search.action),
      organization: text(search.organization),
      actor: text(search.actor),
      subject: text(search.subject),
      entry: text(search.entry),
    }),
  component: lazyRouteComponent(() => import("./audit-page.tsx"), "PlatformAuditPage"),
});

const healthRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./health-page.tsx"), "HealthPage"),
});

const platformBlocksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/ip-blocks",
  component: lazyRouteComponent(() => import("./ip-pages.tsx"), "PlatformBlocksPage"),
});

const plansRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/plans",
  validateSearch: (search: Search) => optional({ edit: oneOf(plans, search.edit) }),
  component: lazyRouteComponent(() => import("./plans-page.tsx"), "PlansPage"),
});

const announcementsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/announcements",
  component: lazyRouteComponent(() => import("./announcements-page.tsx"), "AnnouncementsPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
});

const jobsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/jobs",
  component: lazyRouteComponent(() => import("./jobs-page.tsx"), "JobsPage"),
});

const platformIpsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/ips",
  validateSearch: ipsSearch,
  component: lazyRouteComponent(() => import("./ip-pages.tsx"), "PlatformIpsPage"),
});

const platformIpRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/ips/$ip",
  validateSearch: (search: Search): { block?: true | undefined } => ({
    block: search.block === true || undefined,
  }),
  component: lazyRouteComponent(() => import("./ip-pages.tsx"), "PlatformIpPage"),
});

// Routes created inside `addChildren` would have the type any, and so would the whole tree.
export const adminRoutes = [
  frameRoute.addChildren([
    healthRoute,
    platformBlocksRoute,
    adminOrganizationsRoute,
    adminOrganizationRoute,
    adminUsersRoute,
    adminUserRoute,
    outboxRoute,
    emailRoute,
    templatesRoute,
    platformAuditRoute,
    plansRoute,
    announcementsRoute,
    settingsRoute,
    jobsRoute,
    platformIpsRoute,
    platformIpRoute,
  ]),
] as const;
