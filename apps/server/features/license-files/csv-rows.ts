import { CsvProblem, CsvReader, delimiterOf, withoutGuard } from "@countersign/domain/csv/csv";
import { type ImportField, readHeader } from "@countersign/domain/license-files/columns";
import type { RowError } from "@countersign/domain/license-files/row";
import { readSourceHeader, type SourceReader } from "@countersign/domain/license-files/source-row";
import { FileProblem } from "./job.ts";
import {
  type FileLayout,
  type FileRow,
  type RowReader,
  type Source,
  sourceFileRow,
  sourceReader,
} from "./rows.ts";

export class CsvRows implements RowReader {
  readonly #layout: FileLayout;
  readonly #sourceReader: SourceReader | null;
  #reader: CsvReader | null = null;
  #fields: readonly (ImportField | null)[] | null = null;
  columns: readonly string[] = [];
  #row = 0;

  constructor(layout: FileLayout) {
    this.#layout = layout;
    this.#sourceReader = sourceReader(layout);
  }

  read(piece: string): FileRow[] {
    this.#reader ??= new CsvReader(delimiterOf(piece.slice(0, lineEnd(piece))));
    return this.#rows(() => this.#reader?.read(piece) ?? []);
  }

  end(): FileRow[] {
    const rows = this.#rows(() => this.#reader?.end() ?? []);
    if (this.#fields === null) throw new FileProblem({ code: "file_empty", params: {} });
    return rows;
  }

  #rows(records: () => string[][]): FileRow[] {
    try {
      return records().flatMap((record) => this.#fileRow(record) ?? []);
    } catch (error) {
      if (error instanceof CsvProblem) throw new FileProblem(error.fault);
      throw error;
    }
  }

  #fileRow(record: readonly string[]): FileRow | null {
    this.#row += 1;
    const isEmpty = record.length === 1 && record[0] === "";
    if (isEmpty) return null;
    if (this.#fields === null) {
      const columns = record.map(withoutGuard);
      this.#readHeader(columns);
      return null;
    }
    if (record.length > this.columns.length) {
      const params = { cells: record.length, columns: this.columns.length };
      const error: RowError = { field: "row", code: "too_many_cells", params };
      return { row: this.#row, source: this.#source(record), error };
    }
    if (this.#sourceReader !== null) {
      const named = this.columns.map((column, index) => [column, withoutGuard(record[index] ?? "")]);
      // Of columns with the same name, the first counts: those at the end can be the seller's own.
      const read = this.#sourceReader.read(Object.fromEntries(named.reverse()));
      const size = record.reduce((sum, cell) => sum + cell.length, 0);
      return sourceFileRow(this.#row, () => record.map(withoutGuard), size, read);
    }
    const cells: { [F in ImportField]?: unknown } = {};
    let size = 0;
    this.#fields.forEach((field, index) => {
      if (field === null) return;
      cells[field] = withoutGuard(record[index] ?? "");
      size += record[index]?.length ?? 0;
    });
    return { row: this.#row, source: this.#source(record), cells, size };
  }

  #readHeader(columns: readonly string[]): void {
    const { columns: map, source } = this.#layout;
    if (source !== null) {
      const header = readSourceHeader(columns, source, map);
      if (!header.ok) throw new FileProblem(header.fault);
      this.columns = header.names;
      this.#fields = [];
      return;
    }
    const header = readHeader(columns, map);
    if (!header.ok) throw new FileProblem(header.fault);
    this.#fields = header.fields;
    this.columns = columns.map((column) => column.trim());
  }

  #source(record: readonly string[]): Source {
    return {
      texts: () => record.map(withoutGuard),
      named: (field) => {
        const index = this.#fields?.indexOf(field as ImportField) ?? -1;
        if (index < 0) return null;
        return { column: this.columns[index] ?? "", value: withoutGuard(record[index] ?? "") };
      },
    };
  }
}

/** A header can only contain a line break inside quotes, and even then its first line shows the separator. */
function lineEnd(text: string): number {
  const end = text.search(/[\r\n]/);
  return end < 0 ? text.length : end;
}
