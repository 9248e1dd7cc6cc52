import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { type Distribution, distribution } from "@countersign/store/distribution";
import { addEvents } from "@countersign/store/queries/events/events";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import type { DeliveryRow } from "@countersign/store/tables";
import { deliveryPruning } from "../../apps/server/features/webhooks/prune.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { makeEndpoint } from "../support/webhooks.ts";

setDefaultTimeout(60_000);

const day = 24 * 60 * 60 * 1000;

describe.each(databases)("pruning after 30 days on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let endpointId: string;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    const settings = { status: "disabled", disabled_reason: "gone" } as const;
    const url = "https://hooks.example.invalid/";
    endpointId = (await makeEndpoint(fixture.store, fixture.organizationId, url, settings)).id;
    path = `/organizations/${fixture.organizationId}/webhooks/${endpointId}`;
  });
  afterAll(() => fixture.close());

  let made = 0;
  const idAt = (ms: number) => {
    made += 1;
    return firstUuidAt(ms).slice(0, -12) + made.toString(16).padStart(12, "0");
  };
  /** An event this many days ago, with a delivery and an attempt in each of these states, some days later. */
  const past = async (
    days: number,
    deliveries: readonly [DeliveryRow["state"], number][],
    undistributed: Distribution = distribution.none,
  ) => {
    const at = Date.now() - days * day;
    const event = {
      id: idAt(at),
      organization_id: fixture.organizationId,
      product_id: null,
      license_id: null,
      type: "license.updated" as const,
      at,
      data: "{}",
      undistributed,
    };
    const rows = deliveries.map(([state, later]): DeliveryRow => {
      const madeAt = at + later * day;
      return {
        id: idAt(madeAt),
        organization_id: fixture.organizationId,
        endpoint_id: endpointId,
        event_id: event.id,
        event_type: event.type,
        state,
        attempts: 1,
        next_attempt_at: state === "pending" ? Date.now() + day : null,
        claimed_by: null,
        // Claimed, so that it is not held although its endpoint is disabled.
        claimed_until: state === "pending" ? Date.now() + day : null,
        last_status: 200,
        created_at: madeAt,
        finished_at: state === "pending" ? null : madeAt,
      };
    });
    await fixture.store.transaction(async (db) => {
      await addEvents(db, [event]);
      await addDeliveries(db, rows);
      for (const row of rows)
        await db
          .insertInto("delivery_attempts")
          .values({
            id: idAt(row.created_at),
            delivery_id: row.id,
            endpoint_id: endpointId,
            at: row.created_at,
            duration_ms: 5,
            request_headers: "{}",
            status: 200,
            sealed_response: "",
            failure: null,
          })
          .execute();
    });
    return { eventId: event.id, ids: rows.map((row) => row.id) };
  };
  const left = async (table: "events" | "deliveries", ids: readonly string[]) => {
    const rows = await fixture.store.reads.selectFrom(table).select("id").where("id", "in", ids).execute();
    return rows.length;
  };
  const attemptsOf = async (ids: readonly string[]) => {
    const rows = await fixture.store.reads
      .selectFrom("delivery_attempts")
      .select("id")
      .where("delivery_id", "in", ids)
      .execute();
    return rows.length;
  };
  const prune = () => deliveryPruning(fixture.store).run();

  test("deletes old events and their finished and held deliveries, and keeps younger ones", async () => {
    const old = await past(31, [
      ["delivered", 0],
      ["failed", 0],
      ["held", 0],
    ]);
    const young = await past(29, [
      ["delivered", 0],
      ["failed", 0],
      ["held", 0],
    ]);
    await prune();
    expect([
      await left("events", [old.eventId]),
      await left("deliveries", old.ids),
      await attemptsOf(old.ids),
    ]).toEqual([0, 0, 0]);
    expect([
      await left("events", [young.eventId]),
      await left("deliveries", young.ids),
      await attemptsOf(young.ids),
    ]).toEqual([1, 3, 3]);
    expect((await fixture.owner.api.get(`${path}/deliveries/${old.ids[0]}`)).status).toBe(404);
  });

  test("keeps pending and recently held deliveries with their events", async () => {
    const onItsWay = await past(31, [
      ["pending", 0],
      ["delivered", 0],
    ]);
    const replayed = await past(31, [["pending", 30]]);
    const heldSince = await past(31, [["held", 2]]);
    const undistributedEvent = await past(31, [], distribution.waiting);
    await prune();
    expect(await left("deliveries", onItsWay.ids)).toBe(1);
    expect(await left("deliveries", [...replayed.ids, ...heldSince.ids])).toBe(2);
    expect(await left("events", [onItsWay.eventId, replayed.eventId, heldSince.eventId])).toBe(3);
    await fixture.store.transaction((db) =>
      db
        .updateTable("deliveries")
        .set({ state: "delivered" })
        .where("id", "in", [...onItsWay.ids, ...replayed.ids])
        .execute(),
    );
    await prune();
    expect(await left("deliveries", onItsWay.ids)).toBe(0);
    expect(await left("events", [onItsWay.eventId, replayed.eventId])).toBe(0);
    expect(await left("events", [heldSince.eventId])).toBe(1);
    const { body } = await fixture.owner.api.get(`${path}/deliveries/${replayed.ids[0]}`);
    expect(body).toMatchObject({ state: "delivered", event: null });
    expect(await attemptsOf(replayed.ids)).toBe(1);
    expect(undistributedEvent.ids).toEqual([]);
  });

  test("continues beyond one batch", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 600; count += 100) {
      const { ids: some } = await past(
        40,
        Array.from({ length: 100 }, () => ["delivered", 0] as const),
      );
      ids.push(...some);
    }
    await prune();
    expect(await left("deliveries", ids)).toBe(0);
    expect(await attemptsOf(ids)).toBe(0);
  });
});
