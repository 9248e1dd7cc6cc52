import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

const rolesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/roles",
  validateSearch: (search: Record<string, unknown>): { view?: "compare" } =>
    search.view === "compare" ? { view: "compare" } : {},
  component: lazyRouteComponent(() => import("./roles-page.tsx"), "RolesPage"),
});

const newRoleRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/roles/new",
  /** From a preset, or a copy of a role. */
  validateSearch: (search: Record<string, unknown>): { from?: string; copy?: string } => ({
    ...(typeof search.from === "string" ? { from: search.from } : {}),
    ...(typeof search.copy === "string" ? { copy: search.copy } : {}),
  }),
  component: lazyRouteComponent(() => import("./new-role-page.tsx"), "NewRolePage"),
});

const roleRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/roles/$role",
  component: lazyRouteComponent(() => import("./role-page.tsx"), "RolePage"),
});

export const roleRoutes = [rolesRoute, newRoleRoute, roleRoute] as const;
