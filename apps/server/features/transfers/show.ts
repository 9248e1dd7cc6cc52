import type { transfer } from "@countersign/contract/api/transfer";
import type { portalTransfer } from "@countersign/contract/portal/shapes";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { blockedCustomers, knownTargets, recipientKey } from "@countersign/store/queries/transfers/transfers";
import type { PortalTransferView, TransferView } from "@countersign/store/queries/transfers/views";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import { showDecision } from "../events/record.ts";

type ShownTransfer = z.input<typeof transfer>;

/** Transfers of one organization, with what it knows about the recipients now. */
export async function showTransfers(
  db: Database,
  organizationId: string,
  rows: readonly TransferView[],
  nowMs: number,
): Promise<ShownTransfer[]> {
  const targets = await knownTargets(db, organizationId, rows);
  const customerIds = [...targets.values()].map(({ id }) => id);
  const blocked = await blockedCustomers(db, organizationId, customerIds, nowMs);
  return rows.map((row) => {
    const target = targets.get(recipientKey(row)) ?? null;
    return {
      ...showDecision(row, target),
      organization_id: row.organization_id,
      product_id: row.product_id,
      product_name: row.product_name,
      license_id: row.license_id,
      license_key_hint: row.license_key_hint,
      license_exists: row.license_exists === 1,
      last_transferred_at: isoTime(row.last_transferred_at),
      target_blocked: target !== null && blocked.has(target.id),
      decided_by_name: row.decided_by_name,
      updated_at: isoTime(row.updated_at),
    };
  });
}

export async function showTransfer(db: Database, row: TransferView, nowMs: number): Promise<ShownTransfer> {
  const [shown] = await showTransfers(db, row.organization_id, [row], nowMs);
  if (shown === undefined) throw new Error("One transfer was passed and none returned.");
  return shown;
}

/** To the customer who requested it. Why the system cancelled it, and who decided, is for the organization. */
export function showPortalTransfer(row: PortalTransferView): z.input<typeof portalTransfer> {
  return {
    id: row.id,
    license_id: row.license_id,
    license_key_hint: row.license_key_hint,
    product_name: row.product_name,
    seller_name: row.seller_name,
    state: row.state,
    to_email: row.to_email,
    to_discord_id: row.to_discord_id,
    message: row.message,
    requested_at: isoTime(row.requested_at),
    decided_at: isoTime(row.decided_at),
    decided_by: row.decided_by,
    reason: row.state === "rejected" ? row.reason : null,
  };
}
