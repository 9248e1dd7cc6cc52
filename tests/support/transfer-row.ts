import type { TransferRow } from "@countersign/store/tables/portal";
import { newId } from "./test-organization.ts";

/** A stored transfer that waits, from Ada to Grace, except for these columns. */
export function transferRow(
  of: Pick<TransferRow, "organization_id" | "product_id"> & Partial<TransferRow>,
): TransferRow {
  const requestedAtMs = of.requested_at ?? Date.now();
  return {
    id: newId(),
    license_id: newId(),
    license_key_hint: "AAAA…",
    state: "pending",
    from_customer_id: newId(),
    from_email: "ada@example.com",
    from_discord_id: null,
    from_name: "Ada",
    to_email: "grace@example.com",
    to_discord_id: null,
    to_customer_id: null,
    message: "For Grace",
    review_reason: "product_setting",
    requested_by: null,
    requested_at: requestedAtMs,
    decided_at: null,
    decided_by: null,
    decided_by_name: null,
    reason: null,
    updated_at: requestedAtMs,
    ...of,
  };
}
