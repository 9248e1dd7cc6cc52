import type { JournalEntry } from "../journal.ts";
import type { RequestLogRow } from "../tables/journal.ts";

/** An entry as the row that is stored. */
export function rowOf(entry: JournalEntry): RequestLogRow {
  const [at, id, organization_id, product_id, license_id, endpoint, status, ip, ...rest] = entry;
  const [version, device_id, problem, duration_us, count, sandbox, facts] = rest;
  return {
    ...{ at, id, organization_id, product_id, license_id, endpoint, status, ip },
    ...{ version, device_id, problem, duration_us, count, sandbox, facts },
  };
}

/** Sorts rows as they are stored. */
export function byTime(one: RequestLogRow, other: RequestLogRow): number {
  return one.at - other.at || (one.id < other.id ? -1 : 1);
}
