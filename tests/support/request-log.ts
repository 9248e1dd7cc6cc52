import type { JournalEntry } from "@countersign/store/journal";
import { newId } from "@countersign/store/new-id";
import { existingDays, logOf } from "@countersign/store/request-log/tables";
import type { Store } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables/journal";

/** All rows of the request log that have these values, in the order of their time. */
export async function requestLog(
  { reads }: Pick<Store, "reads">,
  where: Partial<RequestLogRow> = {},
): Promise<RequestLogRow[]> {
  const found: RequestLogRow[] = [];
  for (const day of (await existingDays(reads)).reverse()) {
    let query = reads.selectFrom(logOf(day)).selectAll();
    for (const [name, value] of Object.entries(where)) query = query.where(name as "id", "=", String(value));
    found.push(...(await query.orderBy("at").orderBy("id").execute()));
  }
  return found;
}

/** An entry for the request log, with ordinary values for everything that a test does not care about. */
export function journalEntry(values: Partial<JournalEntry> = {}): JournalEntry {
  return {
    ...{ at: Date.now(), id: newId(), organization_id: "o", product_id: "p", license_id: null },
    ...{ endpoint: "validate", status: "active", ip: "192.0.2.1", version: null, device_id: null },
    ...{ problem: null, duration_us: 900, count: 1, sandbox: 0, facts: null, tracked: false },
    ...values,
  };
}
