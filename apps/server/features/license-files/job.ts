import type { ColumnMap } from "@countersign/domain/license-files/columns";
import { newId } from "@countersign/store/new-id";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import { leaseMs } from "./lease.ts";

/** Who requested it, as in the audit log. */
export type ImportActor = Pick<
  AuditLogRow,
  "actor_kind" | "actor_id" | "actor_name" | "access_token_id" | "ip" | "request_id"
>;

export interface ImportOptions {
  readonly format: ImportRow["format"];
  readonly dryRun: boolean;
  readonly mode: ImportRow["mode"];
  readonly onExisting: ImportRow["on_existing"];
  readonly sendEvents?: boolean;
  readonly columns: ColumnMap;
  readonly fileName?: string | null;
}

/** A job whose file has not arrived yet. */
export function newImport(
  product: ProductRow,
  timeZone: string,
  options: ImportOptions,
  actor: ImportActor,
  claimant: string,
  nowMs: number,
): ImportRow {
  return {
    id: newId(),
    organization_id: product.organization_id,
    product_id: product.id,
    state: "receiving",
    file_name: options.fileName ?? null,
    format: options.format,
    dry_run: options.dryRun ? 1 : 0,
    mode: options.mode,
    on_existing: options.onExisting,
    send_events: options.sendEvents === true ? 1 : 0,
    time_zone: timeZone,
    column_map: JSON.stringify(options.columns),
    bytes_total: 0,
    bytes_done: 0,
    rows_total: null,
    rows_done: 0,
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    error_count: 0,
    errors: "[]",
    rejects_size: 0,
    failure: null,
    actor: JSON.stringify(actor),
    created_by: actor.actor_name,
    claimed_by: claimant,
    claimed_until: nowMs + leaseMs,
    created_at: nowMs,
    updated_at: nowMs,
    finished_at: null,
    cancel_requested_at: null,
    undo: null,
    keeps_until: null,
  };
}
