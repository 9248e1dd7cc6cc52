import { failure } from "@countersign/contract/problems/failures";
import { type ImportDefaults, readRow } from "@countersign/domain/license-files/row";
import { pieceOf } from "@countersign/store/queries/license-files/imports";
import type { NumberedError, NumberedLicense } from "@countersign/store/queries/license-files/write-rows";
import type { Store } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { ImportFailed } from "./job.ts";
import { rowReader } from "./row-reader.ts";
import { type FileRow, rowsOf, type Source } from "./rows.ts";

/** Some rows of the file, checked against the rules. */
export interface Chunk {
  readonly rowCount: number;
  /** How many of them are no licenses of their own. */
  readonly skipped: number;
  readonly licenses: readonly NumberedLicense[];
  readonly errors: readonly NumberedError[];
  /** The source of each row, by its number. */
  readonly sources: ReadonlyMap<number, Source>;
  /** The file's names of its columns. */
  readonly columns: readonly string[];
  /** How much of the file has been read, in bytes, approximately. */
  readonly bytesDone: number;
}

interface ChunkParts {
  readonly store: Store;
  readonly job: ImportRow;
  readonly defaults: ImportDefaults;
  readonly nowMs: number;
  /** How many rows were read before. */
  readonly skip: number;
  readonly rowsAtOnce: () => number;
}

/** Reads the stored file, `rowsAtOnce` at a time, without the first `skip` rows. */
export async function* chunks({
  store,
  job,
  defaults,
  nowMs,
  skip,
  rowsAtOnce,
}: ChunkParts): AsyncGenerator<Chunk, void> {
  const reader = rowReader(job, nowMs);
  const seen = new Map<string, number>();
  let waiting: FileRow[] = [];
  let from = 0;
  let toSkip = skip;
  let bytesDone = 0;
  const taken = (count: number): Chunk | null => {
    const rows = waiting.slice(from, endOfStep(waiting, from, count));
    from += rows.length;
    const skipped = Math.min(toSkip, rows.length);
    toSkip -= skipped;
    const read = check(rows, skipped, seen, defaults, nowMs);
    const sources = new Map(rows.map(({ row, source }) => [row, source]));
    return skipped === rows.length
      ? null
      : { ...read, sources, columns: reader.columns, rowCount: rows.length - skipped, bytesDone };
  };
  for (let number = 0; ; number++) {
    const piece = await pieceOf(store.reads, job.id, number);
    if (piece === null) {
      if (number === 0) throw new ImportFailed(failure("import_file_missing"));
      break;
    }
    bytesDone += Buffer.byteLength(piece);
    for await (const rows of rowsOf(reader, piece)) {
      waiting = waiting.slice(from).concat(rows);
      from = 0;
      for (let count = rowsAtOnce(); waiting.length - from >= count; count = rowsAtOnce()) {
        const chunk = taken(count);
        if (chunk !== null) yield chunk;
      }
    }
  }
  waiting = waiting.slice(from).concat(reader.end());
  from = 0;
  while (from < waiting.length) {
    const chunk = taken(rowsAtOnce());
    if (chunk !== null) yield chunk;
  }
}

/** The maximum amount of data per step, however few the rows: one row can be as long as a hundred others. */
const charactersAtOnce = 256 * 1024;

function endOfStep(rows: readonly FileRow[], from: number, count: number): number {
  const last = Math.min(rows.length, from + count);
  let characters = 0;
  for (let at = from; at < last; at++) {
    const row = rows[at];
    characters += row !== undefined && "size" in row ? row.size : 0;
    if (characters > charactersAtOnce) return Math.max(at, from + 1);
  }
  return last;
}

/** The first `skipped` rows are only remembered: their keys may occur again. */
function check(
  rows: readonly FileRow[],
  skipped: number,
  seen: Map<string, number>,
  defaults: ImportDefaults,
  nowMs: number,
): Pick<Chunk, "licenses" | "errors" | "skipped"> {
  let notLicenses = 0;
  const licenses: NumberedLicense[] = [];
  const errors: NumberedError[] = [];
  rows.forEach((fileRow, index) => {
    const { row } = fileRow;
    if ("isSkipped" in fileRow) {
      if (index >= skipped) notLicenses += 1;
      return;
    }
    if ("error" in fileRow) {
      if (index >= skipped) errors.push({ row, ...fileRow.error });
      return;
    }
    const read = readRow(fileRow.cells, defaults, nowMs);
    if (!read.ok) {
      if (index >= skipped) for (const error of read.errors) errors.push({ row, ...error });
      return;
    }
    const { keyMatch } = read.license;
    const before = keyMatch === null ? undefined : seen.get(keyMatch);
    if (keyMatch !== null && before === undefined) seen.set(keyMatch, row);
    if (index < skipped) return;
    if (before === undefined) licenses.push({ row, license: read.license });
    else errors.push({ row, field: "license_key", code: "key_in_earlier_row", params: { row: before } });
  });
  return { licenses, errors, skipped: notLicenses };
}
