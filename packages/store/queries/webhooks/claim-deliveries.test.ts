import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import {
  attemptsAt,
  type DeliveryOwner,
  deliveriesTo,
  makeDeliveries,
  makeDelivery,
  makeEvents,
  newEndpoint,
} from "../../../../tests/support/webhooks.ts";
import type { DeliveryRow } from "../../tables.ts";
import * as claimDeliveriesQueries from "./claim-deliveries.ts";
import type { DeliveryResult } from "./delivery-results.ts";
import * as deliveryResults from "./delivery-results.ts";

const nowMs = Date.now();
const leaseMs = 30_000;

onBothDatabases("claims on deliveries", (fixture) => {
  const { read, write } = fixture.queries({ ...claimDeliveriesQueries, ...deliveryResults });
  const endpoint = (settings: Parameters<typeof newEndpoint>[1] = {}) => newEndpoint(fixture, settings);
  const due = (fields: Partial<DeliveryRow> = {}) =>
    ({ state: "pending", attempts: 0, next_attempt_at: nowMs, ...fields }) as const;
  const claim = (ids: readonly string[], claimant: string, atMs = nowMs) =>
    write.claimDeliveries(fixture.store.bulk, ids, claimant, atMs, atMs + leaseMs);
  const onlyRow = ({ endpointId }: DeliveryOwner) => fixture.row("deliveries", { endpoint_id: endpointId });

  test("an endpoint is due if the next attempt of a pending delivery is", async () => {
    const [ready, later, finished, held] = await several(4, () => endpoint());
    await makeDeliveries(ready, [due(), due({ next_attempt_at: nowMs + 60_000 })]);
    await makeDelivery(later, due({ next_attempt_at: nowMs + 1 }));
    await makeDelivery(finished, { state: "delivered", next_attempt_at: nowMs });
    await makeDelivery(held, { state: "held", next_attempt_at: nowMs });
    const own = [ready, later, finished, held].map((one) => one.endpointId);
    const found = await read.dueEndpoints(nowMs);
    expect(found.filter((id) => own.includes(id))).toEqual([ready.endpointId]);
  });

  test("endpoints that are deleted are not sent to", async () => {
    const [one, deleted] = [await endpoint(), await endpoint({ deleted_at: 1 })];
    const found = await read.endpointsByIds([one.endpointId, deleted.endpointId]);
    const enabled = { organization_id: one.organizationId, status: "enabled" };
    expect(found).toMatchObject([{ id: one.endpointId, ...enabled }]);
    expect(await read.endpointsByIds([])).toEqual([]);
  });

  test("each endpoint gets at most as many due deliveries as it can have, the longest due first", async () => {
    const [many, few, unasked] = await several(3, () => endpoint());
    const times = [nowMs - 1, nowMs - 3, nowMs - 2, nowMs + 1];
    const rows = await makeDeliveries(
      many,
      times.map((at) => due({ next_attempt_at: at })),
    );
    const only = await makeDelivery(few, due());
    await makeDelivery(unasked, due());
    const wanted = [
      { endpointId: many.endpointId, atMost: 2 },
      // More endpoints than one statement asks about.
      ...Array.from({ length: 60 }, () => ({ endpointId: newId(), atMost: 1 })),
      { endpointId: few.endpointId, atMost: 2 },
    ];
    const expected = [rows[1], rows[2], only] as DeliveryRow[];
    expect(await read.dueDeliveries(wanted, nowMs)).toEqual(idsOf(expected));
    const all = [{ endpointId: many.endpointId, atMost: 10 }];
    expect(await read.dueDeliveries(all, nowMs)).toHaveLength(3);
  });

  test("a delivery is claimed once, however many nodes try at the same time", async () => {
    const owner = await endpoint();
    const ids = idsOf(await makeDeliveries(owner, Array(20).fill(due())));
    const names = ["a", "b", "c", "d"];
    const claimed = await Promise.all(names.map((name) => claim(ids, name)));
    expect(claimed.flatMap(idsOf).toSorted()).toEqual(ids.toSorted());
    const times = { claimed_until: nowMs + leaseMs, next_attempt_at: nowMs + leaseMs };
    for (const row of await deliveriesTo(fixture.store, owner.endpointId)) {
      expect(row).toMatchObject(times);
      expect(idsOf(claimed[names.indexOf(row.claimed_by ?? "")] ?? [])).toContain(row.id);
    }
  });

  test("a claim lasts until its end, and then another node can claim the delivery", async () => {
    const { id } = await makeDelivery(await endpoint(), due());
    expect(idsOf(await claim([id], "dead"))).toEqual([id]);
    expect(await claim([id], "other", nowMs + leaseMs - 1)).toEqual([]);
    expect(idsOf(await claim([id], "other", nowMs + leaseMs))).toEqual([id]);
  });

  test.each([
    ["that is not due", { next_attempt_at: nowMs + 1 }],
    ["that was delivered", { state: "delivered" }],
    ["that has failed", { state: "failed" }],
    ["that is held", { state: "held" }],
  ] as const)("a delivery %s cannot be claimed", async (_, fields) => {
    const { id } = await makeDelivery(await endpoint(), due(fields));
    expect(await claim([id], "node")).toEqual([]);
  });

  test("a node releases its own claims only, and the delivery is due immediately", async () => {
    const owner = await endpoint();
    const { id } = await makeDelivery(owner, due());
    await claim([id], "node");
    const release = (claimant: string) =>
      write.releaseDeliveries(fixture.store.bulk, [id], claimant, nowMs + 1);
    await release("other");
    expect(await onlyRow(owner)).toMatchObject({ claimed_by: "node", next_attempt_at: nowMs + leaseMs });
    await release("node");
    const released = { claimed_by: null, claimed_until: null, attempts: 0 };
    expect(await onlyRow(owner)).toMatchObject({ ...released, next_attempt_at: nowMs + 1 });
  });

  test("events are read by their IDs", async () => {
    const { organizationId } = await endpoint();
    const [id = ""] = await makeEvents(fixture.store, organizationId, 2, { data: '{"a":1}' });
    const events = await read.eventsByIds(fixture.store.bulk, [id, newId()]);
    expect([...events.keys()]).toEqual([id]);
    expect(events.get(id)).toMatchObject({ organization_id: organizationId, data: '{"a":1}' });
  });

  const resultOf = (
    { endpointId }: DeliveryOwner,
    deliveryId: string,
    result: Partial<DeliveryResult> = {},
    status: number | null = 200,
  ): DeliveryResult => ({
    attempt: {
      ...{ id: newId(), delivery_id: deliveryId, endpoint_id: endpointId, at: nowMs, duration_ms: 7 },
      ...{ request_headers: "{}", status, response_body: "secret answer", failure: null },
    },
    ...{ state: "delivered", attempts: 1, nextAttemptAt: null },
    ...result,
  });
  const record = (claimant: string, results: readonly DeliveryResult[]) =>
    write.writeResults(fixture.store.bulk, claimant, results, nowMs + 50);

  test.each([
    [{ state: "delivered", attempts: 1, nextAttemptAt: null }, 200, nowMs + 50],
    [{ state: "failed", attempts: 10, nextAttemptAt: null }, 500, nowMs + 50],
    [{ state: "pending", attempts: 2, nextAttemptAt: nowMs + 5_000 }, null, null],
  ] as const)("the result %j is recorded once and ends the claim", async (result, status, endedAt) => {
    const owner = await endpoint();
    const { id } = await makeDelivery(owner, due());
    await claim([id], "node");
    const written = resultOf(owner, id, result, status);
    await record("node", [written]);
    // A transaction whose outcome was unknown is repeated.
    await record("node", [written]);
    const { nextAttemptAt: next_attempt_at, ...columns } = result;
    const ended = { finished_at: endedAt, claimed_by: null, claimed_until: null };
    const last = { last_status: status, next_attempt_at };
    expect(await onlyRow(owner)).toMatchObject({ ...columns, ...last, ...ended });
    expect(await attemptsAt(fixture.store, owner.endpointId)).toEqual([written.attempt]);
    const stored = await fixture.row("delivery_attempts", { delivery_id: id });
    expect(stored.sealed_response).not.toContain("secret answer");
  });

  test("a delivery that another node has claimed since is left to it, but the attempt is recorded", async () => {
    const owner = await endpoint();
    const { id } = await makeDelivery(owner, due());
    await claim([id], "late");
    await claim([id], "other", nowMs + leaseMs);
    await record("late", [resultOf(owner, id)]);
    expect(await onlyRow(owner)).toMatchObject({ state: "pending", claimed_by: "other", attempts: 0 });
    expect(await attemptsAt(fixture.store, owner.endpointId)).toHaveLength(1);
  });

  test("results of many deliveries are recorded together, each with its own state", async () => {
    const owner = await endpoint();
    const rows = await makeDeliveries(owner, Array(6).fill(due()));
    await claim(idsOf(rows), "node");
    const results = rows.map(({ id }, index) =>
      index % 2 === 0 ? resultOf(owner, id) : resultOf(owner, id, { state: "failed", attempts: 10 }, 500),
    );
    await write.writeDeliveries(fixture.store.bulk, "node", results, nowMs);
    const stored = await deliveriesTo(fixture.store, owner.endpointId);
    const states = stored.map((row) => [row.state, row.last_status]);
    expect(states).toEqual(results.map((result) => [result.state, result.attempt.status]));
    expect(await attemptsAt(fixture.store, owner.endpointId)).toEqual([]);
  });

  test.each([
    ["the first failure", null, null, 500, 500, 500],
    ["another failure", 100, null, 500, 500, 100],
    ["a success", 100, 400, null, null, null],
    ["a success and a later failure", 100, 400, 500, 500, 500],
    ["a failure and a later success", 100, 500, 400, null, null],
  ])(
    "after %s, an endpoint has failed since the first failure without a later success",
    async (_, before, lastSuccessAt, lastFailureAt, failingSince, after) => {
      const settings = { failing_since: before, last_success_at: 1, last_failure_at: 2 };
      const { endpointId } = await endpoint(settings);
      const change = { endpointId, lastSuccessAt, lastFailureAt, failingSince };
      const last = { last_success_at: lastSuccessAt ?? 1, last_failure_at: lastFailureAt ?? 2 };
      const changed = await write.recordEndpointChange(change);
      expect(changed).toMatchObject({ id: endpointId, failing_since: after, ...last });
    },
  );

  test("a change to an endpoint that is gone does nothing", async () => {
    const change = { endpointId: newId(), lastSuccessAt: 1, lastFailureAt: null, failingSince: null };
    expect(await write.recordEndpointChange(change)).toBeUndefined();
  });
});
