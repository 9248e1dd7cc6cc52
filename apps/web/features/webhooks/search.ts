import { getRouteApi } from "@tanstack/react-router";

export const tabs = ["deliveries", "statistics", "settings", "verify"] as const;
export type Tab = (typeof tabs)[number];

export const webhookRoute = getRouteApi("/signed-in/o/$organization/webhooks/$webhook");
