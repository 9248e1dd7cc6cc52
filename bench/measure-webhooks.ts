import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type DatabaseLocation, openStore } from "@countersign/store/databases/open";
import { addEvents } from "@countersign/store/queries/events/events";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import type { Store } from "@countersign/store/store";
import { type DeliveryRow, distribution, type EventRow } from "@countersign/store/tables/events";
import { newId } from "../tests/support/test-organization.ts";
import { makeEndpoint } from "../tests/support/webhooks.ts";
import { median } from "./compare.ts";
import { type LoadSettings, load, type Target } from "./load.ts";
import { type Seeded, seed } from "./seed.ts";
import { startCountersign } from "./servers.ts";

const goalPerSecond = 500;
/** More than the goal, so that the server is the bottleneck. */
const offeredPerSecond = 600;

interface WebhookRow {
  readonly work: string;
  readonly value: number;
  readonly goal: string;
  readonly detail: string;
}

interface WebhookSetup {
  readonly name: string;
  readonly location: DatabaseLocation;
  readonly environment: Readonly<Record<string, string>>;
  readonly backlog: number;
  readonly settings: LoadSettings & { readonly rounds: number };
  readonly cleanups: (() => unknown)[];
}

/** Measures the events per second to one healthy endpoint, and their effect on validation. */
export async function measureWebhooks(
  setup: WebhookSetup,
  log: (text: string) => void,
): Promise<WebhookRow[]> {
  const { name, location, backlog, settings, cleanups } = setup;
  const seeded: Seeded = await seed(location, 10_000);
  if (backlog > 0) log(`${name}: seeding a backlog of ${backlog} …`);
  const endpoint = await openBenchEndpoint(location, seeded.access.organizationId, backlog);
  cleanups.push(() => endpoint.stop());
  const server = await startCountersign({ ...setup.environment, COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1" });
  cleanups.push(() => server.stop());
  const target: Target = { name, port: server.port, ...seeded };
  const { rounds, seconds } = settings;
  // Warm-up: opens connections and adapts the delivery concurrency.
  await endpoint.measure(2, offeredPerSecond);
  const deliveryRates: number[] = [];
  const alone: number[] = [];
  const withWebhooks: number[] = [];
  const delivered: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    deliveryRates.push(await endpoint.measure(seconds, offeredPerSecond));
    if (backlog > 0) continue;
    await endpoint.drain();
    alone.push((await load(target, settings)).requestsPerSecond);
    const [rate, validated] = await Promise.all([
      endpoint.measure(seconds, goalPerSecond),
      load(target, settings),
    ]);
    delivered.push(rate);
    withWebhooks.push(validated.requestsPerSecond);
    await endpoint.drain();
  }
  const rows = [
    {
      work: `webhooks to one endpoint, ${name}, ${backlog === 0 ? "no backlog" : `backlog of ${backlog}`}, events/s at ${offeredPerSecond} offered`,
      value: median(deliveryRates),
      goal: `>= ${goalPerSecond}`,
      detail: `${Math.round(Math.min(...deliveryRates))} to ${Math.round(Math.max(...deliveryRates))}`,
    },
  ];
  if (backlog > 0) return rows;
  return [
    ...rows,
    {
      work: `validate while ${goalPerSecond} webhooks/s are offered to one endpoint, ${name} / alone`,
      value: median(withWebhooks.map((rate, round) => rate / (alone[round] ?? 1))),
      goal: ">= 0.80",
      detail: `${Math.round(median(withWebhooks))}/s of ${Math.round(median(alone))}/s; ${Math.round(median(delivered))} webhooks/s`,
    },
  ];
}

const batchSize = 1_000;
const createEveryMs = 100;

/** One webhook endpoint with its receiver, and a source of events. */
interface BenchEndpoint {
  /** Returns the deliveries per second while `perSecond` events are created. */
  measure(seconds: number, perSecond: number): Promise<number>;
  /** Waits until no more deliveries arrive. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates an endpoint with this many pending deliveries. */
async function openBenchEndpoint(
  location: DatabaseLocation,
  organizationId: string,
  backlog: number,
): Promise<BenchEndpoint> {
  const store = await openStore(location, {
    encryptionKey: null,
    durability: "standard",
    soleServer: false,
  });
  const receiver = await startReceiver();
  const { id } = await makeEndpoint(store, organizationId, `http://127.0.0.1:${receiver.port}/hook`);
  for (let start = 0; start < backlog; start += batchSize)
    await addBacklog(store, organizationId, id, Math.min(batchSize, backlog - start));
  const count = async () => {
    const counts = await (await fetch(`http://127.0.0.1:${receiver.port}/count`)).json();
    return Number((counts as Record<string, number>)["/hook"] ?? 0);
  };
  return {
    measure: async (seconds, perSecond) => {
      const before = await count();
      const startedMs = performance.now();
      let createdCount = 0;
      for (let ms = 0; ms < seconds * 1_000; ms = performance.now() - startedMs) {
        const due = Math.floor((ms / 1_000) * perSecond) - createdCount;
        if (due > 0) await store.transaction((db) => addEvents(db, eventsOf(organizationId, due)));
        createdCount += due;
        await Bun.sleep(createEveryMs);
      }
      const after = await count();
      return ((after - before) / (performance.now() - startedMs)) * 1_000;
    },
    drain: async () => {
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
  const events = eventsOf(organizationId, count).map((event) => ({
    ...event,
    undistributed: distribution.none,
  }));
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

/** Events of the size of a real one with a license. */
function eventsOf(organizationId: string, count: number): EventRow[] {
  return Array.from({ length: count }, (_, number) => ({
    id: newId(),
    organization_id: organizationId,
    product_id: null,
    license_id: null,
    type: "license.updated",
    at: Date.now(),
    data: JSON.stringify({ organization_id: organizationId, number, license: { notes: "n".repeat(1_000) } }),
    undistributed: distribution.waiting,
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
