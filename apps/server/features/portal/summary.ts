import type { licenseSummary } from "@countersign/contract/portal/shapes";
import { dayMs } from "@countersign/domain/dates/lengths";
import { maskedKey } from "@countersign/domain/licenses/key";
import { licenseStatus } from "@countersign/store/batches/license-record";
import { type PortalLicenseRow, portalLicenses } from "@countersign/store/queries/portal/licenses";
import { licensesInTransfer } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import { iso } from "../../api/page.ts";
import { type Seller, showSellers } from "../branding/seller.ts";

export type LicenseSummary = z.input<typeof licenseSummary>;

/** In the order of the IDs, without those that customers cannot see. */
export async function showSummaries(
  db: Database,
  ids: readonly string[],
  nowMs: number,
): Promise<LicenseSummary[]> {
  const rows = await portalLicenses(db, ids);
  const sellers = await showSellers(
    db,
    rows.map((row) => row.organization_id),
  );
  const inTransfer = await licensesInTransfer(db, ids);
  return rows.flatMap((row) => {
    const seller = sellers.get(row.organization_id);
    return seller === undefined ? [] : [showSummary(row, seller, inTransfer.has(row.id), nowMs)];
  });
}

export function showSummary(
  row: PortalLicenseRow,
  seller: Seller,
  hasPendingTransfer: boolean,
  nowMs: number,
): LicenseSummary {
  const hasIpSystem = row.ip_system_enabled === 1;
  const endsAtMs = row.is_lifetime === 1 ? null : row.expires_at;
  const waitingTermMs = row.first_used_at === null ? row.term_ms : null;
  return {
    id: row.id,
    seller,
    product: { id: row.product_id, name: row.product_name, status: row.product_status },
    license_key_hint: maskedKey(row.license_key),
    status: licenseStatus(row, nowMs),
    is_lifetime: row.is_lifetime === 1,
    expires_at: iso(endsAtMs),
    days_left: endsAtMs === null ? null : Math.floor((endsAtMs - nowMs) / dayMs),
    term_seconds: waitingTermMs === null ? null : Math.round(waitingTermMs / 1_000),
    ip_system_enabled: hasIpSystem,
    max_ips: hasIpSystem ? row.max_ips : null,
    current_unique_ip_count: row.ip_count,
    created_at: iso(row.created_at),
    has_pending_transfer: hasPendingTransfer,
  };
}
