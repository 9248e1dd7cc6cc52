import { describe, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import type { Listener, UndistributedEvent } from "@countersign/store/queries/webhooks/distribute";
import { deletedEndpoints, updateEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import { type DeliveryRow, distribution, type WebhookEndpointRow } from "@countersign/store/tables/events";

import { idsOf, onDatabase } from "../../../../../tests/support/query-tests.ts";
import { newId } from "../../../../../tests/support/test-organization.ts";
import {
  makeAttempts,
  makeDeliveries,
  makeEvents,
  newEndpoint,
} from "../../../../../tests/support/webhooks.ts";
import { Distributor, deliveriesFor } from "./distribute.ts";
import { deletedEndpointRemoval, deliveryPruning, deliverySync } from "./upkeep.ts";

const seller = { organization_id: "seller" };
const change = { type: "license.updated", at: 1, product_id: null, license_id: null } as const;
const event: UndistributedEvent = { id: "event", ...seller, ...change, undistributed: distribution.waiting };
const everything = { event_types: null, product_ids: null };
const enabled = { status: "enabled", disabled_reason: null } as const;
const listener: Listener = { id: "endpoint", ...seller, ...everything, ...enabled };

describe("endpoints", () => {
  const ofProduct = { product_id: "product" };
  test.each<[string, Partial<Listener>, Partial<UndistributedEvent>, boolean]>([
    ["gets the events of its organization", {}, {}, true],
    ["gets the types that it selects", { event_types: '["license.updated"]' }, {}, true],
    ["does not get types that it does not select", { event_types: '["license.revoked"]' }, {}, false],
    ["gets the events of products that it selects", { product_ids: '["product"]' }, ofProduct, true],
    ["does not get the events of other products", { product_ids: '["other"]' }, ofProduct, false],
    ["of a product does not get the events of no product", { product_ids: '["product"]' }, {}, false],
    ["that listens to all products gets the events of each", {}, ofProduct, true],
  ])("an endpoint %s", (_, settings, fields, isDelivered) => {
    const deliveries = deliveriesFor([{ ...event, ...fields }], [{ ...listener, ...settings }], 5);
    expect(deliveries).toHaveLength(isDelivered ? 1 : 0);
  });

  test("an endpoint gets its events immediately if it is enabled, and later if it was disabled for failing", () => {
    const failing = { ...listener, id: "failing", status: "disabled", disabled_reason: "failing" } as const;
    expect(deliveriesFor([event], [listener, failing], 5)).toMatchObject([
      { endpoint_id: "endpoint", state: "pending", next_attempt_at: 5, attempts: 0, created_at: 5 },
      { endpoint_id: "failing", state: "held", next_attempt_at: null, attempts: 0, created_at: 5 },
    ]);
  });

  test("an endpoint gets each event of its own organization once when those of several are distributed together", () => {
    const foreign = { organization_id: "another" };
    const events = [event, { ...event, id: "second" }, { ...event, id: "foreign", ...foreign }];
    const made = deliveriesFor(events, [listener, { ...listener, id: "theirs", ...foreign }], 5);
    expect(made.map((row) => [row.event_id, row.endpoint_id, row.organization_id])).toEqual([
      ["event", "endpoint", "seller"],
      ["second", "endpoint", "seller"],
      ["foreign", "theirs", "another"],
    ]);
  });
});

onDatabase("sqlite", "distributing events", (fixture) => {
  const distributeAll = async () => {
    const distributor = new Distributor(fixture.store);
    while ((await distributor.round()) > 0);
  };

  test("one organization's backlog does not delay another organization's event", async () => {
    await distributeAll();
    const [crowd, alone] = [await newEndpoint(fixture), await newEndpoint(fixture)];
    for (let more = 0; more < 4; more += 1)
      await newEndpoint(fixture, { organization_id: crowd.organizationId });
    await makeEvents(fixture.store, crowd.organizationId, 2_000);
    await makeEvents(fixture.store, alone.organizationId, 1);
    const distributed = await new Distributor(fixture.store).round();
    expect(await alone.deliveries()).toHaveLength(1);
    // Few enough that other writers do not wait for long.
    expect(distributed * 6).toBeLessThan(1_100);
    // Other tests need not distribute the rest.
    await fixture.write((db) =>
      db.deleteFrom("events").where("organization_id", "=", crowd.organizationId).execute(),
    );
  });

  test("more organizations than one round serves get their turn", async () => {
    await distributeAll();
    const endpoints = await Promise.all(Array.from({ length: 40 }, () => newEndpoint(fixture)));
    for (const { organizationId } of endpoints) await makeEvents(fixture.store, organizationId, 20);
    const distributor = new Distributor(fixture.store);
    for (const served of [32, 40]) {
      await distributor.round();
      const rows = await Promise.all(endpoints.map((one) => one.deliveries()));
      expect(rows.filter((deliveries) => deliveries.length > 0)).toHaveLength(served);
    }
    await distributeAll();
  });

  test("an event of the hot path is stored with its license, unless the license was deleted", async () => {
    const { organizationId, productId, license } = await fixture.organization();
    const { id: licenseId, key } = await license();
    const happen = (license_id: string) =>
      makeEvents(fixture.store, organizationId, 1, {
        type: "license.ip_limit_reached",
        product_id: productId,
        license_id,
        data: JSON.stringify({ license_id, ip: "192.0.2.7" }),
        undistributed: distribution.waitingWithoutLicense,
      });
    const ids = [...(await happen(licenseId)), ...(await happen(newId()))];
    await distributeAll();
    const stored = await fixture.rows("events", { id: ids });
    expect(stored.map((row) => row.undistributed)).toEqual([null, null]);
    const [complete, short] = stored.map((row) => JSON.parse(row.data));
    const stated = { id: licenseId, license_key: key, product_name: "Test Product" };
    expect(complete).toMatchObject({ ip: "192.0.2.7", license: stated });
    expect(Object.keys(short)).toEqual(["license_id", "ip"]);
  });
});

onDatabase("sqlite", "the periodic jobs of webhooks", (fixture) => {
  const many = 450;
  const manyOf = (settings: Partial<DeliveryRow>) => Array.from({ length: many }, () => settings);
  const aborting = () => new AbortController().signal;
  const storedEvents = async (deliveries: readonly DeliveryRow[]) =>
    (await fixture.rows("events", { id: deliveries.map((row) => row.event_id) })).length;

  test("events, deliveries and attempts are pruned after 30 days, except what is still pending", async () => {
    const endpoint = await newEndpoint(fixture);
    const daysAgo = (days: number) => ({ created_at: Date.now() - days * dayMs });
    const old = await makeDeliveries(endpoint, manyOf(daysAgo(31)));
    const waiting = { ...daysAgo(31), state: "pending", next_attempt_at: Date.now() + dayMs } as const;
    const kept = await makeDeliveries(endpoint, [daysAgo(29), { ...daysAgo(29), state: "held" }, waiting]);
    const attempted = [...old, ...kept.slice(0, 2)];
    const attempts = attempted.map((row) => ({ at: row.created_at, delivery_id: row.id }));
    await makeAttempts(endpoint, attempts);
    await deliveryPruning(fixture.store).run(aborting());
    expect(idsOf(await endpoint.deliveries()).toSorted()).toEqual(idsOf(kept).toSorted());
    expect(await endpoint.attempts()).toHaveLength(2);
    expect([await storedEvents(old), await storedEvents(kept)]).toEqual([0, 3]);
  });

  test("all deliveries follow an endpoint that was disabled, enabled or deleted, however many there are", async () => {
    const endpoint = await newEndpoint(fixture);
    const change = (changes: Partial<WebhookEndpointRow>) =>
      fixture.write((db) => updateEndpoint(db, endpoint.endpointId, changes));
    await makeDeliveries(endpoint, manyOf({ state: "pending", next_attempt_at: Date.now() + dayMs }));
    for (const status of ["disabled", "enabled"] as const) {
      await change({ status });
      await deliverySync(fixture.store).run(aborting());
      expect(await endpoint.states()).toEqual(Array(many).fill(status === "disabled" ? "held" : "pending"));
    }
    await change({ deleted_at: 1 });
    // A run removes some endpoints, and other tests have deleted some, too.
    while ((await deletedEndpoints(fixture.reads)).length > 0)
      await deletedEndpointRemoval(fixture.store).run(aborting());
    expect(await endpoint.states()).toEqual([]);
  });
});
