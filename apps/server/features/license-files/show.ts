import type { licenseImport, licenseImportWithErrors } from "@countersign/contract/manage/license-files";
import { shownFailure } from "@countersign/contract/problems/failures";
import { fieldErrorBody } from "@countersign/contract/problems/problems";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { importSourceIds } from "@countersign/domain/license-files/sources";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { z } from "zod";
import type { NamedError } from "./tally.ts";
import type { RequestedUndo } from "./undo-on-request.ts";

export function showImport(row: ImportRow): z.input<typeof licenseImport> {
  return {
    id: row.id,
    organization_id: row.organization_id,
    product_id: row.product_id,
    state: row.state,
    file_name: row.file_name,
    format: row.format,
    source: importSourceIds.find((id) => id === row.source) ?? null,
    dry_run: row.dry_run === 1,
    mode: row.mode,
    on_existing: row.on_existing,
    send_events: row.send_events === 1,
    columns: JSON.parse(row.column_map),
    default_customer_email: row.default_customer_email,
    bytes_total: row.bytes_total,
    bytes_done: row.bytes_done,
    rows_total: row.rows_total,
    rows_done: row.rows_done,
    created: row.created,
    updated: row.updated,
    skipped: row.skipped,
    failed: row.failed,
    error_count: row.error_count,
    failure: shownFailure(row.failure),
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    finished_at: isoTime(row.finished_at),
    undo: shownUndo(row.undo),
    undo_until: canBeUndone(row) ? isoTime(row.keeps_until) : null,
  };
}

export function showImportWithErrors(row: ImportRow): z.input<typeof licenseImportWithErrors> {
  return { ...showImport(row), errors: shownErrors(row.errors) };
}

/** Stored errors of rows, with their messages. */
export function shownErrors(stored: string) {
  return (JSON.parse(stored) as NamedError[]).map(({ row, field, column, value, ...fault }) => ({
    row,
    column,
    value,
    ...fieldErrorBody(field, fault),
  }));
}

/** Whether there is anything to undo. */
export function canBeUndone({ state, dry_run: dryRun, undo, created, updated }: ImportRow): boolean {
  const isOver = state === "finished" || state === "cancelled";
  return isOver && dryRun === 0 && undo === null && created + updated > 0;
}

function shownUndo(text: string | null): z.input<typeof licenseImport>["undo"] {
  if (text === null) return null;
  const { actor, requested_at: at, ...rest } = JSON.parse(text) as RequestedUndo;
  return { ...rest, requested_by: actor.actor_name, requested_at: isoTime(at) };
}
