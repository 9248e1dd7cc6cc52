import type { Database } from "../store.ts";
import type { AuditLogRow } from "../tables.ts";

export async function addAuditEntries(db: Database, rows: readonly AuditLogRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += 500) {
    await db
      .insertInto("audit_log")
      .values(rows.slice(start, start + 500))
      .execute();
  }
}
