import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { type ShownState, shownStates } from "./search.ts";

const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/members",
  validateSearch: (
    search: Record<string, unknown>,
  ): { invite?: true; role?: string; invitations?: ShownState } => ({
    ...(search.invite === true ? { invite: true } : {}),
    ...(typeof search.role === "string" ? { role: search.role } : {}),
    ...(shownStates.includes(search.invitations as ShownState)
      ? { invitations: search.invitations as ShownState }
      : {}),
  }),
  component: lazyRouteComponent(() => import("./members-page.tsx"), "MembersPage"),
});

export const memberRoutes = [membersRoute] as const;
