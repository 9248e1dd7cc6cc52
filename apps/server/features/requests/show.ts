import type { loggedRequest } from "@countersign/contract/manage/requests";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { keptSince, logDays } from "@countersign/domain/requests/log-days";
import { requestOutcomes } from "@countersign/domain/validate/status";
import {
  logStart,
  type NamedLicense,
  namedLicenses,
  namedProducts,
} from "@countersign/store/queries/requests/shown";
import type { Database, Store } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables/journal";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import type { Config } from "../../base/config.ts";
import { planOf } from "../plans/limits.ts";
import { platformSettings } from "../settings/platform-settings.ts";

export type ShownRequest = z.input<typeof loggedRequest>;

/** Requests of one organization as they are shown, with the keys and customers of licenses that still exist. */
export async function showRequests(
  db: Database,
  organizationId: string,
  rows: readonly RequestLogRow[],
): Promise<ShownRequest[]> {
  const ids = new Set(rows.flatMap((row) => row.license_id ?? []));
  const licenses = await namedLicenses(db, organizationId, [...ids]);
  const productIds = new Set(rows.map((row) => row.product_id));
  const products = await namedProducts(db, organizationId, [...productIds]);
  return rows.map((row) =>
    showRequest(row, licenses.get(row.license_id ?? ""), products.get(row.product_id) ?? null),
  );
}

function showRequest(
  row: RequestLogRow,
  license: NamedLicense | undefined,
  productName: string | null,
): ShownRequest {
  return {
    id: row.id,
    at: isoTime(row.at),
    endpoint: row.endpoint,
    outcome: outcomeOf(row.status),
    product_id: row.product_id,
    product_name: productName,
    license_id: row.license_id,
    license_key: license?.license_key ?? null,
    customer_name: license?.customer_name ?? null,
    ip: row.ip,
    version: row.version,
    device_id: row.device_id,
    problem: row.problem,
    duration_ms: row.duration_us === null ? null : row.duration_us / 1_000,
    count: row.count,
    sandbox: row.sandbox === 1,
    facts: row.facts === null ? null : shownFacts(row.facts),
  };
}

export function outcomeOf(status: string): ShownRequest["outcome"] {
  const known = requestOutcomes.find((outcome) => outcome === status);
  if (known === undefined) throw new Error(`The request log has an unknown outcome: ${status}.`);
  return known;
}

/** As the validating thread recorded it. */
interface StoredFacts {
  readonly expires: string | null;
  readonly ip_count: number | null;
  readonly max_ips: number | null;
  readonly version: string | null;
}

function shownFacts(text: string): ShownRequest["facts"] {
  const { expires, ip_count, max_ips, version } = JSON.parse(text) as StoredFacts;
  return { expires_at: expires, ip_count, max_ips, version };
}

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
