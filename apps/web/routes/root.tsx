import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { ApiProblem } from "../api/problem.ts";
import { ask, queryClient } from "../api/queries.ts";
import { LeaveGuard } from "../app/leave-guard.tsx";
import { BrokenPage, MissingPage } from "../ui/page.tsx";

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
  component: lazyRouteComponent(() => import("../app/shell/shell.tsx"), "Shell"),
});
