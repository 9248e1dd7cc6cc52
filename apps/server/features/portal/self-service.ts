import type { portalLicense } from "@countersign/contract/portal/shapes";
import { isoTime } from "@countersign/domain/dates/iso-time";
import {
  type Budget,
  budgetOf,
  canRequestTransfer,
  ipRemovalRefusal,
  ipRemovalWindowMs,
  keyRotationRefusal,
  type SelfServiceFacts,
} from "@countersign/domain/portal/self-service";
import { licenseStatus } from "@countersign/store/batches/license-record";
import { portalActions } from "@countersign/store/queries/portal/licenses";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { isSuspended, type OrganizationRow } from "@countersign/store/tables/organizations";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";
import type { z } from "zod";

interface SelfServiceRows {
  readonly license: LicenseRow;
  readonly product: ProductRow;
  readonly organization: OrganizationRow;
  /** The one that waits. */
  readonly transfer: TransferRow | null;
}

export function selfServiceFacts(
  { license, product, organization, transfer }: SelfServiceRows,
  nowMs: number,
): SelfServiceFacts {
  return {
    license: licenseStatus(license, nowMs),
    product: product.status,
    sellerIsSuspended: isSuspended(organization),
    ipRemovals: product.portal_ip_removals_per_30_days,
    keyRotation: product.portal_key_rotation === 1,
    transfers: product.transfers,
    hasPendingTransfer: transfer !== null,
  };
}

/** How many IP addresses the customer can still remove. */
export async function ipRemovalBudget(
  db: Database,
  licenseId: string,
  product: ProductRow,
  nowMs: number,
): Promise<Budget> {
  const spendings = await portalActions(db, licenseId, "ip_removed", nowMs - ipRemovalWindowMs);
  const allowance = { limit: product.portal_ip_removals_per_30_days, windowMs: ipRemovalWindowMs };
  return budgetOf(allowance, spendings, nowMs);
}

/** What the customer can do with a license. */
export async function showSelfService(
  db: Database,
  rows: SelfServiceRows,
  nowMs: number,
): Promise<z.input<typeof portalLicense>["self_service"]> {
  const { license, product } = rows;
  const facts = selfServiceFacts(rows, nowMs);
  const { limit, used, left, nextAtMs } = await ipRemovalBudget(db, license.id, product, nowMs);
  const canRemove = ipRemovalRefusal(facts) === null && license.ip_count > 0;
  return {
    ip_removals: { limit, used, left, next_at: isoTime(nextAtMs) },
    can_remove_ip: canRemove && left > 0,
    can_reset_ips: canRemove && left >= license.ip_count,
    can_rotate_key: keyRotationRefusal(facts) === null,
    transfers: product.transfers,
    can_request_transfer: canRequestTransfer(facts),
  };
}
