import { getRouteApi } from "@tanstack/react-router";

export const licensesRoute = getRouteApi("/inside/o/$organization/licenses");
