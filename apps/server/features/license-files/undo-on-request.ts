import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import { undoOf, updateImport } from "@countersign/store/queries/license-files/imports";
import {
  carryOutUndo,
  planUndo,
  removeUndoRows,
  withFewIps,
} from "@countersign/store/queries/license-files/undo";
import type { BulkSession } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { closeOutdatedTransfers, recordingChanges } from "../events/record-changes.ts";
import { drain } from "../licenses/change.ts";
import { auditRow, type ImportActor, leaseMs, Released, type RunParts, removeRejects } from "./job.ts";

/** Who requested it, how, and the result so far. */
export interface RequestedUndo {
  readonly actor: ImportActor;
  readonly requested_at: number;
  readonly delete_used: boolean;
  readonly deleted: number;
  readonly restored: number;
  readonly kept: number;
}

/** The size of one transaction: validations wait while it runs. */
const licensesAtOnce = 50;
const ipsAtOnce = 2_000;

/**
 * Undoes an import, some licenses at a time. Each step removes its entries from the list and counts them in one
 * transaction, so that it is done once, whichever process continues it.
 */
export async function undoOnRequest(
  parts: RunParts,
  bulkSession: BulkSession,
  job: ImportRow,
): Promise<ImportRow> {
  const { store, claimant, throttle } = parts;
  const clockAheadMs = (await store.clock()) - Date.now();
  let undo = JSON.parse(job.undo ?? "null") as RequestedUndo;
  for (;;) {
    const startedMs = performance.now();
    if (undo.delete_used) {
      const next = await undoOf(store.reads, job.id, licensesAtOnce);
      const created = next.filter((row) => row.before === null).map((row) => row.license_id);
      await drain(store, created);
    }
    const step = await store.transaction(async (db) => {
      const nowMs = Date.now() + clockAheadMs;
      const waiting = await undoOf(db, job.id, licensesAtOnce);
      const rows = await withFewIps(db, waiting, ipsAtOnce);
      const ids = rows.map((row) => row.license_id);
      await store.bulk.lockLicenses(db, ids);
      const plan = await planUndo(db, rows, undo.delete_used);
      const touched = plan.rows.map((row) => row.license_id);
      const carryOut = () => carryOutUndo(db, plan, nowMs);
      if (job.send_events === 0) {
        await carryOut();
        await closeOutdatedTransfers(db, nowMs, touched);
      } else await recordingChanges(db, nowMs, "license.updated", touched, carryOut);
      await removeUndoRows(db, store.bulk, job.id, ids);
      const next: RequestedUndo = {
        ...undo,
        deleted: undo.deleted + plan.deleted,
        restored: undo.restored + plan.restored,
        kept: undo.kept + plan.kept,
      };
      const alive = { undo: JSON.stringify(next), updated_at: nowMs, claimed_until: nowMs + leaseMs };
      if (!(await updateImport(db, job.id, claimant, alive)))
        throw new Released("Another worker has this import.");
      return { next, isLast: rows.length < licensesAtOnce && rows.length === waiting.length };
    }, "soon");
    undo = step.next;
    if (step.isLast) break;
    await bulkSession.between();
    await throttle.rest(performance.now() - startedMs);
    if (parts.stopping()) throw new Released("The server stops.");
  }
  await removeRejects(store, job.id);
  const nowMs = Date.now() + clockAheadMs;
  const over = {
    state: "undone",
    undo: JSON.stringify(undo),
    updated_at: nowMs,
    finished_at: nowMs,
    claimed_by: null,
    keeps_until: null,
  } as const;
  const done: ImportRow = { ...job, ...over };
  await store.transaction(async (db) => {
    if (!(await updateImport(db, job.id, claimant, over)))
      throw new Released("Another worker has this import.");
    const { deleted, restored, kept } = undo;
    const entry = auditRow({ ...done, actor: JSON.stringify(undo.actor) }, "import.undone", nowMs);
    await addAuditEntries(db, [
      { ...entry, after: JSON.stringify({ product_id: job.product_id, deleted, restored, kept }) },
    ]);
  });
  return done;
}
