/** No Countersign response is nested deeper. The limit protects the stack of whatever reads the value. */
const maxLevels = 100;
const maxCount = 2 ** 31 - 1;
const rfc3339 =
  /^[1-9]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-7]):[0-5]\d)$/;

/** An object, from text; null for anything else. */
export function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && isReadable(value, maxLevels) ? value : null;
  } catch {
    return null;
  }
}

/** A member that has another form than Countersign's. */
class UnreadableMember extends Error {}

/** What `reader` returns for the object in this text; null if it is none, or if one of its members is unreadable. */
export function read<Value>(
  body: string,
  reader: (object: Record<string, unknown>) => Value | null,
): Value | null {
  const object = parsed(body);
  try {
    return object === null ? null : reader(object);
  } catch (error) {
    if (error instanceof UnreadableMember) return null;
    throw error;
  }
}

/** Whether the value is not nested too deep, and has no number that is too large for a double. */
function isReadable(value: unknown, levels: number): boolean {
  if (levels < 0 || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every((inner) => isReadable(inner, levels - 1));
}

export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Only to be called by a reader: a count that cannot be read must not become "no limit". */
export function count(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxCount) return value;
  throw new UnreadableMember();
}

/** Only to be called by a reader: a time that cannot be read must not become "never". */
export function time(value: unknown): Date | null {
  if (value === null || value === undefined) return null;
  const date = typeof value === "string" ? dateOf(value) : null;
  if (date === null) throw new UnreadableMember();
  return date;
}

/** From RFC 3339, in milliseconds; null for any other text, and for days that do not exist. */
export function dateOf(value: string): Date | null {
  if (!rfc3339.test(value)) return null;
  // `Date` accepts the 30th of February, as a day in March.
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value.slice(0, 10)) return null;
  return new Date(value.replace(/(\.\d{3})\d+/, "$1"));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
