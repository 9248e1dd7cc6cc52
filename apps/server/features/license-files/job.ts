import { type Failure, failure, failureText } from "@countersign/contract/problems/failures";
import { fieldErrorBody } from "@countersign/contract/problems/problems";
import type { CsvFault } from "@countersign/domain/csv/csv";
import type { JsonFault } from "@countersign/domain/json/records";
import type { ColumnMap, HeaderFault } from "@countersign/domain/license-files/columns";
import type { ImportSourceId } from "@countersign/domain/license-files/sources";
import { newId } from "@countersign/store/new-id";
import {
  clearKeepsUntil,
  removeImport,
  removeSomePieces,
  removeSomeWorkings,
} from "@countersign/store/queries/license-files/imports";
import { removeSomeRejects } from "@countersign/store/queries/license-files/rejects";
import type { Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import { inBatches } from "../../jobs/batches.ts";
import type { Throttle } from "./throttle.ts";

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
  readonly source?: ImportSourceId | null;
  /** The customer of new licenses for which the file names none. */
  readonly defaultCustomerEmail?: string | null;
  readonly fileName?: string | null;
}

interface NewImport {
  readonly product: ProductRow;
  /** The organization's. */
  readonly timeZone: string;
  readonly options: ImportOptions;
  readonly actor: ImportActor;
  readonly claimant: string;
  readonly nowMs: number;
}

/** A job whose file has not arrived yet. */
export function newImport({ product, timeZone, options, actor, claimant, nowMs }: NewImport): ImportRow {
  return {
    id: newId(),
    organization_id: product.organization_id,
    product_id: product.id,
    state: "receiving",
    file_name: options.fileName ?? null,
    format: options.format,
    source: options.source ?? null,
    dry_run: options.dryRun ? 1 : 0,
    mode: options.mode,
    on_existing: options.onExisting,
    send_events: options.sendEvents === true ? 1 : 0,
    time_zone: timeZone,
    column_map: JSON.stringify(options.columns),
    default_customer_email: options.defaultCustomerEmail ?? null,
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

/** How long a job without a sign of life is left to its worker. */
export const leaseMs = 10_000;

/** Another worker has the job now, or it should be left for later. */
export class Released extends Error {}

/** The context of a worker that processes an import. */
export interface RunParts {
  readonly store: Store;
  /** The worker: it changes the job only while it holds the lease. */
  readonly claimant: string;
  readonly throttle: Throttle;
  /** Whether to leave the rest for later. */
  readonly stopping: () => boolean;
  readonly progress?: (job: ImportRow) => void;
}

/** The import cannot go on. */
export class ImportFailed extends Error {
  override readonly name: string = "ImportFailed";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failureText(failure));
    this.failure = failure;
  }
}

type FileFault =
  | CsvFault
  | HeaderFault
  | JsonFault
  | { readonly code: "no_records"; readonly params: { readonly lists: readonly string[] } }
  | { readonly code: "file_empty" | "file_has_nul"; readonly params: object }
  | { readonly code: "file_not_utf8"; readonly params: { readonly byte: number } }
  | { readonly code: "line_too_long"; readonly params: { readonly line: number } };

/** The rest of the file, or all of it, cannot be read. */
export class FileProblem extends ImportFailed {
  override readonly name = "FileProblem";
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(failure("import_file_invalid", { error: fieldErrorBody("file", fault) }));
    this.fault = fault;
  }
}

/** Who started it, and the result. */
export function auditRow(job: ImportRow, action: string, nowMs: number): AuditLogRow {
  const { state, dry_run: dryRun, mode, on_existing: onExisting } = job;
  const failure = job.failure === null ? null : (JSON.parse(job.failure) as Failure).code;
  const counts = { created: job.created, updated: job.updated, skipped: job.skipped, failed: job.failed };
  const isOver = state === "finished" || state === "failed" || state === "undone";
  return {
    ...(JSON.parse(job.actor) as ImportActor),
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

/** Deletes the file of an import, which can be a hundred megabytes, in small steps, so that nobody waits. */
export async function removeFile(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomePieces(db, importId), "soon"));
}

export async function removeRejects(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomeRejects(db, importId, 200), "soon"));
}

/** What an import keeps for a while after it ends. */
export async function removeExpired(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomeWorkings(db, importId), "soon"));
  await store.transaction((db) => clearKeepsUntil(db, importId));
}

/** An import that never started. */
export async function removeUnstarted(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomeWorkings(db, importId), "soon"));
  await store.transaction((db) => removeImport(db, importId));
}
