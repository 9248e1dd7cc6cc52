import type { loggedRequest } from "@countersign/contract/manage/requests";
import { requestOutcomes } from "@countersign/domain/validate/status";
import { type NamedLicense, namedLicenses, namedProducts } from "@countersign/store/queries/requests/named";
import type { Database } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables/journal";
import type { z } from "zod";
import { iso } from "../../api/page.ts";

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
    at: iso(row.at),
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
