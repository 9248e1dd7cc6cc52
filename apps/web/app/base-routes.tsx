import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { ApiProblem } from "../api/problem.ts";
import { ask, queryClient } from "../api/queries.ts";
import { saveLastOrganization } from "../session/current-organization.ts";
import { MissingPage } from "../ui/missing-page.tsx";
import { BrokenPage } from "../ui/page.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <LeaveGuard />
    </>
  ),
  errorComponent: BrokenPage,
  notFoundComponent: MissingPage,
});

/** Pages for users who are not signed in: one centered column. */
export const authLayoutRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "auth-layout",
  component: lazyRouteComponent(() => import("./auth-layout.tsx"), "AuthLayout"),
});

/** Everything that requires a signed-in user. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    try {
      const me = await queryClient.ensureQueryData(ask("getMe"));
      return { me };
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) {
        const { is_open: isOpen } = await queryClient.ensureQueryData(ask("getSetup"));
        if (isOpen) throw redirect({ to: "/setup", search: { token: undefined } });
        throw redirect({
          to: "/sign-in",
          search: { next: location.href === "/" ? undefined : location.href },
        });
      }
      throw error;
    }
  },
  component: lazyRouteComponent(() => import("./shell/shell.tsx"), "Shell"),
});

/** One organization, by its slug. For non-members it does not exist. */
export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/o/$organization",
  beforeLoad: async ({ params }) => {
    const { data } = await queryClient.ensureQueryData(ask("listOrganizations", { query: { limit: 200 } }));
    const organization = data.find(({ slug }) => slug === params.organization);
    if (organization !== undefined) saveLastOrganization(organization.slug);
    return { organizationId: organization?.id ?? null };
  },
  component: lazyRouteComponent(() => import("./organization-page.tsx"), "OrganizationPage"),
});

/** Any other path: inside the shell, so that the navigation stays available. */
export const notFoundRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "$",
  component: MissingPage,
});

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/account",
  component: Outlet,
});

export const adminRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/admin",
  component: Outlet,
});
