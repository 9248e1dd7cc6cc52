import type { ImportRow } from "@countersign/store/tables/license-files";
import { newId, type TestOrganization } from "./test-organization.ts";

/** An import that waits, with ordinary values for everything that a test does not care about. */
export function importRow(
  { organizationId, productId }: Pick<TestOrganization, "organizationId" | "productId">,
  changes: Partial<ImportRow> = {},
): ImportRow {
  return {
    ...{ id: newId(), organization_id: organizationId, product_id: productId, state: "waiting" },
    ...{ file_name: null, format: "csv", source: null, dry_run: 0, mode: "row_by_row", on_existing: "fail" },
    ...{
      send_events: 0,
      time_zone: "UTC",
      column_map: "{}",
      default_customer_email: null,
      bytes_total: 0,
      bytes_done: 0,
    },
    ...{ rows_total: null, rows_done: 0, created: 0, updated: 0, skipped: 0, failed: 0, error_count: 0 },
    ...{ errors: "[]", rejects_size: 0, failure: null, actor: "{}", created_by: "Ada", claimed_by: null },
    // Tests that claim waiting imports of the whole database leave this one alone.
    ...{ claimed_until: 9e15, created_at: 1, updated_at: 1, finished_at: null },
    ...{ cancel_requested_at: null, undo: null, keeps_until: null },
    ...changes,
  };
}
