/**
 * One line of a CSV file (RFC 4180), with the line break that ends it. Spreadsheets run what begins like a formula, so
 * such a cell is told to be text by an apostrophe in front.
 */
export function csvLine(values: Iterable<CsvValue>): string {
  return `${Array.from(values, csvCell).join(",")}\r\n`;
}

export type CsvValue = string | number | boolean | null | undefined;

export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = startsFormula.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What `csvCell` made of a text, after its quotes were taken off, back as it was. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && startsFormula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/**
 * `=`, `+`, `-` and `@` begin a formula, also in their full-width forms and behind white space, which some programs
 * strip. A text that already begins with the apostrophe that guards one gets a second, so that reading it back ends
 * where it began.
 */
const startsFormula = /^'*[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/;
const needsQuotes = /[",\r\n]|^\s|\s$/;
