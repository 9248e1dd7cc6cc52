import { maxRecordLength } from "@countersign/domain/csv/csv";
import { JsonProblem, type JsonRecord, JsonRecordReader } from "@countersign/domain/json/records";
import { type ColumnMap, type ImportField, meaningOf } from "@countersign/domain/license-files/columns";
import type { RowFault } from "@countersign/domain/license-files/row";
import type { SourceReader } from "@countersign/domain/license-files/source-row";
import { importSources } from "@countersign/domain/license-files/sources";
import { FileProblem } from "./job.ts";
import {
  type FileLayout,
  type FileRow,
  type RowReader,
  type Source,
  sourceFileRow,
  sourceReader,
} from "./rows.ts";

/** Objects whose members are the fields, or columns of another service. */
abstract class JsonRows {
  readonly #columns: ColumnMap;
  readonly #sourceReader: SourceReader | null;
  readonly #meanings = new Map<string, ReturnType<typeof meaningOf>>();

  constructor(layout: FileLayout) {
    this.#columns = layout.columns;
    this.#sourceReader = sourceReader(layout);
  }

  protected fileRow(row: number, text: string): FileRow | null {
    let value: unknown;
    const source: Source = { texts: () => [text], named: (field) => this.#named(value, field) };
    const wrong = (field: string, fault: RowFault): FileRow => ({ row, source, error: { field, ...fault } });
    try {
      value = JSON.parse(text);
    } catch {
      return wrong("row", { code: "not_json", params: {} });
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return wrong("row", { code: "not_an_object", params: {} });
    if (this.#sourceReader !== null)
      return sourceFileRow(row, source.texts, text.length, this.#sourceReader.read(value));
    const cells: { [F in ImportField]?: unknown } = {};
    for (const [name, member] of Object.entries(value)) {
      const meaning = this.#meaning(name);
      if (!meaning.ok) return wrong(name.slice(0, 100), { code: "unknown_member", params: {} });
      if (meaning.field === null) continue;
      if (cells[meaning.field] !== undefined)
        return wrong(name.slice(0, 100), { code: "duplicate_member", params: { name: meaning.field } });
      cells[meaning.field] = member;
    }
    return { row, source, cells, size: text.length };
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

export class JsonLineRows extends JsonRows implements RowReader {
  readonly columns = ["line"];
  #rest = "";
  #row = 0;

  read(piece: string): FileRow[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > maxRecordLength)
      throw new FileProblem({ code: "line_too_long", params: { line: this.#row + lines.length + 1 } });
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  end(): FileRow[] {
    const rows = this.#rest === "" ? [] : [this.#line(this.#rest)].flatMap((row) => row ?? []);
    if (this.#row === 0) throw new FileProblem({ code: "file_empty", params: {} });
    return rows;
  }

  #line(line: string): FileRow | null {
    this.#row += 1;
    const text = (this.#row === 1 ? line.replace(/^\ufeff/, "") : line).trim();
    return text === "" ? null : this.fileRow(this.#row, text);
  }
}

/** A JSON document as an interface returns it, or several that follow each other. */
export class JsonDocumentRows extends JsonRows implements RowReader {
  readonly columns = ["record"];
  readonly #lists: readonly string[];
  readonly #reader: JsonRecordReader;
  /** Records that are not licenses have no number. */
  #row = 0;
  #hasRecords = false;

  constructor(layout: FileLayout) {
    super(layout);
    this.#lists = layout.source === null ? [""] : importSources[layout.source].lists;
    this.#reader = new JsonRecordReader(this.#lists, maxRecordLength);
  }

  read(piece: string): FileRow[] {
    return this.#rows(() => this.#reader.read(piece));
  }

  end(): FileRow[] {
    const rows = this.#rows(() => this.#reader.end());
    const lists = this.#lists.filter((list) => list !== "");
    if (!this.#hasRecords) throw new FileProblem({ code: "no_records", params: { lists } });
    return rows;
  }

  #rows(records: () => readonly JsonRecord[]): FileRow[] {
    try {
      return records().flatMap(({ text }) => {
        this.#hasRecords = true;
        const row = this.fileRow(this.#row + 1, text);
        if (row === null) return [];
        this.#row += 1;
        return row;
      });
    } catch (error) {
      if (error instanceof JsonProblem) throw new FileProblem(error.fault);
      throw error;
    }
  }
}
