import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { Tables } from "../../tables.ts";

/** What identifies a row, and by which column it is old. Each has an index that begins with that column. */
const agingTables = {
  attempts: { key: ["name"], age: "ends_at" },
  daily_usage: { key: ["product_id", "day"], age: "day" },
  idempotency_keys: { key: ["actor_id", "idempotency_key"], age: "created_at" },
  impersonations: { key: ["id"], age: "expires_at" },
  outbox: { key: ["id"], age: "created_at" },
  portal_actions: { key: ["id"], age: "at" },
  portal_codes: { key: ["id"], age: "expires_at" },
  portal_sessions: { key: ["id"], age: "expires_at" },
  quota_notices: { key: ["organization_id", "day", "product_id", "type"], age: "day" },
  sessions: { key: ["id"], age: "expires_at" },
  stripe_events: { key: ["id"], age: "received_at" },
  verifications: { key: ["id"], age: "expires_at" },
  waiting_emails: { key: ["id"], age: "created_at" },
} as const satisfies { readonly [Table in keyof Tables]?: AgingTable<Table> };

interface AgingTable<Table extends keyof Tables> {
  readonly key: readonly (keyof Tables[Table])[];
  readonly age: keyof Tables[Table];
}

export type AgingTableName = keyof typeof agingTables;

/** Deletes rows from before this time or day, the oldest first, up to this many; returns how many. */
export async function deleteOldRows(
  db: Database,
  table: AgingTableName,
  before: number,
  limit: number,
): Promise<number> {
  const { key, age } = agingTables[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  // The sign-in library's tables store times as text.
  const isText = table === "sessions" || table === "verifications";
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${sql.ref(age)} < ${isText ? new Date(before).toISOString() : before}
      order by ${sql.ref(age)} limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
