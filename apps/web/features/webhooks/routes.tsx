import { isEventType } from "@countersign/domain/events/types";
import { deliveryStates } from "@countersign/domain/webhooks/delivery";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { timeInUrl } from "../../ui/time-in-url.ts";
import { tabs } from "./search.ts";

const webhooksRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./webhooks-page.tsx"), "WebhooksPage"),
});

const newWebhookRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/webhooks/new",
  component: lazyRouteComponent(() => import("./new-webhook-page.tsx"), "NewWebhookPage"),
});

/** The URL contains the tab, the log's filter and the open delivery, so that it can be shared. */
const webhookRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/webhooks/$webhook",
  validateSearch: (search: Record<string, unknown>) => ({
    ...chosen("tab", tabs, search.tab),
    ...chosen("state", deliveryStates, search.state),
    ...(typeof search.type === "string" && isEventType(search.type) ? { type: search.type } : {}),
    ...some("from", timeInUrl(search.from)),
    ...some("to", timeInUrl(search.to)),
    ...some("delivery", typeof search.delivery === "string" ? search.delivery : undefined),
  }),
  component: lazyRouteComponent(() => import("./webhook-page.tsx"), "WebhookPage"),
});

export const webhookRoutes = [webhooksRoute, newWebhookRoute, webhookRoute] as const;

function chosen<Name extends string, T extends string>(
  name: Name,
  among: readonly T[],
  value: unknown,
): { [K in Name]?: T | undefined } {
  return some(
    name,
    among.find((one) => one === value),
  );
}

/** Omits undefined values, to keep URLs short. */
function some<Name extends string, T>(name: Name, value: T | undefined): { [K in Name]?: T | undefined } {
  return (value === undefined ? {} : { [name]: value }) as { [K in Name]?: T | undefined };
}
