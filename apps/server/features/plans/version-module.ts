import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { Problem } from "../../http/problem.ts";
import { planOf } from "./limits.ts";

/**
 * Refuses to turn on version checks that the plan does not include but that would work, because the organization had
 * them on an earlier plan. Without an earlier plan they can be prepared: nothing is checked until the plan includes
 * them.
 */
export async function checkVersionModule(db: Database, organization: OrganizationRow): Promise<void> {
  if (organization.had_version_module === 0) return;
  const plan = await planOf(db, organization);
  if (plan.version_module === 0) throw new Problem("version_module_not_in_plan", { plan: plan.name });
}
