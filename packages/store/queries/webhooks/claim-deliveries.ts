import { sql } from "kysely";
import type { Bulk, Database } from "../../store.ts";
import type { DeliveryRow, EventRow, StoredEndpointRow } from "../../tables/events.ts";

/**
 * How deliveries are found and claimed. A claim moves `next_attempt_at` to its own end, where the next one finds it.
 */

/**
 * The endpoints with due deliveries. From one endpoint the index leads straight to the next, so the cost does not
 * depend on the backlog; finding the first due one is a single step too, where `exists` would make PostgreSQL read the
 * whole backlog. The state is a literal, because only then is the partial index used.
 */
export async function dueEndpoints(db: Database, nowMs: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (id) as (
      select min(endpoint_id) from deliveries where state = 'pending'
      union all
      select (select min(d.endpoint_id) from deliveries d where d.state = 'pending' and d.endpoint_id > w.id)
      from waiting w where w.id is not null
    )
    select w.id from waiting w
    where w.id is not null and (
      select min(d.next_attempt_at) from deliveries d
      where d.endpoint_id = w.id and d.state = 'pending') <= ${nowMs}`.execute(db);
  return rows.map((row) => row.id);
}

export type SendingEndpoint = Pick<
  StoredEndpointRow,
  "id" | "organization_id" | "sealed_url" | "format" | "sealed_headers" | "status" | "failing_since"
>;

export async function endpointsByIds(db: Database, ids: readonly string[]): Promise<SendingEndpoint[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom("webhook_endpoints")
    .select(["id", "organization_id", "sealed_url", "format", "sealed_headers", "status", "failing_since"])
    .where("id", "in", ids)
    .where("deleted_at", "is", null)
    .execute();
}

/** The IDs of due deliveries per endpoint, at most as many as it can have, oldest first. */
export async function dueDeliveries(
  db: Database,
  wanted: readonly { readonly endpointId: string; readonly atMost: number }[],
  nowMs: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < wanted.length; start += endpointsAtOnce) {
    const batches = wanted.slice(start, start + endpointsAtOnce).map(
      ({ endpointId, atMost }) => sql`select * from (
        select id from deliveries
        where endpoint_id = ${endpointId} and state = 'pending' and next_attempt_at <= ${nowMs}
        order by next_attempt_at limit ${atMost}) as batch`,
    );
    const { rows } = await sql<{ id: string }>`${sql.join(batches, sql` union all `)}`.execute(db);
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

const endpointsAtOnce = 50;

/** Selects rows by their IDs, in a form that keeps PostgreSQL from scanning the backlog instead. */
export const isPending = sql<boolean>`coalesce(state, '') = 'pending'`;

export type ClaimedDelivery = Pick<
  DeliveryRow,
  "id" | "endpoint_id" | "event_id" | "event_type" | "attempts" | "created_at"
>;

/** Claims those that no other node has claimed in the meantime. */
export async function claimDeliveries(
  db: Database,
  bulk: Bulk,
  ids: readonly string[],
  {
    claimant,
    nowMs,
    untilMs,
  }: { readonly claimant: string; readonly nowMs: number; readonly untilMs: number },
): Promise<ClaimedDelivery[]> {
  return db
    .updateTable("deliveries")
    .set({ claimed_by: claimant, claimed_until: untilMs, next_attempt_at: untilMs })
    .where(bulk.among("id", ids))
    .where(isPending)
    .where("next_attempt_at", "<=", nowMs)
    .returning(["id", "endpoint_id", "event_id", "event_type", "attempts", "created_at"])
    .execute();
}

/** Releases what was claimed but not tried: any node can claim it immediately. */
export async function releaseDeliveries(
  db: Database,
  bulk: Bulk,
  ids: readonly string[],
  claimant: string,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable("deliveries")
    .set({ claimed_by: null, claimed_until: null, next_attempt_at: nowMs })
    .where(bulk.among("id", ids))
    .where("claimed_by", "=", claimant)
    .where(isPending)
    .execute();
}

export type SentEvent = Pick<
  EventRow,
  "id" | "organization_id" | "product_id" | "license_id" | "type" | "at" | "data"
>;

export async function eventsByIds(
  db: Database,
  bulk: Bulk,
  ids: readonly string[],
): Promise<Map<string, SentEvent>> {
  const rows = await db
    .selectFrom("events")
    .select(["id", "organization_id", "product_id", "license_id", "type", "at", "data"])
    .where(bulk.among("id", ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The encrypted secrets that each endpoint currently signs with, newest first. */
export async function signingSecrets(
  db: Database,
  endpointIds: readonly string[],
  nowMs: number,
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom("webhook_secrets")
    .select(["endpoint_id", "sealed_secret"])
    .where("endpoint_id", "in", endpointIds)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", nowMs)]))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const secrets = new Map<string, string[]>();
  for (const row of rows)
    secrets.set(row.endpoint_id, [...(secrets.get(row.endpoint_id) ?? []), row.sealed_secret]);
  return secrets;
}
