/**
 * One line of a CSV file (RFC 4180), with the line break that ends it. Spreadsheets run what begins like a formula, so
 * an apostrophe in front marks such a cell as text. In many countries they split the same file at semicolons, and then
 * quotes inside a line mean nothing to them: what follows a separator or a line break in a cell is marked as well.
 */
export function csvLine(values: Iterable<CsvValue>): string {
  return `${Array.from(values, csvCell).join(",")}\r\n`;
}

export type CsvValue = string | number | boolean | null | undefined;

export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = mayNeedGuard.test(value) ? value.replace(unguarded, "'") : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What `csvCell` made of a text, after its quotes were taken off, back as it was. */
export function withoutGuard(cell: string): string {
  return cell.includes("'") ? cell.replace(guarded, "") : cell;
}

/**
 * `=`, `+`, `-` and `@` begin a formula, also in their full-width forms and behind white space, which some programs
 * strip, or behind quotes, which mean nothing in the middle of a line. A text that already begins with the apostrophe
 * that guards one gets a second, so that reading it back ends where it began. No part crosses a separator, so the time
 * grows with the length alone.
 */
const signs = "=+\\-@\uff1d\uff0b\uff0d\uff20";
const blank = "(?![\\t\\r\\n])[\\s\\u200b\\ufeff]";
const startsFormula = `(?:['"]|${blank})*[${signs}\\t\\r\\n]`;
const continuesFormula = `(?:['"]|${blank})*[${signs}]`;
const unguarded = new RegExp(`^(?=${startsFormula})|(?<=[;\\t\\r\\n])(?=${continuesFormula})`, "g");
const guarded = new RegExp(`^'(?=${startsFormula})|(?<=[;\\t\\r\\n])'(?=${continuesFormula})`, "g");
/** Few cells need the slower look. */
const mayNeedGuard = new RegExp(`^['"\\s\\u200b\\ufeff${signs}]|[;\\t\\r\\n]`);
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;
