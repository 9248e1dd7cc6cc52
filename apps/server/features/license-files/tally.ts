import { type Failure, failure } from "@countersign/contract/problems/failures";
import type { NumberedError, Sorted } from "@countersign/store/queries/license-files/write-rows";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { ImportRejectRow, ImportRow } from "@countersign/store/tables/license-files";
import { currentLimit, type Limit } from "../plans/limits.ts";
import type { Chunk } from "./chunks.ts";

/** All errors are counted; this many are stored. */
const maxErrors = 1_000;

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
  plus(chunk: Chunk, errors: readonly NamedError[], sorted: Sorted, rejectsSize: number): Tally {
    const next = new Tally();
    next.#errors =
      errors.length === 0 || this.#errors.length >= maxErrors
        ? this.#errors
        : [...this.#errors, ...errors].slice(0, maxErrors);
    next.#counts = {
      created: this.#counts.created + sorted.creates.length,
      updated: this.#counts.updated + sorted.updates.length,
      skipped: this.#counts.skipped + chunk.skipped + sorted.skipped,
      failed: this.#counts.failed + new Set(errors.map((error) => error.row)).size,
      error_count: this.#counts.error_count + errors.length,
      rows_done: this.#counts.rows_done + chunk.rowCount,
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

/** An error with the file's own column and value; null if there are none. */
export type NamedError = NumberedError & {
  readonly column: string | null;
  readonly value: string | null;
};

const maxShownLength = 100;

/** All errors of some rows, in the file's own terms. */
export function namedErrors(chunk: Chunk, sorted: Sorted): NamedError[] {
  return [...chunk.errors, ...sorted.errors]
    .sort((a, b) => a.row - b.row)
    .map((error) => {
      const source = chunk.sources.get(error.row);
      // An error inside a field, such as `tags.0`, is in the field's column.
      const named = source?.named(error.field) ?? source?.named(error.field.split(".")[0] ?? "") ?? null;
      return {
        ...error,
        column: named === null ? null : shortened(named.column),
        value: named === null ? null : shortened(named.value),
      };
    });
}

/** A file with only invalid rows must not be stored as a whole, again and again. */
const maxRejects = 10_000;
const maxCharacters = 5 * 1024 * 1024;

/** The rejected rows, as far as there is room, with the header before the first. */
export function rejectsOf(
  importId: string,
  chunk: Chunk,
  errors: readonly NamedError[],
  before: { readonly failed: number; readonly rejects_size: number },
): { readonly rows: readonly ImportRejectRow[]; readonly size: number } {
  const rows: ImportRejectRow[] = [];
  let size = 0;
  for (const [number, ofRow] of Map.groupBy(errors, (error) => error.row)) {
    if (before.failed + rows.length >= maxRejects || before.rejects_size + size >= maxCharacters) break;
    const cells = JSON.stringify(chunk.sources.get(number)?.texts() ?? []);
    const withoutRow = ofRow.map(({ row: _, ...error }) => error);
    rows.push({ import_id: importId, number, cells, errors: JSON.stringify(withoutRow) });
    size += cells.length;
  }
  if (rows.length > 0 && before.failed === 0)
    rows.unshift({ import_id: importId, number: 0, cells: JSON.stringify(chunk.columns), errors: "[]" });
  return { rows, size };
}

function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * maxShownLength + 2)];
  return characters.length > maxShownLength ? `${characters.slice(0, maxShownLength).join("")}…` : text;
}

/** The organization's limit of licenses; null without one. */
export async function licenseLimit(db: Database, organizationId: string): Promise<Limit | null> {
  const organization = await organizationById(db, organizationId);
  return organization === undefined ? null : currentLimit(db, organization, "licenses");
}

/** Rows that would create more licenses than the limit allows become errors. */
export function withinLimit(sorted: Sorted, limit: Limit | null): Sorted {
  if (limit === null) return sorted;
  const room = Math.max(0, limit.limit - limit.used);
  if (sorted.creates.length <= room) return sorted;
  const params = { plan: limit.plan, limit: limit.limit };
  const excess = sorted.creates.slice(room);
  return {
    ...sorted,
    creates: sorted.creates.slice(0, room),
    errors: [
      ...sorted.errors,
      ...excess.map(({ row }) => ({ row, field: "row", code: "over_license_limit" as const, params })),
    ],
  };
}

/** Why an all-or-nothing import cannot be completed. */
export function limitFailure({ plan, limit, used }: Limit): Failure {
  return failure("import_license_limit_reached", { plan, limit, used });
}
