import type { OrganizationRow, PlanRow } from "@countersign/store/tables";

/**
 * How many days an organization's requests are kept in the log: what the operator set for it, otherwise its plan's
 * days, otherwise the server's. The journal applies the same rule in `store/log-retention.ts`.
 */
export function logDays(
  organization: Pick<OrganizationRow, "request_log_days_override">,
  plan: Pick<PlanRow, "request_log_days">,
  serverDays: number,
): number {
  return organization.request_log_days_override ?? plan.request_log_days ?? serverDays;
}
