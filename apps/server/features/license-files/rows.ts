import type { ColumnMap } from "@countersign/domain/license-files/columns";
import type { Cells, RowError } from "@countersign/domain/license-files/row";
import { SourceReader, type SourceRow } from "@countersign/domain/license-files/source-row";
import type { ImportSourceId } from "@countersign/domain/license-files/sources";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";

/** A row of the file, by field, or why it cannot be read. */
export type FileRow =
  /** It is no license of its own. */
  | { readonly row: number; readonly source: Source; readonly isSkipped: true }
  | {
      readonly row: number;
      readonly source: Source;
      readonly cells: Cells /** In characters. */;
      readonly size: number;
    }
  | { readonly row: number; readonly source: Source; readonly error: RowError };

/** The source of a row: its original texts, and the file's names of its fields. */
export interface Source {
  texts(): readonly string[];
  named(field: string): { readonly column: string; readonly value: string } | null;
}

/** Takes a file in chunks and returns its rows. */
export interface RowReader {
  /** The names of each row's texts. */
  readonly columns: readonly string[];
  read(piece: string): FileRow[];
  end(): FileRow[];
}

/** In characters. The rest of a row is read again with the next part, so smaller parts would make long rows slow. */
const partLength = 64 * 1024;

/**
 * The rows of a piece of the file, a part at a time. Between two parts everything that waits goes first: a piece can have
 * a hundred thousand rows, and many pieces in a row can have none.
 */
export async function* rowsOf(reader: RowReader, piece: string): AsyncGenerator<FileRow[], void> {
  for (let at = 0; at < piece.length; at += partLength) {
    yield reader.read(piece.slice(at, at + partLength));
    await yieldToEventLoop();
  }
}

/** How a file is read. */
export interface FileLayout {
  readonly format: "csv" | "jsonl" | "json";
  readonly columns: ColumnMap;
  /** The service whose export it is. */
  readonly source: ImportSourceId | null;
  readonly nowMs: number;
}

export function sourceReader({ source, columns, nowMs }: FileLayout): SourceReader | null {
  return source === null ? null : new SourceReader(source, columns, nowMs);
}

/** A row of another service's export, with the file's names of its fields. */
export function sourceFileRow(
  row: number,
  texts: () => readonly string[],
  size: number,
  read: SourceRow,
): FileRow | null {
  if (read.kind === "related") return null;
  const source: Source = {
    texts,
    named: (field) => {
      const origin = read.origins.get(field);
      return origin === undefined || origin.column === ""
        ? null
        : { column: origin.column, value: shown(origin.value) };
    },
  };
  if (read.kind === "skipped") return { row, source, isSkipped: true };
  if (read.kind === "wrong") return { row, source, error: read.error };
  return { row, source, cells: read.cells, size };
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
