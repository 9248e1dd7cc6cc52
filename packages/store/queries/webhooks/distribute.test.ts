import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { makeDelivery, makeEvents, newEndpoint } from "../../../../tests/support/webhooks.ts";
import { times } from "../../suite/calls.ts";
import { distribution } from "../../tables/events.ts";
import * as queries from "./distribute.ts";
import { completeEvents, takeEvents } from "./distribute.ts";

onBothDatabases("the distribution of events", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const events = (organizationId: string, count: number, settings: Parameters<typeof makeEvents>[3] = {}) =>
    makeEvents(fixture.store, organizationId, count, settings);
  const organization = async () => (await fixture.organization()).organizationId;

  test("organizations with undistributed events are found in the order of their IDs, up to a limit", async () => {
    const [before, first, second, third, without] = await several(5, organization);
    for (const id of [third, first, second, first, before]) await events(id, 1);
    await events(without, 1, { undistributed: distribution.none });
    expect(await read.organizationsWaiting(before, 2)).toEqual([first, second]);
    expect(await read.organizationsWaiting(second, 2)).toEqual([third]);
    expect(await read.organizationsWaiting(third, 2)).toEqual([]);
  });

  test("each organization gets the same number of events, oldest first and in turns", async () => {
    const [many, few, unasked] = await several(3, organization);
    const [first, second, third] = await events(many, 4);
    const [only] = await events(few, 1);
    await events(few, 1, { undistributed: distribution.none });
    await events(unasked, 1);
    const ids = idsOf(await read.undistributedEvents([many, few], 3));
    expect(ids.slice(0, 2).toSorted()).toEqual([first, only].toSorted() as string[]);
    expect(ids.slice(2)).toEqual([second, third] as string[]);
    expect(await read.undistributedEvents([], 3)).toEqual([]);
  });

  test("an event is taken once, however many nodes try at the same time", async () => {
    const organizationId = await organization();
    const ids = await events(organizationId, 20);
    const take = () => write.takeEvents(fixture.store.bulk, ids);
    const taken = await Promise.all([take(), take(), take(), take()]);
    expect(taken.flatMap((some) => [...some]).toSorted()).toEqual(ids.toSorted());
    expect(await take()).toEqual(new Set());
    expect(await read.undistributedEvents([organizationId], 100)).toEqual([]);
  });

  test("an event of the hot path is taken like others, and completing it changes only its data", async () => {
    const organizationId = await organization();
    const { bulk } = fixture.store;
    const settings = { undistributed: distribution.waitingWithoutLicense, data: '{"short":1}' };
    const [id = "", other = ""] = await events(organizationId, 2, settings);
    expect(await read.dataOfEvents(bulk, [id])).toEqual(new Map([[id, '{"short":1}']]));
    const [row] = await read.undistributedEvents([organizationId], 1);
    if (row === undefined) throw new Error("The event is undistributed.");
    await fixture.write(async (db) => {
      expect(await takeEvents(db, bulk, [id])).toEqual(new Set([id]));
      const complete = { ...row, type: "license.deleted", data: '{"complete":1}' } as const;
      await completeEvents(db, bulk, [{ ...complete, undistributed: distribution.none }]);
    });
    const completed = { type: "license.updated", data: '{"complete":1}', undistributed: null };
    expect(await fixture.row("events", { id })).toMatchObject(completed);
    expect(await fixture.row("events", { id: other })).toMatchObject(settings);
  });

  test("endpoints of these organizations receive events, unless they are deleted or were disabled by hand", async () => {
    const [first, second, other] = await several(3, organization);
    const endpoint = async (organization_id: string, settings: Parameters<typeof newEndpoint>[1] = {}) =>
      (await newEndpoint(fixture, { organization_id, ...settings })).endpointId;
    const newer = await endpoint(first, { created_at: 2 });
    const older = await endpoint(first, { created_at: 1 });
    const failing = await endpoint(second, { status: "disabled", disabled_reason: "failing", created_at: 1 });
    const gone = await endpoint(second, { status: "disabled", disabled_reason: "gone", created_at: 2 });
    await endpoint(second, { status: "disabled", disabled_reason: "by_hand" });
    await endpoint(first, { deleted_at: 1 });
    await endpoint(other);
    expect(idsOf(await read.listenersOf([second, first]))).toEqual([older, newer, failing, gone]);
  });

  test("any number of deliveries can be added at once", async () => {
    const owner = await newEndpoint(fixture);
    const row = await makeDelivery(owner, { state: "failed", attempts: 10, finished_at: 2 });
    const rows = times(1_001, () => ({ ...row, id: newId(), event_id: newId() }));
    await write.addDeliveries(rows);
    expect(await owner.deliveries()).toEqual([row, ...rows].sort((a, b) => (a.id < b.id ? -1 : 1)));
  });
});
