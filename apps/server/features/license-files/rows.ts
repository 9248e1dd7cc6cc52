import {
  CsvProblem,
  CsvReader,
  delimiterOf,
  maxRecordLength,
  withoutGuard,
} from "@countersign/domain/csv/csv";

import {
  type ColumnMap,
  type ImportField,
  meaningOf,
  readHeader,
} from "@countersign/domain/license-files/columns";
import type { Cells, RowError, RowFault } from "@countersign/domain/license-files/row";
import { FileProblem } from "./job.ts";

/** A row of the file, by field, or why it cannot be read. */
export type FileRow =
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

export function rowReader(format: "csv" | "jsonl", columns: ColumnMap): RowReader {
  return format === "csv" ? new CsvRows(columns) : new JsonRows(columns);
}

class CsvRows implements RowReader {
  readonly #columns: ColumnMap;
  #reader: CsvReader | null = null;
  #fields: readonly (ImportField | null)[] | null = null;
  columns: readonly string[] = [];
  #row = 0;

  constructor(columns: ColumnMap) {
    this.#columns = columns;
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
      const header = readHeader(columns, this.#columns);
      if (!header.ok) throw new FileProblem(header.fault);
      this.#fields = header.fields;
      this.columns = columns.map((column) => column.trim());
      return null;
    }
    if (record.length > this.#fields.length) {
      const params = { cells: record.length, columns: this.#fields.length };
      const error: RowError = { field: "row", code: "too_many_cells", params };
      return { row: this.#row, source: this.#source(record), error };
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

class JsonRows implements RowReader {
  readonly #columns: ColumnMap;
  readonly #meanings = new Map<string, ReturnType<typeof meaningOf>>();
  readonly columns = ["line"];
  #rest = "";
  #row = 0;

  constructor(columns: ColumnMap) {
    this.#columns = columns;
  }

  read(piece: string): FileRow[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > maxRecordLength)
      throw new FileProblem({ code: "line_too_long", params: { line: this.#row + lines.length + 1 } });
    return lines.flatMap((line) => this.#fileRow(line) ?? []);
  }

  end(): FileRow[] {
    const rows = this.#rest === "" ? [] : [this.#fileRow(this.#rest)].flatMap((row) => row ?? []);
    if (this.#row === 0) throw new FileProblem({ code: "file_empty", params: {} });
    return rows;
  }

  #fileRow(line: string): FileRow | null {
    this.#row += 1;
    const text = (this.#row === 1 ? line.replace(/^\ufeff/, "") : line).trim();
    if (text === "") return null;
    let value: unknown;
    const source: Source = { texts: () => [text], named: (field) => this.#named(value, field) };
    const wrong = (field: string, fault: RowFault): FileRow => ({
      row: this.#row,
      source,
      error: { field, ...fault },
    });
    try {
      value = JSON.parse(text);
    } catch {
      return wrong("row", { code: "not_json", params: {} });
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return wrong("row", { code: "not_an_object", params: {} });
    const cells: { [F in ImportField]?: unknown } = {};
    for (const [name, member] of Object.entries(value)) {
      const meaning = this.#meaning(name);
      if (!meaning.ok) return wrong(name.slice(0, 100), { code: "unknown_member", params: {} });
      if (meaning.field === null) continue;
      if (cells[meaning.field] !== undefined)
        return wrong(name.slice(0, 100), { code: "duplicate_member", params: { name: meaning.field } });
      cells[meaning.field] = member;
    }
    return { row: this.#row, source, cells, size: text.length };
  }

  /** A member that maps to the field, or has its name. */
  #named(value: unknown, field: string): ReturnType<Source["named"]> {
    if (typeof value !== "object" || value === null) return null;
    for (const [name, member] of Object.entries(value)) {
      const meaning = this.#meaning(name);
      if (name.slice(0, 100) !== field && !(meaning.ok && meaning.field === field)) continue;
      return { column: name, value: typeof member === "string" ? member : JSON.stringify(member) };
    }
    return null;
  }

  #meaning(name: string): ReturnType<typeof meaningOf> {
    const known = this.#meanings.get(name);
    if (known !== undefined) return known;
    const meaning = meaningOf(name, this.#columns);
    // A hostile file could use a different member in every line.
    if (this.#meanings.size < 1_000) this.#meanings.set(name, meaning);
    return meaning;
  }
}

/** A header can only contain a line break inside quotes, and even then its first line shows the separator. */
function lineEnd(text: string): number {
  const end = text.search(/[\r\n]/);
  return end < 0 ? text.length : end;
}
