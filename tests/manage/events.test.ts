import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eventData } from "@countersign/contract/events";
import type { EventType } from "@countersign/domain/events/types";
import { quotaDay } from "@countersign/domain/quota/day";
import { setDailyUsage } from "@countersign/store/queries/products/daily-usage";
import { on } from "../support/databases.ts";
import { importFile } from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(on("postgres"))("events of the management API on $kind", ({ make }) => {
  let fixture: ManageFixture;

  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const createLicense = async (fields: object = {}) => {
    const { body, status } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "ada@example.com",
      ...fields,
    });
    expect(status).toBe(201);
    return body;
  };

  /** The events of a license, oldest first, each checked against its schema. */
  const eventsOf = async (licenseId: string) => {
    const rows = await fixture.store.reads
      .selectFrom("events")
      .selectAll()
      .where("license_id", "=", licenseId)
      .orderBy("id")
      .execute();
    return rows.map((row) => {
      const data = JSON.parse(row.data);
      expect(eventData(row.type).safeParse(data).error?.message).toBeUndefined();
      expect(data).toMatchObject({
        organization_id: fixture.organizationId,
        product_id: fixture.productId,
        license_id: licenseId,
      });
      expect(row).toMatchObject({ organization_id: fixture.organizationId, product_id: fixture.productId });
      return { type: row.type as EventType, data };
    });
  };
  const typesOf = async (licenseId: string) => (await eventsOf(licenseId)).map(({ type }) => type);

  test("creating a license records all its fields", async () => {
    const license = await createLicense({ notes: "n", tags: ["a"], metadata: { order: 7 } });
    expect(await eventsOf(license.id)).toMatchObject([{ type: "license.created", data: { license } }]);
  });

  test("creating many licenses records one event for each", async () => {
    const { body } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "grace@example.com",
      count: 120,
    });
    const ids = body.data.map(({ id }: { id: string }) => id);
    const rows = await fixture.store.reads
      .selectFrom("events")
      .select("license_id")
      .where("license_id", "in", ids)
      .execute();
    expect(rows.map((row) => row.license_id).sort()).toEqual(ids.sort());
  });

  test("an update records the changed fields and their previous values; one without changes records nothing", async () => {
    const license = await createLicense({ notes: "old", max_ips: 2 });
    const change = { notes: "new", max_ips: 2 };
    await fixture.owner.api.patch(`/licenses/${license.id}`, change);
    await fixture.owner.api.patch(`/licenses/${license.id}`, change);
    await fixture.owner.api.patch(`/licenses/${license.id}`, {});
    const [, updated, ...more] = await eventsOf(license.id);
    expect(more).toEqual([]);
    expect(updated).toMatchObject({
      type: "license.updated",
      data: { changed: ["notes"], previous: { notes: "old" }, license: { notes: "new" } },
    });
  });

  test("rotating a key is recorded as a change of the key", async () => {
    const license = await createLicense();
    await fixture.owner.api.post(`/licenses/${license.id}/rotate-key`, {});
    const [, rotated] = await eventsOf(license.id);
    expect(rotated).toMatchObject({
      type: "license.updated",
      data: { changed: ["license_key"], previous: { license_key: license.license_key } },
    });
  });

  test("revoking, reinstating, renewing and deleting are recorded once each, even if repeated", async () => {
    const license = await createLicense({ expires_at: "2040-01-01T00:00:00Z" });
    const path = `/licenses/${license.id}`;
    for (const _ of [1, 2]) await fixture.owner.api.post(`${path}/revoke`, { reason: "refund" });
    for (const _ of [1, 2]) await fixture.owner.api.post(`${path}/reinstate`, {});
    for (const _ of [1, 2])
      await fixture.owner.api.post(`${path}/renew`, { expires_at: "2041-01-01T00:00:00Z" });
    for (const _ of [1, 2]) await fixture.owner.api.delete(path);
    const recorded = await eventsOf(license.id);
    expect(recorded).toMatchObject([
      { type: "license.created" },
      { type: "license.revoked", data: { reason: "refund", license: { status: "revoked" } } },
      { type: "license.reinstated", data: { license: { status: "active" } } },
      { type: "license.renewed", data: { previous: { expires_at: "2040-01-01T00:00:00.000Z" } } },
      { type: "license.deleted", data: { license: { id: license.id } } },
    ]);
    expect(recorded.length).toBe(5);
  });

  test("registering, removing and resetting IP addresses by API are recorded", async () => {
    const license = await createLicense({ max_ips: 3 });
    const path = `/licenses/${license.id}`;
    for (const ip of ["198.51.100.1", "198.51.100.1", "198.51.100.2"])
      await fixture.owner.api.post(`${path}/ips`, { ip });
    await fixture.owner.api.delete(`${path}/ips/198.51.100.1`);
    for (const _ of [1, 2]) await fixture.owner.api.post(`${path}/reset-ips`, {});
    expect((await eventsOf(license.id)).slice(1)).toMatchObject([
      {
        type: "license.ip_registered",
        data: { ip: "198.51.100.1", license: { current_unique_ip_count: 1 } },
      },
      { type: "license.ip_registered", data: { ip: "198.51.100.2" } },
      { type: "license.ip_removed", data: { ip: "198.51.100.1", license: { current_unique_ip_count: 1 } } },
      { type: "license.ips_reset", data: { count: 1, license: { current_unique_ip_count: 0 } } },
    ]);
  });

  test("setting an expiry in the past records an update and an expiry, each time", async () => {
    const license = await createLicense({ expires_at: "2040-01-01T00:00:00Z" });
    const path = `/licenses/${license.id}`;
    await fixture.owner.api.patch(path, { expires_at: "2020-01-01T00:00:00Z" });
    await fixture.owner.api.patch(path, { expires_at: "2040-01-01T00:00:00Z" });
    await fixture.owner.api.patch(path, { expires_at: "2021-01-01T00:00:00Z" });
    expect(await typesOf(license.id)).toEqual([
      "license.created",
      "license.updated",
      "license.expired",
      "license.updated",
      "license.updated",
      "license.expired",
    ]);
  });

  test("a bulk revoke is recorded as one event, and is in each license's history and audit log", async () => {
    const [one, two] = [await createLicense(), await createLicense()];
    const gone = await createLicense();
    await fixture.owner.api.post(`/licenses/${gone.id}/revoke`, {});
    const events = fixture.store.reads
      .selectFrom("events")
      .selectAll()
      .where("organization_id", "=", fixture.organizationId)
      .orderBy("id");
    const before = await events.execute();
    const organization = `/organizations/${fixture.organizationId}`;
    const { body } = await fixture.owner.api.post(`${organization}/licenses/bulk`, {
      action: "revoke",
      reason: "fraud",
      selection: { ids: [one.id, two.id, gone.id] },
    });
    expect(body).toMatchObject({ matched: 3, changed: 2 });
    const recorded = (await events.execute()).slice(before.length);
    const ids = [one.id, two.id].sort();
    expect(recorded.map(({ type, license_id: id }) => [type, id])).toEqual([
      ["license.bulk_revoked", null],
      ["license.revoked", ids[0]],
      ["license.revoked", ids[1]],
    ]);
    const data = JSON.parse(recorded[0]?.data ?? "");
    expect(eventData("license.bulk_revoked").safeParse(data).error?.message).toBeUndefined();
    expect(data).toEqual({
      organization_id: fixture.organizationId,
      product_id: fixture.productId,
      license_ids: ids,
      count: 2,
      reason: "fraud",
    });
    for (const id of ids) {
      const { body: history } = await fixture.owner.api.get(`/licenses/${id}/events`);
      expect(history.data[0]).toMatchObject({ type: "license.revoked", data: { reason: "fraud" } });
      const log = await fixture.owner.api.get(`${organization}/audit-log?subject_id=${id}`);
      expect(log.body.data[0]).toMatchObject({ action: "license.revoked" });
    }
  });

  test("other bulk actions record an event for each license that they change", async () => {
    const [one, two] = [await createLicense({ max_ips: 4 }), await createLicense({ max_ips: 5 })];
    await fixture.owner.api.post(`/organizations/${fixture.organizationId}/licenses/bulk`, {
      action: "set_max_ips",
      max_ips: 5,
      selection: { ids: [one.id, two.id] },
    });
    expect(await typesOf(one.id)).toEqual(["license.created", "license.updated"]);
    expect(await typesOf(two.id)).toEqual(["license.created"]);
  });

  test("renaming a customer records nothing, and moving their licenses to another customer does", async () => {
    const email = `${newId()}@example.com`;
    const license = await createLicense({ customer_email: email });
    const path = `/organizations/${fixture.organizationId}/customers/${license.global_customer_id}`;
    await fixture.owner.api.patch(path, { name: "Other" });
    expect(await typesOf(license.id)).toEqual(["license.created"]);
    await fixture.owner.api.patch(path, { email: `new-${email}` });
    const [, moved] = await eventsOf(license.id);
    expect(moved).toMatchObject({ type: "license.updated", data: { previous: { customer_email: email } } });
    expect(moved?.data.changed).toContain("global_customer_id");
  });

  test("an import records no events unless requested", async () => {
    const csv = (key: string, notes: string) =>
      `license_key,customer_email,notes\n${key},i@example.com,${notes}\n`;
    const key = `IMPORT-${newId()}`;
    const idOf = async (which: string) =>
      (
        await fixture.store.reads
          .selectFrom("licenses")
          .select("id")
          .where("license_key", "=", which)
          .executeTakeFirstOrThrow()
      ).id;
    await importFile(fixture, csv(key, "a"), "");
    const id = await idOf(key);
    expect(await typesOf(id)).toEqual([]);
    await importFile(fixture, csv(key, "b"), "?on_existing=update&send_events=true");
    expect(await eventsOf(id)).toMatchObject([{ type: "license.updated", data: { changed: ["notes"] } }]);
    const other = `IMPORT-${newId()}`;
    const job = await importFile(fixture, csv(other, "c"), "?send_events=true");
    expect(job).toMatchObject({ send_events: true, created: 1 });
    expect(await typesOf(await idOf(other))).toEqual(["license.created"]);
  });

  test("refused requests record nothing", async () => {
    const license = await createLicense({ max_ips: 1 });
    const path = `/licenses/${license.id}`;
    await fixture.owner.api.post(`${path}/ips`, { ip: "198.51.100.1" });
    expect((await fixture.owner.api.post(`${path}/ips`, { ip: "198.51.100.2" })).status).toBe(409);
    expect((await fixture.owner.api.patch(path, { max_ips: 0 })).status).toBe(422);
    expect(await typesOf(license.id)).toEqual(["license.created", "license.ip_registered"]);
  });

  test("lowering the daily limit below the current usage records an event soon", async () => {
    const { store, productId } = fixture;
    const path = `/admin/organizations/${fixture.organizationId}`;
    const day = quotaDay(await store.clock());
    await fixture.admin.api.patch(path, { daily_limit_override: 100 });
    await store.transaction((db) => setDailyUsage(db, productId, day, 45));
    expect((await fixture.admin.api.patch(path, { daily_limit_override: 50 })).status).toBe(200);
    // It is checked a few seconds later, because batches of validations may be on their way.
    await store.transaction((db) =>
      db.updateTable("quota_checks").set({ check_at: 0 }).where("product_id", "=", productId).execute(),
    );
    const list = `/organizations/${fixture.organizationId}/events?type=quota.warning`;
    await until("it is recorded", async () => (await fixture.owner.api.get(list)).body.data.length > 0);
    expect((await fixture.owner.api.get(list)).body.data).toMatchObject([{ data: { limit: 50, used: 45 } }]);
  });
});
