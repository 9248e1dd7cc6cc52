import { getRouteApi } from "@tanstack/react-router";

export const membersRoute = getRouteApi("/inside/o/$organization/members");
