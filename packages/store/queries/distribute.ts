import type { Database } from "../store.ts";
import type { DeliveryRow, EventRow, WebhookEndpointRow } from "../tables.ts";

export type UndistributedEvent = Omit<EventRow, "data" | "at">;

/** The oldest first. */
export async function undistributedEvents(db: Database, limit: number): Promise<UndistributedEvent[]> {
  return db
    .selectFrom("events")
    .select(["id", "organization_id", "product_id", "license_id", "type", "undistributed"])
    .where("undistributed", "is not", null)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export async function dataOfEvents(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("events").select(["id", "data"]).where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row.data]));
}

/** Makes these events this transaction's to distribute. Those that another node took first are not returned. */
export async function takeEvents(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .updateTable("events")
    .set({ undistributed: null })
    .where("id", "in", ids)
    .where("undistributed", "is not", null)
    .returning("id")
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function completeEvent(db: Database, id: string, data: string): Promise<void> {
  await db.updateTable("events").set({ data }).where("id", "=", id).execute();
}

export type Listener = Pick<
  WebhookEndpointRow,
  "id" | "organization_id" | "event_types" | "product_ids" | "status" | "disabled_reason"
>;

/** The endpoints of these organizations; of those that somebody disabled by hand, none. */
export async function listenersOf(db: Database, organizationIds: readonly string[]): Promise<Listener[]> {
  return db
    .selectFrom("webhook_endpoints")
    .select(["id", "organization_id", "event_types", "product_ids", "status", "disabled_reason"])
    .where("organization_id", "in", organizationIds)
    .where("deleted_at", "is", null)
    .where((is) => is.or([is("status", "=", "enabled"), is("disabled_reason", "<>", "by_hand")]))
    .orderBy("organization_id")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

const rowsAtOnce = 500;

export async function addDeliveries(db: Database, rows: readonly DeliveryRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce)
    await db
      .insertInto("deliveries")
      .values(rows.slice(start, start + rowsAtOnce))
      .execute();
}
