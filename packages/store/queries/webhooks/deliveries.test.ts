import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import {
  type DeliveryOwner,
  makeAttempts,
  makeDeliveries,
  makeDelivery,
  newEndpoint,
} from "../../../../tests/support/webhooks.ts";
import { times } from "../../suite/calls.ts";
import type { DeliveryRow } from "../../tables/events.ts";
import * as deliveryLog from "./deliveries.ts";
import * as statistics from "./statistics.ts";

const startMs = Date.UTC(2026, 0, 1);
const always = { fromMs: null, beforeMs: null };
const never = () => false;

onBothDatabases("the log of deliveries", (fixture) => {
  const { read } = fixture.queries({ ...deliveryLog, ...statistics });
  const endpoint = () => newEndpoint(fixture);
  /** Eight deliveries, a second apart: the even ones failed, the others were delivered. */
  const eight = (owner: DeliveryOwner) =>
    makeDeliveries(
      owner,
      times(8, (number) => {
        return { created_at: startMs + number * 1_000, state: number % 2 === 0 ? "failed" : "delivered" };
      }),
    );

  test.each([
    ["all deliveries", {}, [0, 1, 2, 3, 4, 5, 6, 7]],
    ["deliveries of a state", { state: "failed" }, [0, 2, 4, 6]],
    ["deliveries from a time on", { fromMs: startMs + 5_000 }, [5, 6, 7]],
    ["deliveries before a time", { toMs: startMs + 2_000 }, [0, 1]],
    [
      "deliveries of a state within a time",
      { state: "delivered", fromMs: startMs + 2_000, toMs: startMs + 6_000 },
      [3, 5],
    ],
    ["no deliveries of a state that there is not", { state: "held" }, []],
    ["no deliveries of an empty range", { fromMs: startMs + 2_000, toMs: startMs + 2_000 }, []],
    ["deliveries since before any clock", { fromMs: -1, toMs: startMs + 1_000 }, [0]],
  ] as const)("at one endpoint, %s are listed in pages, in both directions", async (_, fields, numbers) => {
    const owner = await endpoint();
    const rows = await eight(owner);
    await eight(await endpoint());
    const filter = { endpointId: owner.endpointId, state: null, fromMs: null, toMs: null, ...fields };
    const everyPage = async (descending: boolean) => {
      const page = (last: DeliveryRow | null) =>
        read.deliveriesAfter(filter, { after: last?.id ?? null, descending, limit: 3 });
      return (await pages(page)).flat();
    };
    const expected = numbers.map((number) => rows[number] as DeliveryRow);
    expect(await everyPage(false)).toEqual(expected);
    expect(await everyPage(true)).toEqual(expected.toReversed());
  });

  test("a delivery is found at its own endpoint only", async () => {
    const [owner, other] = [await endpoint(), await endpoint()];
    const row = await makeDelivery(owner);
    expect(await read.deliveryOf(owner.endpointId, row.id)).toEqual(row);
    expect(await read.deliveryOf(other.endpointId, row.id)).toBeUndefined();
  });

  test("events that were pruned are missing", async () => {
    const owner = await endpoint();
    const { event_id: id } = await makeDelivery(owner);
    expect(await read.eventOf(id)).toMatchObject({ id, organization_id: owner.organizationId });
    expect(await read.eventOf(newId())).toBeUndefined();
    expect(await read.eventsAmong([id, newId()])).toEqual(new Set([id]));
    expect(await read.eventsAmong([])).toEqual(new Set());
  });

  test("every delivery of an event to one endpoint is found, and none to another", async () => {
    const [owner, other] = [await endpoint(), await endpoint()];
    const first = await makeDelivery(owner, { state: "failed" });
    const again = await makeDelivery(owner, { event_id: first.event_id });
    await makeDelivery(other, { event_id: first.event_id });
    await makeDelivery(owner);
    const found = await read.deliveriesOfEvents(owner.endpointId, [first.event_id]);
    expect(idsOf(found).toSorted()).toEqual([first.id, again.id].toSorted());
    expect(await read.deliveriesOfEvents(owner.endpointId, [])).toEqual([]);
  });

  test("the attempts of a delivery are listed oldest first, in pages, with the decrypted response", async () => {
    const owner = await endpoint();
    const attempts = [
      { status: 500, response_body: "answer 500" },
      { status: null, response_body: null },
      { status: 301, response_body: "answer 301" },
    ];
    const { id } = await makeDelivery(owner, {}, attempts);
    await makeDelivery(owner, {}, [{ status: 200 }]);
    const page = (last: { id: string } | null) =>
      read.attemptsOf(id, { afterId: last?.id ?? null, limit: 2 });
    expect(await pages(page)).toMatchObject([attempts.slice(0, 2), attempts.slice(2)]);
  });

  test.each([
    ["at any time", always, [4, 4, 8, 4]],
    ["from a time on", { ...always, fromMs: startMs + 3_000 }, [3, 2, 5, 3]],
    ["before a time", { ...always, beforeMs: startMs + 3_000 }, [1, 2, 3, 1]],
  ] as const)("deliveries and attempts %s are counted by state and success", async (_, span, expected) => {
    const owner = await endpoint();
    // Of a failed and a delivered one in turns.
    const statuses = [199, 200, 300, 204, 500, 299, null, 201];
    for (const from of [owner, await endpoint()]) {
      const attempts = (await eight(from)).map(({ id, created_at: at }, index) => {
        return { delivery_id: id, at, status: statuses[index] ?? null };
      });
      await makeAttempts(from, attempts);
    }
    const count = (state: DeliveryRow["state"]) => read.countDeliveries(owner.endpointId, state, span, never);
    const { attempts, succeeded } = await read.countAttempts(owner.endpointId, span, never);
    expect([await count("delivered"), await count("failed"), attempts, succeeded]).toEqual([...expected]);
    expect(await count("held")).toBe(0);
  });

  test("any number of deliveries is counted in slices that let other work run, until the count is stopped", async () => {
    const owner = await endpoint();
    const rows = await makeDeliveries(owner, Array(5_100).fill({ created_at: startMs }));
    const attempts = rows.map((row) => ({ at: startMs, delivery_id: row.id, response_body: null }));
    await makeAttempts(owner, attempts);
    const { endpointId } = owner;
    let hasPaused = false;
    setImmediate(() => {
      hasPaused = true;
    });
    expect(await read.countDeliveries(endpointId, "delivered", always, never)).toBe(5_100);
    expect(hasPaused).toBe(true);
    const all = { attempts: 5_100, succeeded: 5_100 };
    expect(await read.countAttempts(endpointId, always, never)).toEqual(all);
    const stopped = () => true;
    expect(await read.countDeliveries(endpointId, "delivered", always, stopped)).toBe(5_000);
    expect((await read.countAttempts(endpointId, always, stopped)).attempts).toBe(5_000);
  });

  test("durations are those of the newest attempts at one endpoint", async () => {
    const [owner, other] = [await endpoint(), await endpoint()];
    const attempts = [10, 20, 30, 40].map((duration_ms, index) => ({ duration_ms, at: startMs + index }));
    await makeDelivery(owner, { created_at: startMs }, attempts);
    await makeDelivery(other, { created_at: startMs }, [{ duration_ms: 99, at: startMs + 9 }]);
    const newest = async (sinceMs: number, most: number) =>
      (await read.newestDurations(owner.endpointId, sinceMs, most)).map((row) => row.duration_ms);
    expect(await newest(startMs + 1, 10)).toEqual([40, 30, 20]);
    expect(await newest(startMs, 2)).toEqual([40, 30]);
  });
});
