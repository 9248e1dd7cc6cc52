import { getRouteApi } from "@tanstack/react-router";

export const webhookRoute = getRouteApi("/inside/o/$organization/webhooks/$webhook");
