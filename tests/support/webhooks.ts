import { randomBytes } from "node:crypto";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { generateWebhookSecret } from "@countersign/domain/webhooks/signature";
import { addEvents } from "@countersign/store/queries/events/events";
import { openAttempt, sealAttempt } from "@countersign/store/queries/webhooks/deliveries";
import { addEndpoint, addSecret } from "@countersign/store/queries/webhooks/endpoints";
import type { Store } from "@countersign/store/store";
import {
  type DeliveryAttemptRow,
  type DeliveryRow,
  distribution,
  type EventRow,
  type WebhookEndpointRow,
} from "@countersign/store/tables/events";
import type { QueryFixture } from "./query-tests.ts";
import { storedRows } from "./stored-rows.ts";
import { newId } from "./test-organization.ts";

/** Lets a server call receivers on this machine. */
export const allowLoopback = { COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1" } as const;

/** Creates an endpoint directly in the database. */
export async function makeEndpoint(
  store: Store,
  organizationId: string,
  url: string,
  settings: Partial<WebhookEndpointRow> = {},
): Promise<{ id: string; secret: string }> {
  const id = settings.id ?? newId();
  const secret = generateWebhookSecret(randomBytes);
  const nowMs = Date.now();
  await store.transaction(async (db) => {
    await addEndpoint(db, {
      id,
      organization_id: organizationId,
      url,
      description: "",
      format: "standard",
      event_types: null,
      product_ids: null,
      sealed_headers: null,
      status: "enabled",
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_success_at: null,
      last_failure_at: null,
      auto_reenable: 1,
      probes: 0,
      next_probe_at: null,
      created_at: nowMs,
      updated_at: nowMs,
      deleted_at: null,
      ...settings,
    });
    const sealed_secret = store.sealer.seal(Buffer.from(secret));
    await addSecret(db, { id: newId(), endpoint_id: id, sealed_secret, created_at: nowMs, expires_at: null });
  });
  return { id, secret };
}

/** An event that has just happened. */
function eventRow(organization_id: string, number: number, columns: Partial<EventRow>): EventRow {
  return {
    id: newId(),
    organization_id,
    product_id: null,
    license_id: null,
    type: "license.updated",
    at: Date.now(),
    data: JSON.stringify({ organization_id, number }),
    undistributed: distribution.waiting,
    ...columns,
  };
}

/** Creates events as if they had just happened. Returns their IDs. */
export async function makeEvents(
  store: Store,
  organizationId: string,
  count: number,
  settings: Partial<EventRow> = {},
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, number) => eventRow(organizationId, number, settings));
  await store.transaction((db) => addEvents(db, rows));
  return rows.map((row) => row.id);
}

let made = 0;

/** An ID that sorts as if it had been generated at this time. */
export function idAt(ms: number): string {
  made += 1;
  return firstUuidAt(ms).slice(0, -12) + made.toString(16).padStart(12, "0");
}

/** Where deliveries belong. */
export interface DeliveryOwner {
  readonly store: Store;
  readonly organizationId: string;
  readonly endpointId: string;
}

/** A new endpoint of a new organization, unless one is given, and what is stored about it. */
export async function newEndpoint(
  { store, organization }: Pick<QueryFixture, "store" | "organization">,
  settings: Partial<WebhookEndpointRow> = {},
) {
  const organizationId = settings.organization_id ?? (await organization()).organizationId;
  const { url = "https://hooks.example.invalid/" } = settings;
  const { id, secret } = await makeEndpoint(store, organizationId, url, settings);
  const deliveries = () => deliveriesTo(store, id);
  return {
    store,
    organizationId,
    endpointId: id,
    secret,
    deliveries,
    states: async () => (await deliveries()).map(({ state }): string => state),
    attempts: () => attemptsAt(store, id),
  };
}

/** Creates deliveries and their events, each as if it had been created at its `created_at`. */
export async function makeDeliveries(
  { store, organizationId, endpointId }: DeliveryOwner,
  settings: readonly Partial<DeliveryRow>[],
): Promise<DeliveryRow[]> {
  const rows = settings.map((fields): DeliveryRow => {
    const createdAt = fields.created_at ?? Date.now() - 3_600_000;
    return {
      id: idAt(createdAt),
      organization_id: organizationId,
      endpoint_id: endpointId,
      event_id: newId(),
      event_type: "license.updated",
      state: "delivered",
      attempts: 1,
      next_attempt_at: null,
      claimed_by: null,
      claimed_until: null,
      last_status: 200,
      created_at: createdAt,
      finished_at: null,
      ...fields,
    };
  });
  const events = rows.map(({ event_id: id, event_type: type, created_at: at }, number) =>
    eventRow(organizationId, number, { id, type, at, undistributed: distribution.none }),
  );
  await store.transaction(async (db) => {
    await store.bulk.insert(db, "events", events, "(id) do nothing");
    await store.bulk.insert(db, "deliveries", rows);
  });
  return rows;
}

/** Creates one delivery with these attempts. */
export async function makeDelivery(
  owner: DeliveryOwner,
  fields: Partial<DeliveryRow> = {},
  attempts: readonly Partial<DeliveryAttemptRow>[] = [],
): Promise<DeliveryRow> {
  const [row] = await makeDeliveries(owner, [fields]);
  if (row === undefined) throw new Error("One delivery was created.");
  const made = attempts.map((attempt) => ({ at: row.created_at, delivery_id: row.id, ...attempt }));
  await makeAttempts(owner, made);
  return row;
}

/** Creates attempts, each as if it had been made at its `at`. */
export async function makeAttempts(
  { store, endpointId }: DeliveryOwner,
  attempts: readonly (Pick<DeliveryAttemptRow, "at" | "delivery_id"> & Partial<DeliveryAttemptRow>)[],
): Promise<void> {
  await store.transaction(async (db) => {
    const rows = attempts.map((attempt) =>
      sealAttempt(db, {
        id: idAt(attempt.at),
        endpoint_id: endpointId,
        duration_ms: 5,
        request_headers: JSON.stringify({ "webhook-id": "evt_x", "x-own": "" }),
        status: 200,
        response_body: "ok",
        failure: null,
        ...attempt,
      }),
    );
    await store.bulk.insert(db, "delivery_attempts", rows);
  });
}

export function deliveriesTo(store: Store, endpointId: string) {
  return storedRows(store.reads, "deliveries", { endpoint_id: endpointId });
}

export async function attemptsAt(store: Store, endpointId: string) {
  const rows = await storedRows(store.reads, "delivery_attempts", { endpoint_id: endpointId });
  return rows.map((row) => openAttempt(store.reads, row));
}

/** Makes the next attempts due. After a server was killed, also makes its claims expire. */
export async function makeAttemptsDue(store: Store, endpointId: string, isServerDead = false): Promise<void> {
  await store.transaction(async (db) => {
    const nowMs = Date.now();
    let waiting = db
      .updateTable("deliveries")
      .set({ next_attempt_at: nowMs - 1_000 })
      .where("endpoint_id", "=", endpointId)
      .where("state", "=", "pending")
      // Due rows are left unchanged, because repeated writes would slow down delivery.
      .where("next_attempt_at", ">", nowMs);
    if (!isServerDead) waiting = waiting.where("claimed_by", "is", null);
    await waiting.execute();
  });
}
