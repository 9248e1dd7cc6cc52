import { quotaDay, usageDays } from "@countersign/domain/quota/day";
import { organizationUsage } from "@countersign/store/queries/usage/daily";
import { estimatedRows } from "@countersign/store/queries/usage/row-counts";
import type { Store } from "@countersign/store/store";

/** What an organization has most of. */
interface StoredRows {
  readonly licenses: number;
  readonly requests: number;
  readonly events: number;
  readonly auditEntries: number;
}

/**
 * Bytes per row with its indexes, measured on databases with 4,000 rows of each kind. A license includes its customer,
 * a tag, a registered IP address and the search index. docs/decisions/analytics.md#d67 has the details.
 */
const bytesPerRow: Readonly<Record<Store["kind"], StoredRows>> = {
  sqlite: { licenses: 2_400, requests: 260, events: 1_600, auditEntries: 1_050 },
  postgres: { licenses: 5_100, requests: 340, events: 2_400, auditEntries: 1_150 },
};

/**
 * An estimate of how much an organization stores. Nothing is counted that would take long: requests are taken from
 * their daily counts, because the log has no index by organization.
 */
export async function estimatedStorage(
  store: Store,
  organizationId: string,
  known: { readonly licenses: number; readonly logDays: number },
  nowMs: number,
): Promise<number> {
  const db = store.listReads;
  const firstDay = quotaDay(nowMs) - Math.min(known.logDays, usageDays) + 1;
  const used = await organizationUsage(db, organizationId, firstDay);
  const rows: StoredRows = {
    licenses: known.licenses,
    requests: [...used.values()].reduce((sum, requests) => sum + requests, 0),
    events: await estimatedRows(db, "events", organizationId, nowMs),
    auditEntries: await estimatedRows(db, "audit_log", organizationId, nowMs),
  };
  const bytes = bytesPerRow[store.kind];
  return (Object.keys(rows) as (keyof StoredRows)[]).reduce((sum, kind) => sum + rows[kind] * bytes[kind], 0);
}
