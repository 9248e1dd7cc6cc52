import type { Item } from "../../api/client.ts";

export type Entry = Item<"listAuditLog">;
type Json = NonNullable<Entry["before"]>[string];

/** One field: what it was, what it is since. Undefined where that side says nothing of it. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

export function changesOf({ before, after }: Pick<Entry, "before" | "after">): FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields].map((field) => ({ field, before: before?.[field], after: after?.[field] }));
}

/** Of two lists of words: what came and what went. Null where they are not both such lists. */
export function listDifference({
  before,
  after,
}: FieldChange): { added: string[]; removed: string[] } | null {
  if (!isWordList(before) || !isWordList(after)) return null;
  return {
    added: after.filter((word) => !before.includes(word)),
    removed: before.filter((word) => !after.includes(word)),
  };
}

function isWordList(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** A moment, as text or as the milliseconds in which the database keeps some. Null for anything else. */
export function momentOf(field: string, value: Json | undefined): string | null {
  if (typeof value === "number" && /_(?:at|after|until)$/.test(field)) return new Date(value).toISOString();
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value)
    ? value
    : null;
}

/** Switches are written down as 0 and 1 where the database keeps them so. */
export function isSwitch(field: string): boolean {
  return /_enabled$|^(?:auto_register_ip|track_ip|expiry_enforcement|signed_validation|custom_response_on|deliver_license|expiring_soon_mail|is_|has_|auto_reenable)/.test(
    field,
  );
}
