/**
 * One line of a CSV file (RFC 4180), including its line break. Spreadsheets run a cell that looks like a formula, so an
 * apostrophe in front marks it as text. In many locales they split the same file at semicolons and ignore quotes inside
 * a line, so text that follows a separator or a line break within a cell is marked too.
 */
export function csvLine(values: Iterable<CsvValue>): string {
  return `${Array.from(values, csvCell).join(",")}\r\n`;
}

export type CsvValue = string | number | boolean | null | undefined;

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = mayNeedGuard.test(value) ? value.replace(unguarded, "'") : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reverses `csvCell` for a cell whose quotes have been removed. */
export function withoutGuard(cell: string): string {
  return cell.includes("'") ? cell.replace(guarded, "") : cell;
}

/**
 * `=`, `+`, `-` and `@` start a formula, also in their full-width forms, after white space, which some programs strip,
 * or after quotes, which mean nothing in the middle of a line. Text that already starts with the guarding apostrophe
 * gets a second one, so that it survives a round trip. No alternative crosses a separator, so the time is linear in the
 * length.
 */
const signs = "=+\\-@\uff1d\uff0b\uff0d\uff20";
const blank = "(?![\\t\\r\\n])[\\s\\u200b\\ufeff]";
const startsFormula = `(?:['"]|${blank})*[${signs}\\t\\r\\n]`;
const continuesFormula = `(?:['"]|${blank})*[${signs}]`;
const unguarded = new RegExp(`^(?=${startsFormula})|(?<=[;\\t\\r\\n])(?=${continuesFormula})`, "g");
const guarded = new RegExp(`^'(?=${startsFormula})|(?<=[;\\t\\r\\n])'(?=${continuesFormula})`, "g");
/** Few cells need the slower check. */
const mayNeedGuard = new RegExp(`^['"\\s\\u200b\\ufeff${signs}]|[;\\t\\r\\n]`);
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

export type CsvFault =
  | { readonly code: "row_too_long" | "quote_not_closed"; readonly params: { readonly row: number } }
  | { readonly code: "text_after_quote"; readonly params: { readonly row: number; readonly column: number } };

/** The CSV file cannot be read from some row on. */
export class CsvProblem extends Error {
  override readonly name = "CsvProblem";
  readonly fault: CsvFault;

  constructor(fault: CsvFault) {
    super(`${fault.code} in row ${fault.params.row}`);
    this.fault = fault;
  }
}

/** No row of licenses is this long: a quote was opened and never closed. */
export const maxRecordLength = 1024 * 1024;

/**
 * Reads CSV (RFC 4180) as it arrives, in chunks of any size. Lines can end with CRLF, LF or CR; a byte order mark is
 * skipped. Every line is a record, even an empty one, so that record numbers match the row numbers in a spreadsheet.
 */
export class CsvReader {
  readonly #delimiter: number;
  #rest = "";
  #rows = 0;

  constructor(delimiter = ",") {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** The records that this chunk completes. */
  read(piece: string): string[][] {
    return this.#take(this.#rest + piece, false);
  }

  /** The last record, if no line break ends it. */
  end(): string[][] {
    return this.#rest === "" ? [] : this.#take(this.#rest, true);
  }

  #take(text: string, isAll: boolean): string[][] {
    const records: string[][] = [];
    let start = this.#rows === 0 && text.charCodeAt(0) === byteOrderMark ? 1 : 0;
    while (start < text.length) {
      const record: string[] = [];
      const end = this.#record(text, start, record, isAll);
      if (end < 0) break;
      records.push(record);
      this.#rows += 1;
      start = end;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > maxRecordLength) {
      throw new CsvProblem({ code: "row_too_long", params: { row: this.#rows + 1 } });
    }
    return records;
  }

  /** Fills `record` and returns where the next one starts; -1 if this one is incomplete. */
  #record(text: string, start: number, record: string[], isAll: boolean): number {
    let at = start;
    for (;;) {
      if (text.charCodeAt(at) === quote) {
        const close = closingQuote(text, at + 1);
        // A quote at the very end can be the first half of a doubled quote.
        if (close < 0 || (close === text.length - 1 && !isAll)) {
          if (isAll) throw new CsvProblem({ code: "quote_not_closed", params: { row: this.#rows + 1 } });
          return -1;
        }
        record.push(unquoted(text, at + 1, close));
        at = close + 1;
        const next = text.charCodeAt(at);
        if (at < text.length && next !== this.#delimiter && next !== carriageReturn && next !== lineFeed) {
          throw new CsvProblem({
            code: "text_after_quote",
            params: { row: this.#rows + 1, column: record.length },
          });
        }
      } else {
        const end = this.#endOfBareCell(text, at);
        record.push(text.slice(at, end));
        at = end;
      }
      if (at >= text.length) return isAll ? at : -1;
      const next = text.charCodeAt(at);
      if (next === this.#delimiter) {
        at += 1;
        continue;
      }
      if (next === lineFeed) return at + 1;
      // After a CR, the LF that belongs to it may not have arrived yet.
      if (at + 1 >= text.length) return isAll ? at + 1 : -1;
      return text.charCodeAt(at + 1) === lineFeed ? at + 2 : at + 1;
    }
  }

  #endOfBareCell(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.#delimiter || code === lineFeed || code === carriageReturn) return at;
    }
    return text.length;
  }
}

/** The cell separator, detected from the first line: spreadsheets use different ones in different countries. */
export function delimiterOf(firstLine: string): "," | ";" | "\t" {
  const counts = { ",": 0, ";": 0, "\t": 0 };
  let isQuoted = false;
  for (const character of firstLine) {
    // A doubled quote closes and reopens, so the state stays the same.
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character in counts) counts[character as keyof typeof counts] += 1;
  }
  const { ",": commas, ";": semicolons, "\t": tabs } = counts;
  if (semicolons > commas && semicolons >= tabs) return ";";
  return tabs > commas ? "\t" : ",";
}

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;
const byteOrderMark = 0xfeff;

function closingQuote(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0 || text.charCodeAt(at + 1) !== quote) return at;
    at += 2;
  }
}

function unquoted(text: string, start: number, end: number): string {
  const cell = text.slice(start, end);
  return cell.includes('"') ? cell.replaceAll('""', '"') : cell;
}
