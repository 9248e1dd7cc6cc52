import type { portalTransfer } from "@countersign/contract/portal/shapes";
import type { TransferRow } from "@countersign/store/tables";
import type { z } from "zod";
import { iso } from "../../http/manage/page.ts";

/** A transfer as the customer sees it who requested it. */
export function showPortalTransfer(
  row: TransferRow,
  { productName, sellerName }: { readonly productName: string; readonly sellerName: string },
): z.input<typeof portalTransfer> {
  return {
    id: row.id,
    license_id: row.license_id,
    license_key_hint: row.license_key_hint,
    product_name: productName,
    seller_name: sellerName,
    state: row.state,
    to_email: row.to_email,
    to_discord_id: row.to_discord_id,
    message: row.message,
    requested_at: iso(row.requested_at),
    decided_at: iso(row.decided_at),
    decided_by: row.decided_by,
    reason: row.reason,
  };
}
