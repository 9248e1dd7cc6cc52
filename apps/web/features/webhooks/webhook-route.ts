import { getRouteApi } from "@tanstack/react-router";

export const webhookRoute = getRouteApi("/signed-in/o/$organization/webhooks/$webhook");
