import { getRouteApi } from "@tanstack/react-router";

export const licensesRoute = getRouteApi("/signed-in/o/$organization/licenses");
