import { type RawBuilder, sql } from "kysely";

/**
 * A later time than any that a license's record has shown, even within a millisecond: its `updated_at` is the later of
 * the last edit and the last change to its registered IP addresses.
 */
export function nextLicenseChangeTime(nowMs: number): RawBuilder<number> {
  return sql<number>`case
    when updated_at >= ${nowMs} and updated_at >= ips_updated_at then updated_at + 1
    when ips_updated_at >= ${nowMs} then ips_updated_at + 1
    else ${nowMs} end`;
}
