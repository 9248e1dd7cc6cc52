import type { Failure } from "@countersign/contract/problems/failures";
import { newId } from "@countersign/store/new-id";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { ImportRow } from "@countersign/store/tables/license-files";

/** Who started it, and the result. */
export function auditRow(job: ImportRow, action: string, nowMs: number): AuditLogRow {
  const { state, dry_run: dryRun, mode, on_existing: onExisting } = job;
  const failure = job.failure === null ? null : (JSON.parse(job.failure) as Failure).code;
  const counts = { created: job.created, updated: job.updated, skipped: job.skipped, failed: job.failed };
  const isOver = state === "finished" || state === "failed" || state === "undone";
  return {
    ...(JSON.parse(job.actor) as Pick<
      AuditLogRow,
      "actor_kind" | "actor_id" | "actor_name" | "access_token_id" | "ip" | "request_id"
    >),
    id: newId(),
    at: nowMs,
    organization_id: job.organization_id,
    action,
    subject_kind: "import",
    subject_id: job.id,
    subject_name: null,
    before: null,
    after: JSON.stringify({
      product_id: job.product_id,
      dry_run: dryRun === 1,
      mode,
      on_existing: onExisting,
      ...(isOver ? { rows: job.rows_total, ...counts, failure } : {}),
    }),
  };
}
