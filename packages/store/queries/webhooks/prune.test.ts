import { expect, test } from "bun:test";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { makeDelivery, makeEvents, newEndpoint } from "../../../../tests/support/webhooks.ts";
import { distribution } from "../../distribution.ts";
import type { DeliveryRow } from "../../tables.ts";
import type { PrunableRows } from "./prune.ts";
import * as queries from "./prune.ts";

const limitMs = Date.UTC(2025, 0, 1);
const old = limitMs - 1;
const young = limitMs;
const most = 100_000;

onBothDatabases("pruning", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const endpoint = () => newEndpoint(fixture);
  const has = async (found: Promise<PrunableRows>, id: string) => (await found).ids.includes(id);
  const isOldEvent = (id: string) => has(read.oldEvents(limitMs, most), id);

  test.each([
    ["delivered", "before", true],
    ["failed", "before", true],
    ["held", "before", true],
    ["pending", "before", false],
    ["delivered", "after", false],
    ["held", "after", false],
  ] as const)("a %s delivery from %s the limit is old: %p", async (state, side, isOld) => {
    const created_at = side === "before" ? old : young;
    const { id } = await makeDelivery(await endpoint(), { state, created_at });
    expect(await has(read.oldDeliveries(firstUuidAt(limitMs), most), id)).toBe(isOld);
  });

  test("attempts are old by their own time, whatever the state of their delivery", async () => {
    const owner = await endpoint();
    await makeDelivery(owner, { state: "pending", created_at: old }, [{ at: old }, { at: young }]);
    const attempts = await fixture.rows("delivery_attempts", { endpoint_id: owner.endpointId });
    const { table, ids } = await read.oldAttempts(firstUuidAt(limitMs), most);
    expect(table).toBe("delivery_attempts");
    expect(attempts.map(({ id }) => ids.includes(id))).toEqual([true, false]);
  });

  test("an event that was never distributed is not old, however long ago it happened", async () => {
    const { organizationId } = await endpoint();
    const at = async (atMs: number, undistributed: 1 | 2 | null) => {
      const [id = ""] = await makeEvents(fixture.store, organizationId, 1, { at: atMs, undistributed });
      return isOldEvent(id);
    };
    expect(await at(old, distribution.none)).toBe(true);
    expect(await at(young, distribution.none)).toBe(false);
    expect(await at(old, distribution.waiting)).toBe(false);
    expect(await at(old, distribution.waitingWithoutLicense)).toBe(false);
  });

  test.each([
    ["finished deliveries", true, ["delivered", "failed"]],
    ["a pending delivery", false, ["delivered", "pending"]],
    ["a held delivery", false, ["held"]],
  ] as const)("an old event with %s can be pruned: %p", async (_, isOld, states) => {
    const owner = await endpoint();
    const event = { at: old, undistributed: distribution.none };
    const [event_id = ""] = await makeEvents(fixture.store, owner.organizationId, 1, event);
    for (const state of states) await makeDelivery(owner, { event_id, state, created_at: young });
    expect(await isOldEvent(event_id)).toBe(isOld);
  });

  test("at most as many rows are found as are pruned at once, the oldest first", async () => {
    const { organizationId } = await endpoint();
    const at = (ms: number) =>
      makeEvents(fixture.store, organizationId, 1, { at: ms, undistributed: distribution.none });
    const [[newer], [oldest]] = [await at(-1), await at(-2)];
    expect(await read.oldEvents(0, 1)).toEqual({ table: "events", ids: [oldest ?? ""] });
    const both = await read.oldEvents(0, 2);
    expect(both.ids).toEqual([oldest ?? "", newer ?? ""]);
    await write.pruneRows(both);
    expect((await read.oldEvents(0, 2)).ids).toEqual([]);
  });

  test("a delivery that became pending since it was found is not pruned", async () => {
    const owner = await endpoint();
    const states: DeliveryRow["state"][] = ["pending", "failed", "failed"];
    const rows = await Promise.all(states.map((state) => makeDelivery(owner, { state })));
    const ids = idsOf(rows.slice(0, 2));
    await write.pruneRows({ table: "deliveries", ids });
    await write.pruneRows({ table: "deliveries", ids: [] });
    const left = await fixture.rows("deliveries", { endpoint_id: owner.endpointId });
    expect(idsOf(left).toSorted()).toEqual([rows[0]?.id ?? "", rows[2]?.id ?? ""].toSorted());
  });
});
