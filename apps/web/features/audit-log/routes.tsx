import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";
import { timeInUrl } from "../../ui/time-in-url.ts";
import type { AuditSearch } from "./audit-filters.tsx";

const text = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;

const auditLogRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/audit-log",
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    actor_id: text(search.actor_id),
    action: text(search.action),
    subject_kind: text(search.subject_kind),
    subject_id: text(search.subject_id),
    from: timeInUrl(search.from),
    to: timeInUrl(search.to),
    entry: text(search.entry),
  }),
  component: lazyRouteComponent(() => import("./audit-log-page.tsx"), "AuditLogPage"),
});

export const auditLogRoutes = [auditLogRoute] as const;
