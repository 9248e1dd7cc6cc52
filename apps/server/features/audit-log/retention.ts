import { auditLogCutoff, auditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { AuditPosition } from "@countersign/store/queries/audit-log/entries";
import {
  deleteEntries,
  entriesBefore,
  hasAuditLogLimits,
  organizationsAuditLogDays,
} from "@countersign/store/queries/audit-log/retention";
import type { Database, Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { AuditLogArchive } from "../../base/config.ts";
import type { Log } from "../../base/log.ts";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { ArchiveProblem, archiveProblem, writeArchive } from "./archive.ts";

const organizationsAtOnce = 200;
const rowsReadAtOnce = 500;
/** Of one archive file: they are in memory together. */
const maxEntries = 5_000;
const maxBytes = 8 * 1024 * 1024;
/** The size of one transaction: validations wait for it on SQLite. */
const rowsDeletedAtOnce = 100;
const maxRestMs = 100;

/** How many entries were written to the archive, and deleted. */
interface RetentionObserver {
  archived(entries: number): void;
  deleted(entries: number): void;
}

/**
 * Deletes the entries that an organization no longer keeps, after it has written them to the archive. If it stops
 * in between, they are archived again. Several nodes can run this: they write the same files.
 */
export function auditLogRetention(
  store: Store,
  archive: AuditLogArchive | null,
  log: Log,
  observer: RetentionObserver,
): PeriodicJob {
  let hasWarned = false;
  const run = async (stopping = neverAborted) => {
    if (!(await hasAuditLogLimits(store.reads))) return;
    if (archive === null) {
      if (!hasWarned) log.warn(warning);
      hasWarned = true;
      return;
    }
    const folderProblem = archive === "none" ? null : await archiveProblem(archive.folder);
    if (folderProblem !== null) throw new ArchiveProblem(folderProblem);
    const nowMs = await store.clock();
    const done = { entries: 0, organizations: 0 };
    const problems: ArchiveProblem[] = [];
    const next = (last?: { readonly id: string }) =>
      organizationsAuditLogDays(store.reads, last?.id ?? "", organizationsAtOnce);
    for await (const rows of slicesOf(organizationsAtOnce, stopping, next))
      for (const { id, of_organization: ofOrganization, of_plan: ofPlan } of rows) {
        const days = auditLogDays({ ofOrganization, ofPlan });
        if (days === null || stopping.aborted) continue;
        try {
          const deleted = await shorten(id, auditLogCutoff(days, nowMs), archive, stopping);
          done.entries += deleted;
          done.organizations += Math.sign(deleted);
        } catch (error) {
          // The other organizations do not wait for this one.
          if (!(error instanceof ArchiveProblem)) throw error;
          problems.push(error);
        }
      }
    if (done.entries > 0)
      log.info(
        archive === "none"
          ? "Old entries of the audit log were deleted."
          : "Old entries of the audit log were archived and deleted.",
        { ...done },
      );
    const [problem] = problems;
    if (problem !== undefined) throw problem;
  };

  /** Returns how many entries were deleted. */
  const shorten = async (
    id: string,
    beforeMs: number,
    archive: AuditLogArchive,
    stopping: AbortSignal,
  ): Promise<number> => {
    let deleted = 0;
    for (let after: AuditPosition | null = null; !stopping.aborted; ) {
      const entries: readonly AuditLogRow[] = await nextOfDay(store.listReads, id, beforeMs, after);
      if (entries.length === 0) return deleted;
      if (archive !== "none") {
        await writeArchive(archive.folder, entries);
        observer.archived(entries.length);
      }
      deleted += await deleteOldest(id, entries, stopping);
      after = entries.at(-1) ?? null;
    }
    return deleted;
  };

  /** The oldest first, with a rest after each step: other writers get at least half of the time. */
  const deleteOldest = async (id: string, entries: readonly AuditLogRow[], stopping: AbortSignal) => {
    let deleted = 0;
    for (let start = 0; start < entries.length && !stopping.aborted; start += rowsDeletedAtOnce) {
      const rows = entries.slice(start, start + rowsDeletedAtOnce);
      const startMs = performance.now();
      const count = await store.transaction((db) => deleteEntries(db, id, rows), "soon");
      observer.deleted(count);
      deleted += count;
      const restMs = Math.min(maxRestMs, performance.now() - startMs);
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    return deleted;
  };

  return { name: "audit log retention", everyMs: hourMs, run };
}

/** The oldest entries, of one day, as many as fit into a file. */
async function nextOfDay(
  db: Database,
  id: string,
  beforeMs: number,
  start: AuditPosition | null,
): Promise<AuditLogRow[]> {
  const entries: AuditLogRow[] = [];
  let [after, untilMs, bytes] = [start, beforeMs, 0];
  while (entries.length < maxEntries && bytes < maxBytes) {
    const page = { after, limit: rowsReadAtOnce };
    const rows = await entriesBefore(db, id, untilMs, page);
    const [first] = rows;
    if (entries.length === 0 && first !== undefined)
      untilMs = Math.min(beforeMs, (Math.floor(first.at / dayMs) + 1) * dayMs);
    const ofDay = rows.filter(({ at }) => at < untilMs);
    for (const row of ofDay) bytes += (row.before?.length ?? 0) + (row.after?.length ?? 0);
    entries.push(...ofDay);
    if (ofDay.length < rowsReadAtOnce) break;
    after = ofDay.at(-1) ?? null;
    await yieldToEventLoop();
  }
  return entries;
}

const warning =
  "A plan or an organization limits how long its audit log is kept, but nothing is deleted until COUNTERSIGN_AUDIT_LOG_ARCHIVE is set to a folder, or to none to delete entries without an archive.";
