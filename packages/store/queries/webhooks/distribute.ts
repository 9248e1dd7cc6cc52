import { type SqlBool, sql } from "kysely";
import type { Bulk, Database } from "../../store.ts";
import {
  type DeliveryRow,
  distribution,
  type EventRow,
  type WebhookEndpointRow,
} from "../../tables/events.ts";

export type UndistributedEvent = Omit<EventRow, "data">;

/**
 * The organizations that have undistributed events, starting after `after`. From one the index leads straight to the
 * next, however many events each has. The condition is a literal, because only then is the partial index used.
 */
export async function organizationsWaiting(db: Database, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (id, number) as (
      select (select min(organization_id) from events where undistributed is not null and organization_id > ${after}), 1
      union all
      select (select min(e.organization_id) from events e
        where e.undistributed is not null and e.organization_id > w.id), w.number + 1
      from waiting w where w.id is not null and w.number < ${limit}
    )
    select id from waiting where id is not null`.execute(db);
  return rows.map((row) => row.id);
}

/** The oldest events of each organization, the same number of each; the first of each comes before the second. */
export async function undistributedEvents(
  db: Database,
  organizationIds: readonly string[],
  ofEach: number,
): Promise<UndistributedEvent[]> {
  if (organizationIds.length === 0) return [];
  const parts = organizationIds.map(
    (id) => sql`select * from (
      select id, organization_id, product_id, license_id, type, at, undistributed from events
      where organization_id = ${id} and undistributed is not null order by id limit ${ofEach}) as part`,
  );
  const { rows } = await sql<UndistributedEvent>`${sql.join(parts, sql` union all `)}`.execute(db);
  const positions = new Map<string, number>();
  const placed = rows.map((event) => {
    const position = positions.get(event.organization_id) ?? 0;
    positions.set(event.organization_id, position + 1);
    return { event, position };
  });
  return placed.sort((a, b) => a.position - b.position).map(({ event }) => event);
}

export async function dataOfEvents(
  db: Database,
  bulk: Bulk,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.selectFrom("events").select(["id", "data"]).where(bulk.among("id", ids)).execute();
  return new Map(rows.map((row) => [row.id, row.data]));
}

/** Claims these events for this transaction. Those that another node claimed first are not returned. */
export async function takeEvents(db: Database, bulk: Bulk, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .updateTable("events")
    .set({ undistributed: distribution.none })
    .where(bulk.among("id", ids))
    // Selects rows by their IDs, in a form that keeps PostgreSQL from scanning the backlog instead.
    .where(sql<SqlBool>`coalesce(undistributed, 0) > 0`)
    .returning("id")
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** Adds the missing data to events of this transaction. */
export async function completeEvents(db: Database, bulk: Bulk, rows: readonly EventRow[]): Promise<void> {
  await bulk.insert(db, "events", rows, "(id) do update set data = excluded.data");
}

export type Listener = Pick<
  WebhookEndpointRow,
  "id" | "organization_id" | "event_types" | "product_ids" | "status" | "disabled_reason"
>;

/** The endpoints of these organizations, without those disabled by hand. */
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
