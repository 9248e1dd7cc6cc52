import { nextProbeAtMs } from "@countersign/domain/webhooks/delivery";
import { newId } from "@countersign/store/new-id";
import { addEvents } from "@countersign/store/queries/events/events";
import { eventsByIds, signingSecrets } from "@countersign/store/queries/webhooks/claim-deliveries";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import {
  claimProbes,
  endpointsToProbe,
  lockedEndpoint,
  missedDelivery,
  updateEndpoint,
  writeProbe,
} from "@countersign/store/queries/webhooks/endpoints";
import type { Store } from "@countersign/store/store";
import {
  type DeliveryAttemptRow,
  type DeliveryRow,
  distribution,
  type StoredEndpointRow,
  type WebhookEndpointRow,
} from "@countersign/store/tables/events";

import { neverAborted, slicesOf } from "../../../jobs/batches.ts";
import type { PeriodicJob } from "../../../jobs/periodic-jobs.ts";
import { newDelivery } from "./distribute.ts";
import { sendEvent } from "./request.ts";
import { attemptRow, succeeded, withoutTexts } from "./results.ts";
import { leaseMs, type Sender } from "./send.ts";
import { switchOff, switchOn } from "./switch.ts";

const probesAtOnce = 50;

interface ProberParts {
  readonly store: Store;
  readonly send: Sender;
  readonly url: string;
  readonly random: () => number;
}

/**
 * Retries endpoints that were disabled for failing, with an event that they missed, and enables those that accept it.
 * Every node does this; a node claims an endpoint before it tries it.
 */
export function webhookProbing({ store, send, url, random }: ProberParts): PeriodicJob {
  /** If it is stopped, another node, or the next start, retries when the claims have expired. */
  const run = async (stopping = neverAborted) => {
    const next = async () => endpointsToProbe(store.reads, await store.clock(), probesAtOnce);
    for await (const ids of slicesOf(probesAtOnce, stopping, next)) {
      const nowMs = await store.clock();
      const claimed = await store.transaction((db) => claimProbes(db, ids, nowMs, nowMs + leaseMs), "soon");
      const ends = await Promise.allSettled(claimed.map((endpoint) => probe(endpoint, nowMs, stopping)));
      const failed = ends.find((end) => end.status === "rejected");
      if (failed !== undefined && !stopping.aborted) throw failed.reason;
    }
  };

  const probe = async (endpoint: StoredEndpointRow, nowMs: number, stopping: AbortSignal) => {
    const delivery = await deliveryToProbeWith(store, endpoint, nowMs);
    const events = await eventsByIds(store.reads, store.bulk, [delivery.event_id]);
    const event = events.get(delivery.event_id);
    const secrets = await signingSecrets(store.reads, [endpoint.id], nowMs);
    const recipient = { ...endpoint, sealedSecrets: secrets.get(endpoint.id) ?? [] };
    const sent = await sendEvent(event, recipient, store.sealer, nowMs, (request) => send(request, stopping));
    const row = attemptRow({ delivery, atMs: nowMs, ...sent });
    try {
      await writeResult(endpoint, row);
    } catch {
      // Throws if the database is unavailable. If it is not, it rejected the response.
      await store.clock();
      await writeResult(endpoint, withoutTexts(row));
    }
  };

  const writeResult = async (probed: StoredEndpointRow, row: DeliveryAttemptRow) => {
    const isDelivered = succeeded(row);
    const nowMs = await store.clock();
    const context = { nowMs, url, random: random() };
    await store.transaction(async (db) => {
      const endpoint = await lockedEndpoint(db, probed.organization_id, probed.id);
      if (endpoint === undefined) return;
      await writeProbe(db, row, isDelivered, nowMs);
      // Someone has enabled or disabled it since, or is trying it after this claim expired: theirs wins.
      if (endpoint.next_probe_at !== probed.next_probe_at) return;
      if (isDelivered) return switchOn(db, endpoint, context);
      if (row.status === 410) return switchOff(db, endpoint, "gone", context);
      const probes = endpoint.probes + 1;
      const disabled = { probes, disabledAtMs: endpoint.disabled_at ?? nowMs };
      await updateEndpoint(db, endpoint.id, {
        probes,
        next_probe_at: nextProbeAtMs(disabled, nowMs, context.random),
        last_failure_at: nowMs,
      });
    });
  };

  return { name: "webhooks that may work again", everyMs: 3_000, run };
}

/**
 * Alternates between the oldest and the newest: one event that a receiver cannot handle must not keep it disabled.
 */
async function deliveryToProbeWith(
  store: Store,
  endpoint: StoredEndpointRow,
  nowMs: number,
): Promise<DeliveryRow> {
  const which = endpoint.probes % 2 === 0 ? "oldest" : "newest";
  const missed = await missedDelivery(store.reads, endpoint.id, which);
  if (missed !== undefined) return missed;
  // There were no events since: a test event is used instead.
  const event = testEvent(
    endpoint,
    nowMs,
    "The endpoint was disabled because it failed. Does it work again?",
  );
  const delivery = newDelivery(endpoint, event, nowMs);
  await store.transaction(async (db) => {
    await addEvents(db, [event]);
    await addDeliveries(db, [delivery]);
  }, "soon");
  return delivery;
}

export function testEvent(
  endpoint: Pick<WebhookEndpointRow, "id" | "organization_id">,
  nowMs: number,
  message: string,
) {
  const { id: endpoint_id, organization_id } = endpoint;
  return {
    id: newId(),
    organization_id,
    product_id: null,
    license_id: null,
    type: "endpoint.test",
    at: nowMs,
    data: JSON.stringify({ organization_id, endpoint_id, message }),
    undistributed: distribution.none,
  } as const;
}
