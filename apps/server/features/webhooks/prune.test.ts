import { expect, setDefaultTimeout, test } from "bun:test";
import { deletedEndpoints } from "@countersign/store/queries/webhooks/endpoints";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { TestReceivers } from "../../../../tests/support/webhook-nodes.ts";
import {
  attemptsAt,
  deliveriesTo,
  makeAttempts,
  makeDeliveries,
} from "../../../../tests/support/webhooks.ts";
import { deliveryPruning, deliverySync } from "./prune.ts";
import { deletedEndpointRemoval } from "./remove-deleted.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;
const many = 450;

onBothDatabases("the periodic jobs of webhooks", (fixture) => {
  const receivers = new TestReceivers();
  const storedEvents = async (ids: readonly string[]) => {
    const rows = await fixture.reads.selectFrom("events").select("id").where("id", "in", ids).execute();
    return rows.length;
  };

  test("events, deliveries and attempts are pruned after 30 days, except what is still pending", async () => {
    const endpoint = await receivers.endpoint(fixture);
    const daysAgo = (days: number) => Date.now() - days * dayMs;
    const old = await makeDeliveries(
      endpoint,
      Array.from({ length: many }, () => ({ created_at: daysAgo(31) })),
    );
    const young = await makeDeliveries(endpoint, [
      { created_at: daysAgo(29) },
      { created_at: daysAgo(29), state: "held" },
    ]);
    const [pending] = await makeDeliveries(endpoint, [
      { created_at: daysAgo(31), state: "pending", next_attempt_at: Date.now() + dayMs },
    ]);
    const kept = [...young, ...(pending === undefined ? [] : [pending])];
    await makeAttempts(
      endpoint,
      [...old, ...young].map((row) => ({ at: row.created_at, delivery_id: row.id })),
    );
    const eventIds = (rows: readonly { event_id: string }[]) => rows.map((row) => row.event_id);
    await deliveryPruning(fixture.store).run(new AbortController().signal);
    const left = await deliveriesTo(fixture.store, endpoint.endpointId);
    expect(left.map((row) => row.id).toSorted()).toEqual(kept.map((row) => row.id).toSorted());
    expect(await attemptsAt(fixture.store, endpoint.endpointId)).toHaveLength(2);
    expect([await storedEvents(eventIds(old)), await storedEvents(eventIds(kept))]).toEqual([0, 3]);
    // Once it is delivered, a pending one is pruned with its event, too.
    await fixture.write((db) =>
      db
        .updateTable("deliveries")
        .set({ state: "delivered" })
        .where("id", "=", pending?.id ?? "")
        .execute(),
    );
    await deliveryPruning(fixture.store).run(new AbortController().signal);
    expect(await storedEvents(eventIds(kept))).toBe(2);
    expect(await endpoint.states()).toHaveLength(2);
  });

  test("all deliveries follow an endpoint that was disabled or enabled, however many there are", async () => {
    const endpoint = await receivers.endpoint(fixture);
    const waiting = { state: "pending", next_attempt_at: Date.now() + dayMs } as const;
    await makeDeliveries(
      endpoint,
      Array.from({ length: many }, () => waiting),
    );
    for (const [status, state] of [
      ["disabled", "held"],
      ["enabled", "pending"],
    ] as const) {
      await endpoint.set({ status });
      await deliverySync(fixture.store).run(new AbortController().signal);
      const states = await endpoint.states();
      expect([states.length, [...new Set(states)]]).toEqual([many, [state]]);
    }
    await endpoint.set({ deleted_at: 1 });
    // A run removes some endpoints, and other tests have deleted some, too.
    while ((await deletedEndpoints(fixture.reads)).length > 0)
      await deletedEndpointRemoval(fixture.store).run(new AbortController().signal);
    expect(await endpoint.states()).toEqual([]);
  });
});
