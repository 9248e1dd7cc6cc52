import { invalid, type Problem } from "../http/problem.ts";
import { isUnstorable } from "./input.ts";

/**
 * A page of a list is found by the values of the last row of the previous one, not by offset: it costs the same however
 * deep it is, and rows that are added or removed in the meantime are neither repeated nor skipped. The cursor holds
 * those values.
 */
export type CursorValues = readonly (string | number | null)[];

export function encodeCursor(values: CursorValues): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

export type CursorKind = "text" | "number";

/**
 * The values of a cursor with one of these shapes. Anyone can forge one: values that the list itself could not have
 * produced are rejected here, not by a database.
 */
export function decodeCursor(
  cursor: string | undefined,
  ...shapes: readonly (readonly CursorKind[])[]
): CursorValues | null {
  if (cursor === undefined) return null;
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const fits = (kinds: readonly CursorKind[]) =>
      Array.isArray(values) &&
      values.length === kinds.length &&
      kinds.every((kind, at) => isA(kind, values[at]));
    if (shapes.some(fits)) return values as CursorValues;
  } catch {
    // Falls through: it is rejected like any other forged one.
  }
  throw wrongCursor();
}

function isA(kind: CursorKind, value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string" && !isUnstorable(value);
    case "number":
      return Number.isSafeInteger(value);
  }
}

export function wrongCursor(): Problem {
  return invalid("cursor", "invalid_cursor");
}

/** Query one row more than the page has: whether it exists tells whether this is the last page. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => CursorValues,
  item: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(item),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null,
  };
}

/** A time from a body, which the contract has checked. */
export function milliseconds(text: string): number {
  return Date.parse(text);
}

/** The input as columns: omitted members stay omitted, true and false become 1 and 0. */
export function asColumns<T extends object>(body: T): Columns<T> {
  const entries = Object.entries(body).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, typeof value === "boolean" ? (value ? 1 : 0) : value]];
  });
  return Object.fromEntries(entries) as Columns<T>;
}

type Columns<T> = { [K in keyof T]?: Column<Exclude<T[K], undefined>> };
type Column<V> = V extends boolean ? 0 | 1 : V;
