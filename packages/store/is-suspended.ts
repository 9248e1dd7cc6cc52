import type { OrganizationRow } from "./tables/organizations.ts";

/** Whether an organization is not served: the operator suspended it, or its payment is overdue for too long. */
export function isSuspended({
  suspended_at,
  billing_state,
}: Pick<OrganizationRow, "suspended_at" | "billing_state">): boolean {
  return suspended_at !== null || billing_state === "suspended";
}
