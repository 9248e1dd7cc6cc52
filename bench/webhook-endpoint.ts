import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type DatabaseLocation, openStore } from "@countersign/store/open";
import { addDeliveries } from "@countersign/store/queries/distribute";
import { addEvents } from "@countersign/store/queries/events";
import type { Store } from "@countersign/store/store";
import type { DeliveryRow, EventRow } from "@countersign/store/tables";
import { newId } from "../tests/support/seller.ts";
import { makeEndpoint } from "../tests/support/webhooks.ts";

const rowsAtOnce = 1_000;
const offerEveryMs = 100;

/** One endpoint of one organization, its receiver, and the events that are offered to it. */
export interface OneEndpoint {
  /** How many arrive a second while `perSecond` are offered, or while nothing is and the backlog is worked off. */
  measure(seconds: number, perSecond: number): Promise<number>;
  /** Until nothing arrives any more. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

/** An organization with one endpoint, for which so many deliveries wait already. */
export async function openEndpoint(
  location: DatabaseLocation,
  organizationId: string,
  backlog: number,
): Promise<OneEndpoint> {
  const store = await openStore(location, {
    encryptionKey: null,
    durability: "standard",
    soleServer: false,
  });
  const receiver = await startReceiver();
  const { id } = await makeEndpoint(store, organizationId, `http://127.0.0.1:${receiver.port}/hook`);
  for (let start = 0; start < backlog; start += rowsAtOnce)
    await addBacklog(store, organizationId, id, Math.min(rowsAtOnce, backlog - start));
  const count = async () => {
    const counts = await (await fetch(`http://127.0.0.1:${receiver.port}/count`)).json();
    return Number((counts as Record<string, number>)["/hook"] ?? 0);
  };
  return {
    measure: async (seconds, perSecond) => {
      const before = await count();
      const startedMs = performance.now();
      let offered = 0;
      for (let ms = 0; ms < seconds * 1_000; ms = performance.now() - startedMs) {
        const due = Math.floor((ms / 1_000) * perSecond) - offered;
        if (due > 0) await store.transaction((db) => addEvents(db, eventsOf(organizationId, due)));
        offered += due;
        await Bun.sleep(offerEveryMs);
      }
      const after = await count();
      return ((after - before) / (performance.now() - startedMs)) * 1_000;
    },
    drained: async () => {
      for (let before = -1, now = await count(); now !== before; now = await count()) {
        before = now;
        await Bun.sleep(1_000);
      }
    },
    stop: async () => {
      receiver.process.kill();
      await store.close();
    },
  };
}

async function addBacklog(
  store: Store,
  organizationId: string,
  endpointId: string,
  count: number,
): Promise<void> {
  const events = eventsOf(organizationId, count).map((event) => ({ ...event, undistributed: null }));
  const nowMs = Date.now();
  const deliveries = events.map(
    (event): DeliveryRow => ({
      id: newId(),
      organization_id: organizationId,
      endpoint_id: endpointId,
      event_id: event.id,
      event_type: event.type,
      state: "pending",
      attempts: 0,
      next_attempt_at: nowMs,
      claimed_by: null,
      claimed_until: null,
      last_status: null,
      created_at: nowMs,
      finished_at: null,
    }),
  );
  await store.transaction(async (db) => {
    await addEvents(db, events);
    await addDeliveries(db, deliveries);
  }, "soon");
}

/** As large as an event with a license is. */
function eventsOf(organizationId: string, count: number): EventRow[] {
  return Array.from({ length: count }, (_, number) => ({
    id: newId(),
    organization_id: organizationId,
    product_id: null,
    license_id: null,
    type: "license.updated",
    at: Date.now(),
    data: JSON.stringify({ organization_id: organizationId, number, license: { notes: "n".repeat(1_000) } }),
    undistributed: 1,
  }));
}

async function startReceiver(): Promise<{ port: number; process: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dir, "webhook-receiver.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once("data", (chunk) => resolve(Number(JSON.parse(String(chunk)).port)));
    child.once("error", reject);
  });
  return { port, process: child };
}
