import { separator } from "./sql.ts";

/** A list as one text, which the driver passes through; an array would be escaped element by element. */
export function list<T>(items: readonly T[], value: (item: T) => string | number | boolean | null): string {
  return items.map((item) => listItem(value(item))).join(separator);
}

/** Ends with a null, because to PostgreSQL a list of one empty text is an empty list. */
export function endedList<T>(
  items: readonly T[],
  value: (item: T) => string | number | boolean | null,
): string {
  return list(items, value) + separator + nothing;
}

function listItem(value: string | number | boolean | null): string {
  if (value === null) return nothing;
  // Callers' input can contain anything: the two special characters of a list, and NUL, which PostgreSQL does not
  // accept.
  return typeof value === "string" ? value.replace(unlisted, "\uFFFD") : String(value);
}

const nothing = "\x1e";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const unlisted = /[\0\x1e\x1f]/g;

export function texts(parameter: string): string {
  return `string_to_array(${parameter}, e'\\x1f', e'\\x1e')`;
}

export function numbers(parameter: string): string {
  return `${texts(parameter)}::bigint[]`;
}
