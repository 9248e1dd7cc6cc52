import type { NumberedError, Sorted } from "@countersign/store/queries/import-licenses";
import type { ImportRow } from "@countersign/store/tables";

/** All errors are counted; this many are kept. */
export const mostErrors = 1_000;

type Counts = Pick<ImportRow, "created" | "updated" | "skipped" | "failed" | "error_count" | "rows_done">;

/** What became of the rows so far. */
export class Tally {
  #counts: Counts;
  #errors: readonly NumberedError[];

  constructor(from: (Counts & Pick<ImportRow, "errors">) | null = null) {
    this.#errors = from === null ? [] : (JSON.parse(from.errors) as NumberedError[]);
    this.#counts = {
      created: from?.created ?? 0,
      updated: from?.updated ?? 0,
      skipped: from?.skipped ?? 0,
      failed: from?.failed ?? 0,
      error_count: from?.error_count ?? 0,
      rows_done: from?.rows_done ?? 0,
    };
  }

  /** The tally after some more rows. This one stays as it is, in case they have to be tried again. */
  plus(rows: number, unreadable: readonly NumberedError[], sorted: Sorted): Tally {
    const next = new Tally();
    const errors = [...unreadable, ...sorted.errors].sort((a, b) => a.row - b.row);
    next.#errors =
      errors.length === 0 || this.#errors.length >= mostErrors
        ? this.#errors
        : [...this.#errors, ...errors].slice(0, mostErrors);
    next.#counts = {
      created: this.#counts.created + sorted.creates.length,
      updated: this.#counts.updated + sorted.updates.length,
      skipped: this.#counts.skipped + sorted.skipped,
      failed: this.#counts.failed + new Set(errors.map((error) => error.row)).size,
      error_count: this.#counts.error_count + errors.length,
      rows_done: this.#counts.rows_done + rows,
    };
    return next;
  }

  get failed(): number {
    return this.#counts.failed;
  }

  get rows(): number {
    return this.#counts.rows_done;
  }

  get counts(): Counts {
    return this.#counts;
  }

  /** As columns. The errors only when they are not those of `before`: they may be long. */
  columns(before: Tally | null): Partial<ImportRow> {
    if (before !== null && before.#errors === this.#errors) return this.#counts;
    return { ...this.#counts, errors: JSON.stringify(this.#errors) };
  }
}
