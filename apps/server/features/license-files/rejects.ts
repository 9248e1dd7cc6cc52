import type { NumberedError, Sorted } from "@countersign/store/queries/license-files/write-rows";
import type { ImportRejectRow } from "@countersign/store/tables/license-files";
import type { Chunk } from "./chunks.ts";

/** An error with the file's own column and value; null if there are none. */
export type NamedError = NumberedError & {
  readonly column: string | null;
  readonly value: string | null;
};

const longestShown = 100;

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
const mostRejects = 10_000;
const mostCharacters = 5 * 1024 * 1024;

/** The rejected rows, as far as there is room, with the header before the first. */
export function rejectsOf(
  importId: string,
  chunk: Chunk,
  errors: readonly NamedError[],
  before: { readonly failed: number; readonly rejects_size: number },
): { readonly rows: readonly ImportRejectRow[]; readonly size: number } {
  const rows: ImportRejectRow[] = [];
  let size = 0;
  for (const [number, some] of Map.groupBy(errors, (error) => error.row)) {
    if (before.failed + rows.length >= mostRejects || before.rejects_size + size >= mostCharacters) break;
    const cells = JSON.stringify(chunk.sources.get(number)?.texts() ?? []);
    const own = some.map(({ row: _, ...error }) => error);
    rows.push({ import_id: importId, number, cells, errors: JSON.stringify(own) });
    size += cells.length;
  }
  if (rows.length > 0 && before.failed === 0)
    rows.unshift({ import_id: importId, number: 0, cells: JSON.stringify(chunk.columns), errors: "[]" });
  return { rows, size };
}

function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * longestShown + 2)];
  return characters.length > longestShown ? `${characters.slice(0, longestShown).join("")}…` : text;
}
