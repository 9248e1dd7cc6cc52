import { randomBytes } from "node:crypto";
import type { EventType } from "@countersign/domain/events/types";
import { generateWebhookSecret } from "@countersign/domain/webhooks/secret";
import { distribution } from "@countersign/store/distribution";
import { addEvents } from "@countersign/store/queries/events/events";
import { openAttempt } from "@countersign/store/queries/webhooks/delivery-results";
import { addEndpoint, addSecret } from "@countersign/store/queries/webhooks/endpoints";
import type { Store } from "@countersign/store/store";
import type { EventRow, WebhookEndpointRow } from "@countersign/store/tables";
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
    await addSecret(db, {
      id: newId(),
      endpoint_id: id,
      sealed_secret: store.sealer.seal(Buffer.from(secret)),
      created_at: nowMs,
      expires_at: null,
    });
  });
  return { id, secret };
}

/** Creates events as if they had just happened. Returns their IDs. */
export async function makeEvents(
  store: Store,
  organizationId: string,
  count: number,
  settings: Partial<EventRow> = {},
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, number) => ({
    id: newId(),
    organization_id: organizationId,
    product_id: null,
    license_id: null,
    type: "license.updated" as EventType,
    at: Date.now(),
    data: JSON.stringify({ organization_id: organizationId, number }),
    undistributed: distribution.waiting,
    ...settings,
  }));
  await store.transaction((db) => addEvents(db, rows));
  return rows.map((row) => row.id);
}

export async function deliveriesTo(store: Store, endpointId: string) {
  return store.reads
    .selectFrom("deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .orderBy("id")
    .execute();
}

export async function attemptsAt(store: Store, endpointId: string) {
  const rows = await store.reads
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .orderBy("id")
    .execute();
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
