import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { adminRoute } from "../../app/base-routes.tsx";

type Search = Record<string, unknown>;

const oneOf = <T extends string>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((one) => one === value);
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export const plans = ["free", "pro", "enterprise"] as const;
export const billingStates = ["active", "grace", "suspended", "cancelled"] as const;
const standings = ["suspended", "open"] as const;

const frameRoute = createRoute({
  getParentRoute: () => adminRoute,
  id: "admin-frame",
  component: lazyRouteComponent(() => import("./admin-frame.tsx"), "AdminFrame"),
});

export const adminOrganizationsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/organizations",
  validateSearch: (search: Search) => ({
    q: text(search.q),
    plan: oneOf(plans, search.plan),
    billing: oneOf(billingStates, search.billing),
    standing: oneOf(standings, search.standing),
  }),
  component: lazyRouteComponent(() => import("./organizations-page.tsx"), "OrganizationsPage"),
});

export const adminOrganizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/organizations/$id",
  component: lazyRouteComponent(() => import("./organization-page.tsx"), "OrganizationPage"),
});

export const adminUsersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/users",
  validateSearch: (search: Search) => ({
    q: text(search.q),
    show: oneOf(["admins", "suspended"] as const, search.show),
  }),
  component: lazyRouteComponent(() => import("./users-page.tsx"), "UsersPage"),
});

export const adminUserRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/users/$id",
  component: lazyRouteComponent(() => import("./user-page.tsx"), "UserPage"),
});

export const mailboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/mailbox",
  validateSearch: (search: Search) => ({ kind: text(search.kind), recipient: text(search.recipient) }),
  component: lazyRouteComponent(() => import("./mailbox-page.tsx"), "MailboxPage"),
});

export const letterRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/mailbox/$id",
  validateSearch: (search: Search) => ({ as: oneOf(["text"] as const, search.as) }),
  component: lazyRouteComponent(() => import("./letter-page.tsx"), "LetterPage"),
});

export const templatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/letters",
  validateSearch: (search: Search) => ({
    kind: text(search.kind),
    language: oneOf(["en", "de", "es"] as const, search.language),
    as: oneOf(["text"] as const, search.as),
  }),
  component: lazyRouteComponent(() => import("./templates-page.tsx"), "TemplatesPage"),
});

export const platformAuditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/audit-log",
  validateSearch: (search: Search) => ({
    action: text(search.action),
    organization: text(search.organization),
    actor: text(search.actor),
    subject: text(search.subject),
    entry: text(search.entry),
  }),
  component: lazyRouteComponent(() => import("./audit-page.tsx"), "PlatformAuditPage"),
});

export const adminRoutes = [
  frameRoute.addChildren([
    createRoute({
      getParentRoute: () => frameRoute,
      path: "/",
      component: lazyRouteComponent(() => import("./health-page.tsx"), "HealthPage"),
    }),
    createRoute({
      getParentRoute: () => frameRoute,
      path: "/ip-blocks",
      component: lazyRouteComponent(() => import("./platform-blocks-page.tsx"), "PlatformBlocksPage"),
    }),
    adminOrganizationsRoute,
    adminOrganizationRoute,
    adminUsersRoute,
    adminUserRoute,
    mailboxRoute,
    letterRoute,
    templatesRoute,
    platformAuditRoute,
  ]),
] as const;
