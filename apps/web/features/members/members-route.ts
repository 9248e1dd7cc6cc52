import { getRouteApi } from "@tanstack/react-router";

export const membersRoute = getRouteApi("/signed-in/o/$organization/members");
