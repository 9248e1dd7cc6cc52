import type { Sorted } from "@countersign/store/queries/license-files/write-rows";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { NamedError } from "./rejects.ts";

/** All errors are counted; this many are stored. */
const mostErrors = 1_000;

type Counts = Pick<
  ImportRow,
  "created" | "updated" | "skipped" | "failed" | "error_count" | "rows_done" | "rejects_size"
>;

/** The results so far. */
export class Tally {
  #counts: Counts;
  #errors: readonly NamedError[];

  constructor(from: (Counts & Pick<ImportRow, "errors">) | null = null) {
    this.#errors = from === null ? [] : (JSON.parse(from.errors) as NamedError[]);
    this.#counts = {
      created: from?.created ?? 0,
      updated: from?.updated ?? 0,
      skipped: from?.skipped ?? 0,
      failed: from?.failed ?? 0,
      error_count: from?.error_count ?? 0,
      rows_done: from?.rows_done ?? 0,
      rejects_size: from?.rejects_size ?? 0,
    };
  }

  /** The tally after some more rows. This one stays unchanged, in case they have to be retried. */
  plus(rows: number, errors: readonly NamedError[], sorted: Sorted, rejectsSize: number): Tally {
    const next = new Tally();
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
      rejects_size: this.#counts.rejects_size + rejectsSize,
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

  /** As columns. The errors only if they differ from those of `before`: they can be long. */
  columns(before: Tally | null): Partial<ImportRow> {
    if (before !== null && before.#errors === this.#errors) return this.#counts;
    return { ...this.#counts, errors: JSON.stringify(this.#errors) };
  }
}
