import type { Item } from "../../api/client.ts";

export type Entry = Item<"listAuditLog">;
type Json = NonNullable<Entry["before"]>[string];

/** One field before and after. Undefined if that side does not have it. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

export function changesOf({ before, after }: Pick<Entry, "before" | "after">): FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields].map((field) => ({ field, before: before?.[field], after: after?.[field] }));
}

/** What was added to and removed from a list of strings. Null if either side is not one. */
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

/** A time, as text or as milliseconds. Null for anything else. */
export function momentOf(field: string, value: Json | undefined): string | null {
  if (typeof value === "number" && /_(?:at|after|until)$/.test(field)) return new Date(value).toISOString();
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value)
    ? value
    : null;
}

/** Some booleans are logged as 0 and 1, as in the database. */
export function isSwitch(field: string): boolean {
  return /_enabled$|^(?:auto_register_ip|track_ip|expiry_enforcement|signed_validation|custom_response_on|deliver_license|expiring_soon_email|is_|has_|auto_reenable|portal_key_rotation|transfer_resets_ips|transfer_rotates_key)/.test(
    field,
  );
}
