import { openText, sealText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type {
  DeliveryAttemptRow,
  DeliveryRow,
  StoredEndpointRow,
  WebhookEndpointRow,
  WebhookSecretRow,
} from "../../tables/events.ts";
import { unindexed } from "../conditions.ts";
import { sealAttempt } from "./deliveries.ts";
import { isHeld } from "./hold-deliveries.ts";
import { emptyEndpoint } from "./prune.ts";

export async function addEndpoint(db: Database, { url, ...row }: WebhookEndpointRow): Promise<void> {
  await db
    .insertInto("webhook_endpoints")
    .values({ ...row, sealed_url: sealText(db, url) })
    .execute();
}

export function openEndpoint<Row extends Pick<StoredEndpointRow, "sealed_url">>(
  db: Database,
  { sealed_url, ...rest }: Row,
): Omit<Row, "sealed_url"> & Pick<WebhookEndpointRow, "url"> {
  return { ...rest, url: openText(db, sealed_url) };
}

export async function endpointOf(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | undefined> {
  const row = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "=", id)
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? undefined : openEndpoint(db, row);
}

/** The current row, locked until the transaction ends. */
export async function lockedEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | undefined> {
  const row = await db
    .updateTable("webhook_endpoints")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : openEndpoint(db, row);
}

/** Oldest first. */
export async function endpointsOf(
  db: Database,
  organizationId: string,
  page: { readonly after: { createdAt: number; id: string } | null; readonly limit: number },
): Promise<WebhookEndpointRow[]> {
  let query = db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null);
  const { after } = page;
  if (after !== null) {
    query = query
      .where("created_at", ">=", after.createdAt)
      .where((is) => is.or([is("created_at", ">", after.createdAt), is("id", ">", after.id)]));
  }
  const rows = await query.orderBy("created_at").orderBy("id").limit(page.limit).execute();
  return rows.map((row) => openEndpoint(db, row));
}

/** Those that receive no events although nobody disabled them by hand; the longest such first. */
export async function endpointsInTrouble(
  db: Database,
  organizationId: string,
  limit: number,
): Promise<WebhookEndpointRow[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("deleted_at", "is", null)
    .where("organization_id", "=", organizationId)
    .where((is) =>
      is.or([
        is.and([is("status", "=", "enabled"), is("failing_since", "is not", null)]),
        is.and([is("status", "=", "disabled"), is("disabled_reason", "!=", "by_hand")]),
      ]),
    )
    .orderBy((is) => is.fn.coalesce("disabled_at", "failing_since"))
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => openEndpoint(db, row));
}

export async function countEndpoints(db: Database, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_endpoints")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function updateEndpoint(
  db: Database,
  id: string,
  { url, ...changes }: Partial<Omit<WebhookEndpointRow, "id" | "organization_id" | "created_at">>,
): Promise<void> {
  const sealed = url === undefined ? {} : { sealed_url: sealText(db, url) };
  await db
    .updateTable("webhook_endpoints")
    .set({ ...changes, ...sealed })
    .where("id", "=", id)
    .execute();
}

/** Those of the IDs that are products of the organization. */
export async function productsAmong(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("products")
    .select("id")
    .where("id", "in", ids)
    .where(unindexed("organization_id"), "=", organizationId)
    .where("deleted_at", "is", null)
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function addSecret(db: Database, row: WebhookSecretRow): Promise<void> {
  await db.insertInto("webhook_secrets").values(row).execute();
}

/** Until when old secrets of these endpoints sign: those that have not expired. */
export async function oldSecrets(
  db: Database,
  endpointIds: readonly string[],
  nowMs: number,
): Promise<Pick<WebhookSecretRow, "endpoint_id" | "expires_at">[]> {
  if (endpointIds.length === 0) return [];
  return db
    .selectFrom("webhook_secrets")
    .select(["endpoint_id", "expires_at"])
    .where("endpoint_id", "in", endpointIds)
    .where("expires_at", ">", nowMs)
    .execute();
}

/** The current secret expires at `untilMs`; those that were already expiring are removed. */
export async function retireSecrets(db: Database, endpointId: string, untilMs: number): Promise<void> {
  await db
    .deleteFrom("webhook_secrets")
    .where("endpoint_id", "=", endpointId)
    .where("expires_at", "is not", null)
    .execute();
  await db
    .updateTable("webhook_secrets")
    .set({ expires_at: untilMs })
    .where("endpoint_id", "=", endpointId)
    .execute();
}

export async function removeSecrets(db: Database, endpointId: string): Promise<void> {
  await db.deleteFrom("webhook_secrets").where("endpoint_id", "=", endpointId).execute();
}

export async function deletedEndpoints(db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("deleted_at", "is not", null)
    .limit(20)
    .execute();
  return rows.map((row) => row.id);
}

/** Removes some data of a deleted endpoint, and finally its row; returns whether anything was left. */
export async function removeSomeOfEndpoint(db: Database, id: string, atMost: number): Promise<boolean> {
  if (await emptyEndpoint(db, id, atMost)) return true;
  await db.deleteFrom("webhook_endpoints").where("id", "=", id).where("deleted_at", "is not", null).execute();
  return false;
}

/** How endpoints that were disabled for failing are retried. A claim is a lease, like that of a delivery. */

export async function endpointsToProbe(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("next_probe_at", "<=", nowMs)
    .where("disabled_reason", "=", "failing")
    .where("deleted_at", "is", null)
    .orderBy("next_probe_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Claims those that no other node has claimed in the meantime. `next_probe_at` identifies the claim afterwards. */
export async function claimProbes(
  db: Database,
  ids: readonly string[],
  nowMs: number,
  untilMs: number,
): Promise<StoredEndpointRow[]> {
  return db
    .updateTable("webhook_endpoints")
    .set({ next_probe_at: untilMs })
    .where("id", "in", ids)
    .where("next_probe_at", "<=", nowMs)
    .where("disabled_reason", "=", "failing")
    .where("deleted_at", "is", null)
    .returningAll()
    .execute();
}

/** The oldest or the newest event that an endpoint has missed. */
export async function missedDelivery(
  db: Database,
  endpointId: string,
  which: "oldest" | "newest",
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom("deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where(isHeld)
    .orderBy("id", which === "oldest" ? "asc" : "desc")
    .limit(1)
    .executeTakeFirst();
}

/** A delivery that is no longer held was sent meanwhile, and is skipped. */
export async function writeProbe(
  db: Database,
  attempt: DeliveryAttemptRow,
  isDelivered: boolean,
  nowMs: number,
): Promise<void> {
  await db
    .insertInto("delivery_attempts")
    .values(sealAttempt(db, attempt))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  await db
    .updateTable("deliveries")
    .set((row) => ({
      attempts: row("attempts", "+", 1),
      last_status: attempt.status,
      ...(isDelivered ? ({ state: "delivered", finished_at: nowMs } as const) : {}),
    }))
    .where("id", "=", attempt.delivery_id)
    .where("state", "=", "held")
    .execute();
}
