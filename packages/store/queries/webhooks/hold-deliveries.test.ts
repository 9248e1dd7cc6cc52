import { expect, test } from "bun:test";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import {
  type DeliveryOwner,
  idAt,
  makeDeliveries,
  makeDelivery,
  newEndpoint,
} from "../../../../tests/support/webhooks.ts";
import type { DeliveryRow } from "../../tables/events.ts";
import * as probe from "./endpoints.ts";
import * as holding from "./hold-deliveries.ts";
import { deliveriesAtOnce } from "./hold-deliveries.ts";

const nowMs = Date.now();
const pending = { state: "pending", attempts: 3, next_attempt_at: nowMs + 60_000 } as const;
const beingSent = { ...pending, claimed_by: "node", claimed_until: nowMs + 1 } as const;
const expiredClaim = { ...pending, claimed_by: "dead", claimed_until: nowMs } as const;
const held = { state: "held", attempts: 10, last_status: 500 } as const;

onBothDatabases("deliveries of disabled endpoints", (fixture) => {
  const { read, write } = fixture.queries({ ...holding, ...probe });
  const endpoint = (settings: Parameters<typeof newEndpoint>[1] = {}) => newEndpoint(fixture, settings);
  const hold = ({ endpointId }: DeliveryOwner) => write.holdDeliveries(endpointId, nowMs);
  const enable = ({ endpointId }: DeliveryOwner) => write.enableDeliveries(endpointId, nowMs);

  test("pending deliveries of one endpoint are held, except those being sent at this moment", async () => {
    const [owner, other] = [await endpoint(), await endpoint()];
    const over = [{ state: "delivered" }, { state: "failed" }] as const;
    await makeDeliveries(owner, [pending, expiredClaim, beingSent, ...over]);
    await makeDelivery(other, pending);
    expect(await hold(owner)).toBe(2);
    expect(await owner.states()).toEqual(["held", "held", "pending", "delivered", "failed"]);
    const released = { next_attempt_at: null, claimed_by: null, claimed_until: null, attempts: 3 };
    expect((await owner.deliveries())[1]).toMatchObject(released);
    expect(await other.states()).toEqual(["pending"]);
  });

  test("held deliveries of one endpoint are due when it is enabled, with a full set of attempts", async () => {
    const [owner, other] = [await endpoint(), await endpoint()];
    await makeDeliveries(owner, [held, { ...pending, attempts: 5 }, { state: "failed" }]);
    await makeDelivery(other, held);
    expect(await enable(owner)).toBe(1);
    expect(await owner.deliveries()).toMatchObject([
      { state: "pending", attempts: 0, next_attempt_at: nowMs, last_status: null, finished_at: null },
      { ...pending, attempts: 5 },
      { state: "failed" },
    ]);
    expect(await other.states()).toEqual(["held"]);
  });

  test.each([
    ["held", pending, hold],
    ["enabled", held, enable],
  ] as const)("many deliveries are %s in batches, each once, also by two nodes", async (_, from, follow) => {
    const owner = await endpoint();
    await makeDeliveries(owner, Array(deliveriesAtOnce + 10).fill(from));
    const counts: number[] = [];
    const sum = () => counts.reduce((total, count) => total + count, 0);
    while (sum() < deliveriesAtOnce + 10) counts.push(...(await Promise.all([follow(owner), follow(owner)])));
    const full = counts.filter((count) => count === deliveriesAtOnce);
    expect([sum(), full.length, await follow(owner)]).toEqual([deliveriesAtOnce + 10, 1, 0]);
  });

  test.each([
    ["waits for its next attempt", true, pending],
    ["is held", true, held],
    ["has an expired claim", true, expiredClaim],
    ["is being sent", false, beingSent],
    ["was delivered", false, { state: "delivered" }],
    ["has failed", false, { state: "failed" }],
  ] as const)("a delivery that %s can be made due: %p", async (_, isPossible, fields) => {
    const owner = await endpoint();
    const before = await makeDelivery(owner, fields);
    const other = await makeDelivery(owner, pending);
    expect(await write.makeDue(before.id, nowMs)).toBe(isPossible);
    const due = { state: "pending", next_attempt_at: nowMs, claimed_by: null, claimed_until: null } as const;
    expect(await owner.deliveries()).toEqual([isPossible ? { ...before, ...due } : before, other]);
  });

  test("deliveries that do not match the state of their endpoint are found, unless it is deleted", async () => {
    const disabled = { status: "disabled", disabled_reason: "by_hand" } as const;
    const rows: [Parameters<typeof newEndpoint>[1], Partial<DeliveryRow>][] = [
      [{}, held],
      [disabled, pending],
      [{}, pending],
      [disabled, held],
      [{ deleted_at: 1 }, held],
      [{ ...disabled, deleted_at: 1 }, pending],
      [{}, { state: "delivered" }],
    ];
    const ids: string[] = [];
    for (const [settings, delivery] of rows) {
      const owner = await endpoint(settings);
      await makeDelivery(owner, delivery);
      ids.push(owner.endpointId);
    }
    const found = await read.deliveriesOutOfStep();
    const own = (some: readonly string[]) => some.filter((id) => ids.includes(id));
    expect([own(found.held), own(found.pending)]).toEqual([ids.slice(0, 1), ids.slice(1, 2)]);
  });

  const failing = { status: "disabled", disabled_reason: "failing", next_probe_at: nowMs } as const;

  test("an endpoint is probed when its probe is due, if it was disabled for failing and is not deleted", async () => {
    const own: string[] = [];
    for (const settings of [
      { next_probe_at: nowMs - 1 },
      { next_probe_at: nowMs - 2 },
      { next_probe_at: nowMs + 1 },
      { next_probe_at: null },
      { disabled_reason: "gone" },
      { disabled_reason: "by_hand" },
      { deleted_at: 1 },
    ] as const)
      own.push((await endpoint({ ...failing, ...settings })).endpointId);
    const due = (await read.endpointsToProbe(nowMs, 10_000)).filter((id) => own.includes(id));
    const [later = "", earlier = ""] = own;
    expect(due).toEqual([earlier, later]);
    expect(await read.endpointsToProbe(nowMs, 1)).toHaveLength(1);
    const claimed = await write.claimProbes(own, nowMs, nowMs + 30_000);
    expect(idsOf(claimed).toSorted()).toEqual(due.toSorted());
  });

  test("a probe is claimed once, however many nodes try at the same time, and again when the claim expires", async () => {
    const { endpointId } = await endpoint(failing);
    const claim = (atMs: number) => write.claimProbes([endpointId], atMs, atMs + 100);
    const claimed = (await Promise.all([claim(nowMs), claim(nowMs), claim(nowMs)])).flat();
    expect(claimed).toMatchObject([{ id: endpointId, next_probe_at: nowMs + 100 }]);
    expect(await claim(nowMs + 99)).toEqual([]);
    expect(await claim(nowMs + 100)).toHaveLength(1);
  });

  test("the oldest and the newest held delivery of one endpoint are what it has missed", async () => {
    const [owner, other] = [await endpoint(failing), await endpoint(failing)];
    const states = ["delivered", "held", "held", "failed"] as const;
    const [, oldest, newest] = await makeDeliveries(
      owner,
      states.map((state, at) => ({ state, created_at: nowMs + at })),
    );
    await makeDelivery(other, { state: "failed" });
    expect(await read.missedDelivery(owner.endpointId, "oldest")).toEqual(oldest);
    expect(await read.missedDelivery(owner.endpointId, "newest")).toEqual(newest);
    expect(await read.missedDelivery(other.endpointId, "oldest")).toBeUndefined();
  });

  test.each([
    ["that succeeds", held, 200, { state: "delivered", attempts: 11, last_status: 200, finished_at: nowMs }],
    ["that fails", held, 500, { state: "held", attempts: 11, last_status: 500, finished_at: null }],
    ["of a delivery that is no longer held", pending, 200, { state: "pending", attempts: 3 }],
  ] as const)("the attempt of a probe %s is recorded once", async (_, fields, status, expected) => {
    const owner = await endpoint(failing);
    const { endpointId: endpoint_id } = owner;
    const { id: delivery_id } = await makeDelivery(owner, fields);
    const answer = { request_headers: "{}", status, response_body: "answer", failure: null };
    const attempt = { id: idAt(nowMs), delivery_id, endpoint_id, at: nowMs, duration_ms: 5, ...answer };
    await write.writeProbe(attempt, status === 200, nowMs);
    expect(await owner.deliveries()).toMatchObject([expected]);
    await write.writeProbe(attempt, false, nowMs);
    expect(await owner.attempts()).toEqual([attempt]);
  });
});
