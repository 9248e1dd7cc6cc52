import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { timeInAddress } from "../../ui/time-in-address.ts";

/** Who, what, to what and when, by the names of the API; and the entry that is open. */
export interface AuditSearch {
  actor_id?: string | undefined;
  action?: string | undefined;
  subject_kind?: string | undefined;
  subject_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  entry?: string | undefined;
}

const text = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;

export const auditLogRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/audit-log",
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    actor_id: text(search.actor_id),
    action: text(search.action),
    subject_kind: text(search.subject_kind),
    subject_id: text(search.subject_id),
    from: timeInAddress(search.from),
    to: timeInAddress(search.to),
    entry: text(search.entry),
  }),
  component: lazyRouteComponent(() => import("./audit-log-page.tsx"), "AuditLogPage"),
});

export const auditLogRoutes = [auditLogRoute] as const;
