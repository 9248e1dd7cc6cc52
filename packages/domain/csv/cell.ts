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
