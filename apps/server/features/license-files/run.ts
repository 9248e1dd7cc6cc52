import { type Failure, failure } from "@countersign/contract/problems/failures";
import { dayMs } from "@countersign/domain/dates/lengths";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import {
  isCancelRequested,
  removeSomePieces,
  removeUndo,
  undoOf,
  updateImport,
} from "@countersign/store/queries/license-files/imports";
import type { Destination } from "@countersign/store/queries/license-files/overwrite";
import { addRejects } from "@countersign/store/queries/license-files/rejects";
import {
  KeyTaken,
  lockExisting,
  type Sorted,
  sortRows,
} from "@countersign/store/queries/license-files/write-rows";
import { productById } from "@countersign/store/queries/products/products";
import type { BulkSession, Database } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import { lockedLimit } from "../plans/limits.ts";
import { type Chunk, chunks } from "./chunks.ts";
import {
  auditRow,
  ImportFailed,
  leaseMs,
  Released,
  type RunParts,
  removeFile,
  removeRejects,
  removeUnstarted,
} from "./job.ts";
import { licenseLimit, limitFailure, namedErrors, rejectsOf, Tally, withinLimit } from "./tally.ts";
import { undoOnRequest } from "./undo-on-request.ts";
import { Clash, destinationOf, isDeadlock, revertRows, writeRows } from "./write-rows.ts";

const signOfLifeEveryMs = 1_000;
const undoAtOnce = 256;
const triesPerChunk = 5;

/**
 * Completes an import, from wherever the previous worker stopped. Every step is one transaction that also records the
 * progress, so a step is done once, even if the process is killed.
 */
export async function runImport(parts: RunParts, job: ImportRow): Promise<ImportRow> {
  const bulkSession = parts.store.bulk.beginSession();
  try {
    if (job.state === "undoing" && job.undo !== null) return await undoOnRequest(parts, bulkSession, job);
    return await new ImportRun(parts, bulkSession, job).run();
  } finally {
    bulkSession.over();
  }
}

/** Someone requested its cancellation. */
class Cancelled extends Error {}

class ImportRun {
  readonly #parts: RunParts;
  readonly #bulkSession: BulkSession;
  #job: ImportRow;
  #clockAheadMs = 0;
  #signOfLifeMs = 0;

  constructor(parts: RunParts, bulkSession: BulkSession, job: ImportRow) {
    this.#parts = parts;
    this.#bulkSession = bulkSession;
    this.#job = job;
  }

  async run(): Promise<ImportRow> {
    const { store } = this.#parts;
    this.#clockAheadMs = (await store.clock()) - Date.now();
    if (this.#job.state === "receiving") {
      // The sender was disconnected, and never got a response.
      await removeUnstarted(store, this.#job.id);
      return this.#job;
    }
    try {
      if (this.#job.state === "undoing") return await this.#undo(this.#job.failure);
      await this.#stopIfCancelled();
      if (this.#job.state !== "writing" && !(await this.#check())) return this.#job;
      return await this.#write();
    } catch (error) {
      if (error instanceof Cancelled) return this.#finish({ state: "cancelled" });
      if (!(error instanceof ImportFailed)) throw error;
      const why = JSON.stringify(error.failure);
      return this.#job.state === "writing" && this.#isWhole
        ? this.#undo(why)
        : this.#finish({ state: "failed", failure: why });
    }
  }

  /** Checks everything before anything is written, if requested. Returns whether to continue. */
  async #check(): Promise<boolean> {
    const job = this.#job;
    if (job.dry_run === 0 && !this.#isWhole) {
      await this.#change({ state: "writing" });
      return true;
    }
    await this.#change({ state: "checking" });
    // An interrupted check starts over.
    await removeRejects(this.#parts.store, job.id);
    const to = destinationOf(this.#job, await this.#product());
    const limit = await licenseLimit(this.#parts.store.reads, to.organizationId);
    let isOverLimit = false;
    let tally = new Tally();
    for await (const chunk of this.#chunks(to, 0)) {
      const startedMs = performance.now();
      const { store } = this.#parts;
      const unlimited = await sortRows(store.reads, store.bulk, to, chunk.licenses);
      const sorted = withinLimit(unlimited, limit && { ...limit, used: limit.used + tally.counts.created });
      if (sorted !== unlimited) isOverLimit = true;
      const errors = namedErrors(chunk, sorted);
      const rejects = rejectsOf(job.id, chunk, errors, tally.counts);
      if (rejects.rows.length > 0)
        await store.transaction((db) => addRejects(db, store.bulk, rejects.rows), "soon");
      tally = tally.plus(chunk, errors, sorted, rejects.size);
      if (performance.now() - this.#signOfLifeMs > signOfLifeEveryMs)
        await this.#change({ bytes_done: chunk.bytesDone });
      await this.#rest(performance.now() - startedMs);
    }
    const result = { ...tally.columns(null), rows_total: tally.rows, bytes_done: job.bytes_total };
    if (job.dry_run === 1) {
      await this.#finish({ ...result, state: "finished" });
      return false;
    }
    if (tally.failed > 0) {
      const why =
        limit !== null && isOverLimit
          ? limitFailure(limit)
          : failure("import_rows_invalid", { count: tally.failed, rows: tally.rows });
      await this.#finish({ ...result, ...nothingDone, state: "failed", failure: JSON.stringify(why) });
      return false;
    }
    await this.#change({ state: "writing", rows_total: tally.rows, rows_done: 0, bytes_done: 0 });
    return true;
  }

  async #write(): Promise<ImportRow> {
    const to = destinationOf(this.#job, await this.#product());
    for await (const chunk of this.#chunks(to, this.#job.rows_done)) {
      const startedMs = performance.now();
      const clash = await this.#writeChunk(to, chunk);
      if (clash !== null) return this.#undo(JSON.stringify(clash));
      await this.#rest(performance.now() - startedMs);
    }
    const done = { rows_total: this.#job.rows_done, bytes_done: this.#job.bytes_total };
    return this.#finish({ ...done, state: "finished" });
  }

  #chunks(to: Destination, skip: number): AsyncGenerator<Chunk, void> {
    const { store, throttle } = this.#parts;
    return chunks({
      store,
      job: this.#job,
      defaults: to.defaults,
      nowMs: this.#nowMs,
      skip,
      rowsAtOnce: () => throttle.rowsAtOnce(),
    });
  }

  /** Returns why an all-or-nothing import cannot complete; null otherwise. */
  async #writeChunk(to: Destination, chunk: Chunk): Promise<Failure | null> {
    const { store } = this.#parts;
    const before = new Tally(this.#job);
    for (let attempt = 1; ; attempt++) {
      try {
        const changes = await store.transaction(async (db) => {
          await this.#product(db);
          const limit = await lockedLimit(db, to.organizationId, "licenses");
          await lockExisting(db, store.bulk, to, chunk.licenses);
          const unlimited = await sortRows(db, store.bulk, to, chunk.licenses);
          const sorted = withinLimit(unlimited, limit);
          if (this.#isWhole && limit !== null && sorted !== unlimited)
            throw new ImportFailed(limitFailure({ ...limit, used: limit.used - before.counts.created }));
          const [error] = [...chunk.errors, ...sorted.errors];
          if (this.#isWhole && error !== undefined) throw new Clash(error);
          await writeRows(db, { store, job: this.#job, nowMs: this.#nowMs }, to, sorted);
          return this.#written(db, before, chunk, sorted);
        }, "soon");
        this.#job = { ...this.#job, ...changes };
        this.#parts.progress?.(this.#job);
        return null;
      } catch (error) {
        if (error instanceof Clash) return error.failure;
        if (attempt === triesPerChunk || !(error instanceof KeyTaken || isDeadlock(error))) throw error;
      }
    }
  }

  async #written(db: Database, before: Tally, chunk: Chunk, sorted: Sorted): Promise<Partial<ImportRow>> {
    const errors = namedErrors(chunk, sorted);
    const rejects = rejectsOf(this.#job.id, chunk, errors, before.counts);
    await addRejects(db, this.#parts.store.bulk, rejects.rows);
    const tally = before.plus(chunk, errors, sorted, rejects.size);
    const changes = { ...tally.columns(before), bytes_done: chunk.bytesDone, ...this.#alive() };
    await this.#mine(updateImport(db, this.#job.id, this.#parts.claimant, changes));
    return changes;
  }

  /** Reverts everything, a few licenses at a time. */
  async #undo(why: string | null): Promise<ImportRow> {
    const { store, claimant } = this.#parts;
    await this.#change({ state: "undoing", failure: why });
    for (;;) {
      const undone = await store.transaction(async (db) => {
        const rows = await undoOf(db, this.#job.id, undoAtOnce);
        await revertRows(db, { store, job: this.#job, nowMs: this.#nowMs }, rows);
        await removeUndo(db, this.#job.id, undoAtOnce);
        await this.#mine(updateImport(db, this.#job.id, claimant, this.#alive()));
        return rows.length;
      });
      if (undone < undoAtOnce) break;
      await this.#rest(0);
    }
    return this.#finish({ ...nothingDone, state: "failed", failure: why });
  }

  async #finish(
    changes: Partial<ImportRow> & { state: "finished" | "failed" | "cancelled" },
  ): Promise<ImportRow> {
    const { store, claimant, progress } = this.#parts;
    const nowMs = this.#nowMs;
    const over = {
      ...changes,
      updated_at: nowMs,
      finished_at: nowMs,
      claimed_by: null,
      keeps_until: nowMs + keepMs,
    };
    const job = { ...this.#job, ...over };
    await store.transaction(async (db) => {
      await this.#mine(updateImport(db, job.id, claimant, over));
      // For most files this is all; the rest of a large one is deleted below.
      await removeSomePieces(db, job.id);
      // The audit log already says who cancelled it.
      if (changes.state !== "cancelled")
        await addAuditEntries(db, [auditRow(job, `import.${changes.state}`, nowMs)]);
    });
    this.#job = job;
    progress?.(job);
    // If the server is killed here, the next one removes the rest: see `importWithFileLeft`.
    await removeFile(store, job.id);
    return job;
  }

  async #change(changes: Partial<ImportRow>): Promise<void> {
    const { store, claimant, progress } = this.#parts;
    const all = { ...changes, ...this.#alive() };
    await this.#mine(store.transaction((db) => updateImport(db, this.#job.id, claimant, all)));
    this.#job = { ...this.#job, ...all };
    progress?.(this.#job);
  }

  #alive(): Partial<ImportRow> {
    this.#signOfLifeMs = performance.now();
    return { updated_at: this.#nowMs, claimed_until: this.#nowMs + leaseMs };
  }

  async #mine(updated: Promise<boolean>): Promise<void> {
    if (!(await updated)) throw new Released("Another worker has this import.");
  }

  async #rest(workedMs: number): Promise<void> {
    await this.#bulkSession.between();
    await this.#parts.throttle.rest(workedMs);
    if (this.#parts.stopping()) throw new Released("The server stops.");
    if (this.#job.state !== "undoing") await this.#stopIfCancelled();
  }

  async #stopIfCancelled(): Promise<void> {
    if (await isCancelRequested(this.#parts.store.reads, this.#job.id)) throw new Cancelled();
  }

  async #product(db: Database = this.#parts.store.reads): Promise<ProductRow> {
    const product = await productById(db, this.#job.product_id);
    if (product === undefined) throw new ImportFailed(failure("import_product_deleted"));
    return product;
  }

  get #isWhole(): boolean {
    return this.#job.mode === "all_or_nothing";
  }

  get #nowMs(): number {
    return Date.now() + this.#clockAheadMs;
  }
}

/** For how long an import can be undone, and its rejected rows be read. */
export const daysToUndo = 30;
const keepMs = daysToUndo * dayMs;

const nothingDone = { created: 0, updated: 0, skipped: 0 } as const;
