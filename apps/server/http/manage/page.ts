import { Problem } from "./problem.ts";

/**
 * A page of a list is found by the values of its last row, not by counting rows: it costs the same however deep it is,
 * and rows that come or go meanwhile are neither shown twice nor skipped. The cursor is those values.
 */
export type CursorValues = readonly (string | number | null)[];

export function encodeCursor(values: CursorValues): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

export function decodeCursor(cursor: string | undefined, length: number): CursorValues | null {
  if (cursor === undefined) return null;
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const isValue = (value: unknown) => value === null || ["string", "number"].includes(typeof value);
    if (Array.isArray(values) && values.length === length && values.every(isValue))
      return values as CursorValues;
  } catch {
    // Falls through: it is refused like any other that was not made here.
  }
  throw new Problem("invalid", "cursor is not one that a page of this list ended with.", {
    errors: [{ field: "cursor", message: "cursor is not one that a page of this list ended with." }],
  });
}

/** Ask the database for one row more than the page has: whether it comes tells whether this is the last page. */
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

export function iso(ms: number): string;
export function iso(ms: number | null): string | null;
export function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** A time as it came in a body, which the contract has checked. */
export function milliseconds(text: string): number {
  return Date.parse(text);
}
