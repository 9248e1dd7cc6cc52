import { describe, expect, test } from "bun:test";
import { distribution } from "@countersign/store/distribution";
import type { Listener, UndistributedEvent } from "@countersign/store/queries/webhooks/distribute";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { deliveriesTo, makeEndpoint, makeEvents } from "../../../../tests/support/webhooks.ts";
import { Distributor, deliveriesFor } from "./distribute.ts";

const event: UndistributedEvent = {
  id: "event",
  organization_id: "seller",
  product_id: null,
  license_id: null,
  type: "license.updated",
  at: 1,
  undistributed: distribution.waiting,
};
const listener: Listener = {
  id: "endpoint",
  organization_id: "seller",
  event_types: null,
  product_ids: null,
  status: "enabled",
  disabled_reason: null,
};

describe("an endpoint", () => {
  const ofProduct = { product_id: "product" };
  test.each<[string, Partial<Listener>, Partial<UndistributedEvent>, boolean]>([
    ["gets the events of its organization", {}, {}, true],
    ["does not get the events of another organization", { organization_id: "another seller" }, {}, false],
    ["gets the types that it selects", { event_types: '["license.updated"]' }, {}, true],
    ["does not get types that it does not select", { event_types: '["license.revoked"]' }, {}, false],
    ["gets the events of products that it selects", { product_ids: '["product"]' }, ofProduct, true],
    ["does not get the events of other products", { product_ids: '["other"]' }, ofProduct, false],
    [
      "does not get the events of no product if it selects products",
      { product_ids: '["product"]' },
      {},
      false,
    ],
    ["that listens to all products gets the events of each", {}, ofProduct, true],
  ])("%s", (_, settings, fields, isDelivered) => {
    const deliveries = deliveriesFor([{ ...event, ...fields }], [{ ...listener, ...settings }], 5);
    expect(deliveries).toHaveLength(isDelivered ? 1 : 0);
  });

  test("gets its events immediately if it is enabled, and later if it was disabled for failing", () => {
    const failing = { ...listener, id: "failing", status: "disabled", disabled_reason: "failing" } as const;
    expect(deliveriesFor([event], [listener, failing], 5)).toMatchObject([
      { endpoint_id: "endpoint", state: "pending", next_attempt_at: 5, attempts: 0, created_at: 5 },
      { endpoint_id: "failing", state: "held", next_attempt_at: null, attempts: 0, created_at: 5 },
    ]);
  });

  test("gets one delivery of each event when events of several organizations are distributed together", () => {
    const events = [
      event,
      { ...event, id: "second" },
      { ...event, id: "foreign", organization_id: "another" },
    ];
    const listeners = [listener, { ...listener, id: "theirs", organization_id: "another" }];
    const made = deliveriesFor(events, listeners, 5);
    expect(made.map((row) => [row.event_id, row.endpoint_id, row.organization_id])).toEqual([
      ["event", "endpoint", "seller"],
      ["second", "endpoint", "seller"],
      ["foreign", "theirs", "another"],
    ]);
  });
});

onBothDatabases("distributing events", (fixture) => {
  const withEndpoints = async (count: number) => {
    const organization = await fixture.organization();
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const made = await makeEndpoint(
        fixture.store,
        organization.organizationId,
        "https://hooks.example.invalid/",
      );
      ids.push(made.id);
    }
    return { ...organization, ids };
  };
  const distributeAll = async () => {
    const distributor = new Distributor(fixture.store);
    while ((await distributor.round()) > 0);
  };

  test("one organization's backlog does not delay another organization's event", async () => {
    await distributeAll();
    const crowd = await withEndpoints(5);
    const alone = await withEndpoints(1);
    await makeEvents(fixture.store, crowd.organizationId, 2_000);
    await makeEvents(fixture.store, alone.organizationId, 1);
    const distributed = await new Distributor(fixture.store).round();
    expect(await deliveriesTo(fixture.store, alone.ids[0] ?? "")).toHaveLength(1);
    // Few enough that other writers do not wait for long.
    expect(distributed * 6).toBeLessThan(1_100);
    // Other tests need not distribute the rest.
    await fixture.write((db) =>
      db.deleteFrom("events").where("organization_id", "=", crowd.organizationId).execute(),
    );
  });

  test("more organizations than one round serves get their turn", async () => {
    await distributeAll();
    const organizations = await Promise.all(Array.from({ length: 40 }, () => withEndpoints(1)));
    for (const { organizationId } of organizations) await makeEvents(fixture.store, organizationId, 20);
    const distributor = new Distributor(fixture.store);
    const served = async () => {
      const rows = organizations.map(({ ids }) => deliveriesTo(fixture.store, ids[0] ?? ""));
      return (await Promise.all(rows)).filter((deliveries) => deliveries.length > 0).length;
    };
    await distributor.round();
    expect(await served()).toBe(32);
    await distributor.round();
    expect(await served()).toBe(40);
    await distributeAll();
  });

  test("an event of the hot path is stored with its license, unless the license was deleted", async () => {
    const { organizationId, productId, license } = await withEndpoints(1);
    const { id: licenseId, key } = await license();
    const happen = async (license_id: string) => {
      const [id = ""] = await makeEvents(fixture.store, organizationId, 1, {
        type: "license.ip_limit_reached",
        product_id: productId,
        license_id,
        data: JSON.stringify({ license_id, ip: "192.0.2.7" }),
        undistributed: distribution.waitingWithoutLicense,
      });
      return id;
    };
    const ids = [await happen(licenseId), await happen(newId())];
    await distributeAll();
    const stored = await fixture.reads
      .selectFrom("events")
      .select(["data", "undistributed"])
      .where("id", "in", ids)
      .orderBy("id")
      .execute();
    expect(stored.map((row) => row.undistributed)).toEqual([null, null]);
    const [complete, short] = stored.map((row) => JSON.parse(row.data));
    expect(complete).toMatchObject({
      ip: "192.0.2.7",
      license: { id: licenseId, license_key: key, product_name: "Test Product" },
    });
    expect(Object.keys(short)).toEqual(["license_id", "ip"]);
  });
});
