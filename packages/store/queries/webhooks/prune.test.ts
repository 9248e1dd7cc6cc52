import { expect, test } from "bun:test";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { makeDeliveries, makeDelivery, makeEvents, newEndpoint } from "../../../../tests/support/webhooks.ts";
import { type DeliveryRow, distribution } from "../../tables/events.ts";
import * as queries from "./prune.ts";

const limitMs = Date.UTC(2025, 0, 1);
const old = limitMs - 1;
const young = limitMs;
const most = 100_000;

onBothDatabases("pruning", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const endpoint = () => newEndpoint(fixture);
  const addEvent = async (
    organizationId: string,
    at: number,
    undistributed: 1 | 2 | null = distribution.none,
  ) => (await makeEvents(fixture.store, organizationId, 1, { at, undistributed }))[0] ?? "";

  test("deliveries of the past are old unless they are pending", async () => {
    const rows = await makeDeliveries(await endpoint(), [
      ...(["delivered", "failed", "held"] as const).map((state) => ({ state, created_at: old })),
      { state: "pending", created_at: old },
      { state: "delivered", created_at: young },
      { state: "held", created_at: young },
    ]);
    const { ids } = await read.oldDeliveries(firstUuidAt(limitMs), most);
    expect(ids.filter((id) => idsOf(rows).includes(id))).toEqual(idsOf(rows.slice(0, 3)));
  });

  test("attempts are old by their own time, whatever the state of their delivery", async () => {
    const owner = await endpoint();
    await makeDelivery(owner, { state: "pending", created_at: old }, [{ at: old }, { at: young }]);
    const { table, ids } = await read.oldAttempts(firstUuidAt(limitMs), most);
    expect(table).toBe("delivery_attempts");
    expect((await owner.attempts()).map(({ id }) => ids.includes(id))).toEqual([true, false]);
  });

  const { none, waiting, waitingWithoutLicense } = distribution;
  test.each([
    [true, old, none, []],
    [false, young, none, []],
    [false, old, waiting, []],
    [false, old, waitingWithoutLicense, []],
    [true, old, none, ["delivered", "failed"]],
    [false, old, none, ["delivered", "pending"]],
    [false, old, none, ["held"]],
  ] as const)(
    "an event can be pruned (%p) if it is old and was distributed, and its deliveries are over: %p, %p, %j",
    async (isOld, at, undistributed, states) => {
      const owner = await endpoint();
      const event_id = await addEvent(owner.organizationId, at, undistributed);
      for (const state of states) await makeDelivery(owner, { event_id, state, created_at: young });
      expect((await read.oldEvents(limitMs, most)).ids.includes(event_id)).toBe(isOld);
    },
  );

  test("at most as many rows are found as are pruned at once, the oldest first", async () => {
    const { organizationId } = await endpoint();
    const [newer, oldest] = [await addEvent(organizationId, -1), await addEvent(organizationId, -2)];
    expect(await read.oldEvents(0, 1)).toEqual({ table: "events", ids: [oldest] });
    const both = await read.oldEvents(0, 2);
    expect(both.ids).toEqual([oldest, newer]);
    await write.pruneRows(both);
    expect((await read.oldEvents(0, 2)).ids).toEqual([]);
  });

  test("a delivery that became pending since it was found is not pruned", async () => {
    const owner = await endpoint();
    const states: DeliveryRow["state"][] = ["pending", "failed", "failed"];
    const [pending, , kept] = await makeDeliveries(
      owner,
      states.map((state) => ({ state })),
    );
    const ids = idsOf((await owner.deliveries()).slice(0, 2));
    await write.pruneRows({ table: "deliveries", ids });
    await write.pruneRows({ table: "deliveries", ids: [] });
    expect(await owner.deliveries()).toEqual([pending, kept] as DeliveryRow[]);
  });
});
