import { keptSince, logDays } from "@countersign/domain/requests/log-days";
import { logStart } from "@countersign/store/queries/requests/log-start";
import type { Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { Config } from "../../base/config.ts";
import { planOf } from "../plans/limits.ts";
import { platformSettings } from "../settings/platform-settings.ts";

/** Since when an organization's requests are in the log. Older ones are deleted, or about to be. */
export async function requestsKeptSince(
  { store, config, nowMs }: { readonly store: Store; readonly config: Config; readonly nowMs: number },
  organization: OrganizationRow,
): Promise<number> {
  const db = store.reads;
  const { request_log_days: ofServer } = await platformSettings(db, config);
  const { request_log_days: ofPlan } = await planOf(db, organization);
  const days = logDays({ ofOrganization: organization.request_log_days_override, ofPlan, ofServer });
  return Math.max(keptSince(days, nowMs), (await logStart(db, organization.id)) ?? 0);
}
