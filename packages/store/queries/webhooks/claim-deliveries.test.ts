import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import {
  type DeliveryOwner,
  makeDeliveries,
  makeDelivery,
  makeEvents,
  newEndpoint,
} from "../../../../tests/support/webhooks.ts";
import { times } from "../../suite/calls.ts";
import type { DeliveryRow } from "../../tables/events.ts";
import * as claims from "./claim-deliveries.ts";
import * as results from "./deliveries.ts";

const nowMs = Date.now();
const leaseMs = 30_000;

onBothDatabases("claims on deliveries", (fixture) => {
  const { read, write } = fixture.queries({ ...claims, ...results });
  const endpoint = (settings: Parameters<typeof newEndpoint>[1] = {}) => newEndpoint(fixture, settings);
  const due = (fields: Partial<DeliveryRow> = {}) =>
    ({ state: "pending", attempts: 0, next_attempt_at: nowMs, ...fields }) as const;
  const claim = (ids: readonly string[], claimant: string, atMs = nowMs) =>
    write.claimDeliveries(fixture.store.bulk, ids, { claimant, nowMs: atMs, untilMs: atMs + leaseMs });

  test("an endpoint is due if the next attempt of a pending delivery is", async () => {
    const [ready, later, finished, held] = await several(4, endpoint);
    await makeDeliveries(ready, [due(), due({ next_attempt_at: nowMs + 60_000 })]);
    await makeDelivery(later, due({ next_attempt_at: nowMs + 1 }));
    await makeDelivery(finished, due({ state: "delivered" }));
    await makeDelivery(held, due({ state: "held" }));
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
    const [many, few, unasked] = await several(3, endpoint);
    const rows = await makeDeliveries(
      many,
      [-1, -3, -2, 1].map((ms) => due({ next_attempt_at: nowMs + ms })),
    );
    const only = await makeDelivery(few, due());
    await makeDelivery(unasked, due());
    const wanted = [
      { endpointId: many.endpointId, atMost: 2 },
      // More endpoints than one statement asks about.
      ...times(60, () => ({ endpointId: newId(), atMost: 1 })),
      { endpointId: few.endpointId, atMost: 2 },
    ];
    expect(await read.dueDeliveries(wanted, nowMs)).toEqual([rows[1]?.id, rows[2]?.id, only.id] as string[]);
    const all = [{ endpointId: many.endpointId, atMost: 10 }];
    expect(await read.dueDeliveries(all, nowMs)).toHaveLength(3);
  });

  test("a delivery is claimed once, however many nodes try at the same time", async () => {
    const owner = await endpoint();
    const ids = idsOf(await makeDeliveries(owner, Array(20).fill(due())));
    const names = ["a", "b", "c", "d"];
    const claimed = await Promise.all(names.map((name) => claim(ids, name)));
    expect(claimed.flatMap(idsOf).toSorted()).toEqual(ids.toSorted());
    for (const row of await owner.deliveries()) {
      expect(row).toMatchObject({ claimed_until: nowMs + leaseMs, next_attempt_at: nowMs + leaseMs });
      expect(idsOf(claimed[names.indexOf(row.claimed_by ?? "")] ?? [])).toContain(row.id);
    }
  });

  test("a claim lasts until its end, and then another node can claim the delivery", async () => {
    const { id } = await makeDelivery(await endpoint(), due());
    expect(idsOf(await claim([id], "dead"))).toEqual([id]);
    expect(await claim([id], "other", nowMs + leaseMs - 1)).toEqual([]);
    expect(idsOf(await claim([id], "other", nowMs + leaseMs))).toEqual([id]);
  });

  test("a delivery that is not due, or not pending, cannot be claimed", async () => {
    const others = [
      { next_attempt_at: nowMs + 1 },
      { state: "delivered" },
      { state: "failed" },
      { state: "held" },
    ];
    const rows = await makeDeliveries(await endpoint(), (others as Partial<DeliveryRow>[]).map(due));
    expect(await claim(idsOf(rows), "node")).toEqual([]);
  });

  test("a node releases its own claims only, and the delivery is due immediately", async () => {
    const owner = await endpoint();
    const { id } = await makeDelivery(owner, due());
    await claim([id], "node");
    const release = async (claimant: string) => {
      await write.releaseDeliveries(fixture.store.bulk, [id], claimant, nowMs + 1);
      return owner.deliveries();
    };
    const claimed = { claimed_by: "node", next_attempt_at: nowMs + leaseMs };
    expect(await release("other")).toMatchObject([claimed]);
    const released = { claimed_by: null, claimed_until: null, attempts: 0, next_attempt_at: nowMs + 1 };
    expect(await release("node")).toMatchObject([released]);
  });

  test("events are read by their IDs", async () => {
    const { organizationId } = await endpoint();
    const [id = ""] = await makeEvents(fixture.store, organizationId, 2, { data: '{"a":1}' });
    const events = await read.eventsByIds(fixture.store.bulk, [id, newId()]);
    expect([...events.keys()]).toEqual([id]);
    expect(events.get(id)).toMatchObject({ organization_id: organizationId, data: '{"a":1}' });
  });

  const delivered = { state: "delivered", attempts: 1, nextAttemptAt: null } as const;
  const failed = { state: "failed", attempts: 10, nextAttemptAt: null } as const;
  const attemptOf = ({ endpointId }: DeliveryOwner, delivery_id: string, status: number | null = 200) => {
    const answer = { request_headers: "{}", status, response_body: "secret answer", failure: null };
    return { id: newId(), delivery_id, endpoint_id: endpointId, at: nowMs, duration_ms: 7, ...answer };
  };
  const record = (claimant: string, result: results.DeliveryResult) =>
    write.writeResults(fixture.store.bulk, claimant, [result], nowMs + 50);

  test.each([
    [delivered, 200, nowMs + 50],
    [failed, 500, nowMs + 50],
    [{ state: "pending", attempts: 2, nextAttemptAt: nowMs + 5_000 }, null, null],
  ] as const)("the result %j is recorded once and ends the claim", async (result, status, endedAt) => {
    const owner = await endpoint();
    const { id } = await makeDelivery(owner, due());
    await claim([id], "node");
    const attempt = attemptOf(owner, id, status);
    // A transaction whose outcome was unknown is repeated.
    for (let time = 0; time < 2; time++) await record("node", { attempt, ...result });
    const { nextAttemptAt: next_attempt_at, ...columns } = result;
    const ended = { finished_at: endedAt, claimed_by: null, claimed_until: null };
    const expected = { ...columns, last_status: status, next_attempt_at, ...ended };
    expect(await owner.deliveries()).toMatchObject([expected]);
    expect(await owner.attempts()).toEqual([attempt]);
    const stored = await fixture.row("delivery_attempts", { delivery_id: id });
    expect(stored.sealed_response).not.toContain("secret answer");
  });

  test("a delivery that another node has claimed since is not changed, but the attempt is recorded", async () => {
    const owner = await endpoint();
    const { id } = await makeDelivery(owner, due());
    await claim([id], "late");
    await claim([id], "other", nowMs + leaseMs);
    await record("late", { attempt: attemptOf(owner, id), ...delivered });
    expect(await owner.deliveries()).toMatchObject([{ state: "pending", claimed_by: "other", attempts: 0 }]);
    expect(await owner.attempts()).toHaveLength(1);
  });

  test("results of many deliveries are recorded together, each with its own state", async () => {
    const owner = await endpoint();
    const ids = idsOf(await makeDeliveries(owner, Array(6).fill(due())));
    await claim(ids, "node");
    const written = ids.map((id, index) => {
      const [status, result] = index % 2 === 0 ? [200, delivered] : [500, failed];
      return { attempt: attemptOf(owner, id, status), ...result };
    });
    await write.writeDeliveries(fixture.store.bulk, "node", written, nowMs);
    const states = (await owner.deliveries()).map((row) => [row.state, row.last_status]);
    expect(states).toEqual(written.map(({ state, attempt }) => [state, attempt.status]));
    expect(await owner.attempts()).toEqual([]);
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
      expect(await write.recordEndpointChange({ ...change, endpointId: newId() })).toBeUndefined();
    },
  );
});
