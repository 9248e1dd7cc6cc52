import { webhookId } from "@countersign/domain/webhooks/signature";
import type { Store } from "@countersign/store/store";
import type { TestDatabase } from "../support/databases.ts";
import { openOwnOrganization } from "../support/own-organization.ts";
import { freshDatabase, type PostgresServer } from "../support/postgres.ts";
import { openReceiver } from "../support/receiver.ts";
import { startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import {
  allowLoopback,
  deliveriesTo,
  makeAttemptsDue,
  makeEndpoint,
  makeEvents,
} from "../support/webhooks.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { withStore } from "./consistency-check.ts";

/** The limit for a wait, also on a slow machine. */
const timeoutMs = 900_000;

/**
 * Kills the server repeatedly while it delivers to a receiver that refuses the first attempt of every second event.
 * Every event arrives, under one `webhook-id`.
 */
export async function webhooksUnderKills(
  make: () => Promise<TestDatabase>,
  size: { readonly events: number; readonly kills: number },
): Promise<string> {
  const { store, organizationId, environment, close } = await openOwnOrganization(make);
  const consistency = await openConsistency();
  const { receiver } = consistency;
  const startedMs = performance.now();
  try {
    const endpoint = await makeEndpoint(store, organizationId, receiver.url);
    const ids: string[] = [];
    const perRun = Math.ceil(size.events / (size.kills + 1));
    for (let kill = 0; kill <= size.kills; kill++) {
      ids.push(...(await makeEvents(store, organizationId, Math.min(perRun, size.events - ids.length))));
      const server = await startServerProcess({ ...environment, ...allowLoopback });
      try {
        const enough = receiver.received.length + 5 + Math.floor(Math.random() * (perRun / 2));
        await until("there is traffic", () => receiver.received.length >= enough, timeoutMs);
        if (kill === size.kills) await everythingIsDelivered(store, endpoint.id);
      } finally {
        server.signal("SIGKILL");
        await server.exited;
      }
      await makeAttemptsDue(store, endpoint.id, true);
    }
    const seconds = ((performance.now() - startedMs) / 1000).toFixed();
    return `${size.kills} kills in ${seconds} s, ${await consistency.check(store, endpoint.id, ids)}`;
  } finally {
    await receiver.close();
    await close();
  }
}

/**
 * One endpoint in ten never responds. Deliveries to the others are not delayed: only long runs measure it, and
 * `dispatch.test.ts` of the server shows it in process.
 */
export async function webhooksWithHangingEndpoints(
  make: () => Promise<TestDatabase>,
  size: Readonly<Record<"endpoints" | "events" | "everyMs" | "p99Ms", number>>,
): Promise<string> {
  const { store, organizationId, environment, close } = await openOwnOrganization(make);
  const receiver = await openReceiver(({ path }) => (path === "/hangs" ? "hang" : { status: 200 }));
  const server = await startServerProcess({ ...environment, ...allowLoopback });
  try {
    const healthy = size.endpoints - Math.ceil(size.endpoints / 10);
    for (let index = 0; index < size.endpoints; index++)
      await makeEndpoint(store, organizationId, `${receiver.url}/${index < healthy ? index : "hangs"}`);
    for (let index = 0; index < size.events; index++) {
      await makeEvents(store, organizationId, 1);
      await new Promise((resolve) => setTimeout(resolve, size.everyMs));
    }
    const arrived = () => receiver.received.filter((request) => request.path !== "/hangs");
    const areEverywhere = () => arrived().length >= healthy * size.events;
    await until("the healthy endpoints have everything", areEverywhere, timeoutMs);
    const delaysMs = arrived()
      .map(({ body, atMs }) => atMs - Date.parse(JSON.parse(body).timestamp))
      .sort((a, b) => a - b);
    const at = (part: number) => delaysMs[Math.floor((delaysMs.length - 1) * part)] ?? 0;
    holds(at(0.99) <= size.p99Ms, `${size.p99Ms} ms at p99, but it was ${at(0.99)} ms`);
    const hung = receiver.received.length - arrived().length;
    return `${delaysMs.length} delivered beside ${hung} that hung, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
  } finally {
    // It would wait for what hangs.
    server.signal("SIGKILL");
    await server.exited;
    await receiver.close();
    await close();
  }
}

/** The database goes away and comes back during delivery. */
export async function webhooksThroughRestart(
  postgres: PostgresServer,
  size: { readonly events: number },
): Promise<string> {
  const location = { kind: "postgres", url: await freshDatabase(postgres.url) } as const;
  const before = await openTestOrganization(location);
  const consistency = await openConsistency();
  const endpoint = await makeEndpoint(before.store, before.organizationId, consistency.receiver.url);
  const ids = await makeEvents(before.store, before.organizationId, size.events);
  await before.store.close();
  const server = await startServerProcess({ DATABASE_URL: location.url, ...allowLoopback });
  try {
    await until("there is traffic", () => consistency.receiver.received.length >= 10, timeoutMs);
    await postgres.stop();
    await postgres.start();
    return await withStore(location, async (store) => {
      await everythingIsDelivered(store, endpoint.id);
      return consistency.check(store, endpoint.id, ids);
    });
  } finally {
    await server.stop();
    await consistency.receiver.close();
  }
}

/** A receiver that refuses the first attempt of every second event, and records what it accepted. */
async function openConsistency() {
  const seen = new Set<string>();
  const taken = new Set<string>();
  const receiver = await openReceiver(({ id }) => {
    const isFirst = !seen.has(id);
    seen.add(id);
    if (isFirst && seen.size % 2 === 0) return { status: 500 };
    taken.add(id);
    return { status: 200 };
  });
  return {
    receiver,
    /** Throws when an event is missing or arrived under another ID. */
    check: async (store: Store, endpointId: string, eventIds: readonly string[]): Promise<string> => {
      const expected = new Set(eventIds.map(webhookId));
      const isMissingIn = (ids: ReadonlySet<string>) => (id: string) => !ids.has(id);
      holdsNone([...expected].filter(isMissingIn(taken)), "events were lost");
      holdsNone([...seen].filter(isMissingIn(expected)), "events came under ids that are not theirs");
      const bodies = new Map<string, string>();
      for (const { id, body } of receiver.received) {
        holds((bodies.get(id) ?? body) === body, `${id} came with another body at another try`);
        bodies.set(id, body);
      }
      holds(new Set(bodies.values()).size === bodies.size, "an event came under two ids");
      const rows = await deliveriesTo(store, endpointId);
      holds(rows.length === eventIds.length, `${rows.length} deliveries of ${eventIds.length} events`);
      holds(new Set(rows.map((row) => row.event_id)).size === rows.length, "an event was distributed twice");
      return `${expected.size} events, none lost, ${receiver.received.length} requests`;
    },
  };
}

/** Waits until every event was distributed, and every delivery to the endpoint has succeeded. */
async function everythingIsDelivered(store: Store, endpointId: string): Promise<void> {
  const { reads } = store;
  const deliveries = reads.selectFrom("deliveries").select("id").where("endpoint_id", "=", endpointId);
  const undelivered = deliveries.where("state", "<>", "delivered").limit(1);
  const waiting = reads.selectFrom("events").select("id").where("undistributed", "is not", null).limit(1);
  const isDone = async () => {
    await makeAttemptsDue(store, endpointId);
    return (await undelivered.execute()).length === 0 && (await waiting.execute()).length === 0;
  };
  await until("everything is delivered", isDone, timeoutMs);
}
