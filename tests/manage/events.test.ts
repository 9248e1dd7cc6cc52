import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eventData } from "@countersign/contract/events";
import type { EventType } from "@countersign/domain/events/types";
import { databases } from "../support/databases.ts";
import { importFile } from "../support/license-files.ts";
import { type Office, openOffice } from "../support/office.ts";
import { newId } from "../support/seller.ts";

setDefaultTimeout(60_000);

describe.each(databases)("events of the management API on $kind", ({ make }) => {
  let office: Office;

  beforeAll(async () => {
    office = await openOffice(make);
  });
  afterAll(() => office.close());

  const made = async (fields: object = {}) => {
    const { body, status } = await office.owner.api.post(`/products/${office.productId}/licenses`, {
      customer_email: "ada@example.com",
      ...fields,
    });
    expect(status).toBe(201);
    return body;
  };

  /** What was told of a license, the oldest first, each as its type promises. */
  const toldOf = async (licenseId: string) => {
    const rows = await office.store.reads
      .selectFrom("events")
      .selectAll()
      .where("license_id", "=", licenseId)
      .orderBy("id")
      .execute();
    return rows.map((row) => {
      const data = JSON.parse(row.data);
      expect(eventData(row.type).safeParse(data).error?.message).toBeUndefined();
      expect(data).toMatchObject({
        organization_id: office.organizationId,
        product_id: office.productId,
        license_id: licenseId,
      });
      expect(row).toMatchObject({ organization_id: office.organizationId, product_id: office.productId });
      return { type: row.type as EventType, data };
    });
  };
  const typesOf = async (licenseId: string) => (await toldOf(licenseId)).map(({ type }) => type);

  test("a license that is made is told with everything that the API shows of it", async () => {
    const license = await made({ notes: "n", tags: ["a"], metadata: { order: 7 } });
    expect(await toldOf(license.id)).toMatchObject([{ type: "license.created", data: { license } }]);
  });

  test("many that are made are told one by one", async () => {
    const { body } = await office.owner.api.post(`/products/${office.productId}/licenses`, {
      customer_email: "grace@example.com",
      count: 120,
    });
    const ids = body.data.map(({ id }: { id: string }) => id);
    const rows = await office.store.reads
      .selectFrom("events")
      .select("license_id")
      .where("license_id", "in", ids)
      .execute();
    expect(rows.map((row) => row.license_id).sort()).toEqual(ids.sort());
  });

  test("a change tells which fields it changed and what they were; one that changes nothing tells nothing", async () => {
    const license = await made({ notes: "old", max_ips: 2 });
    const change = { notes: "new", max_ips: 2 };
    await office.owner.api.patch(`/licenses/${license.id}`, change);
    await office.owner.api.patch(`/licenses/${license.id}`, change);
    await office.owner.api.patch(`/licenses/${license.id}`, {});
    const [, updated, ...more] = await toldOf(license.id);
    expect(more).toEqual([]);
    expect(updated).toMatchObject({
      type: "license.updated",
      data: { changed: ["notes"], previous: { notes: "old" }, license: { notes: "new" } },
    });
  });

  test("an exchanged key is told as a change of the key", async () => {
    const license = await made();
    await office.owner.api.post(`/licenses/${license.id}/rotate-key`, {});
    const [, rotated] = await toldOf(license.id);
    expect(rotated).toMatchObject({
      type: "license.updated",
      data: { changed: ["license_key"], previous: { license_key: license.license_key } },
    });
  });

  test("revoking, reinstating, renewing and deleting are told once each, however often they are asked for", async () => {
    const license = await made({ expires_at: "2040-01-01T00:00:00Z" });
    const path = `/licenses/${license.id}`;
    for (const _ of [1, 2]) await office.owner.api.post(`${path}/revoke`, { reason: "refund" });
    for (const _ of [1, 2]) await office.owner.api.post(`${path}/reinstate`, {});
    for (const _ of [1, 2])
      await office.owner.api.post(`${path}/renew`, { expires_at: "2041-01-01T00:00:00Z" });
    for (const _ of [1, 2]) await office.owner.api.delete(path);
    const told = await toldOf(license.id);
    expect(told).toMatchObject([
      { type: "license.created" },
      { type: "license.revoked", data: { reason: "refund", license: { status: "revoked" } } },
      { type: "license.reinstated", data: { license: { status: "active" } } },
      { type: "license.renewed", data: { previous: { expires_at: "2040-01-01T00:00:00.000Z" } } },
      { type: "license.deleted", data: { license: { id: license.id } } },
    ]);
    expect(told.length).toBe(5);
  });

  test("addresses that are registered, removed and reset by hand are told", async () => {
    const license = await made({ max_ips: 3 });
    const path = `/licenses/${license.id}`;
    for (const ip of ["198.51.100.1", "198.51.100.1", "198.51.100.2"])
      await office.owner.api.post(`${path}/ips`, { ip });
    await office.owner.api.delete(`${path}/ips/198.51.100.1`);
    for (const _ of [1, 2]) await office.owner.api.post(`${path}/reset-ips`, {});
    expect((await toldOf(license.id)).slice(1)).toMatchObject([
      {
        type: "license.ip_registered",
        data: { ip: "198.51.100.1", license: { current_unique_ip_count: 1 } },
      },
      { type: "license.ip_registered", data: { ip: "198.51.100.2" } },
      { type: "license.ip_removed", data: { ip: "198.51.100.1", license: { current_unique_ip_count: 1 } } },
      { type: "license.ips_reset", data: { count: 1, license: { current_unique_ip_count: 0 } } },
    ]);
  });

  test("an expiry that is set into the past is told as a change and as an expiry, and again when it is another", async () => {
    const license = await made({ expires_at: "2040-01-01T00:00:00Z" });
    const path = `/licenses/${license.id}`;
    await office.owner.api.patch(path, { expires_at: "2020-01-01T00:00:00Z" });
    await office.owner.api.patch(path, { expires_at: "2040-01-01T00:00:00Z" });
    await office.owner.api.patch(path, { expires_at: "2021-01-01T00:00:00Z" });
    expect(await typesOf(license.id)).toEqual([
      "license.created",
      "license.updated",
      "license.expired",
      "license.updated",
      "license.updated",
      "license.expired",
    ]);
  });

  test("a bulk revoke sends one event for each product of a lot, and is in the history of each license", async () => {
    const [one, two] = [await made(), await made()];
    const gone = await made();
    await office.owner.api.post(`/licenses/${gone.id}/revoke`, {});
    const before = await office.store.reads.selectFrom("events").select("id").execute();
    const { body } = await office.owner.api.post(`/organizations/${office.organizationId}/licenses/bulk`, {
      action: "revoke",
      reason: "fraud",
      selection: { ids: [one.id, two.id, gone.id] },
    });
    expect(body).toMatchObject({ matched: 3, changed: 2 });
    const after = await office.store.reads.selectFrom("events").selectAll().orderBy("id").execute();
    const told = after.slice(before.length);
    const [first, second] = [one.id, two.id].sort();
    expect(told.map(({ type, license_id }) => [type, license_id])).toEqual([
      ["license.bulk_revoked", null],
      ["license.revoked", first],
      ["license.revoked", second],
    ]);
    for (const { id } of [one, two]) {
      const { body: history } = await office.owner.api.get(`/licenses/${id}/events`);
      expect(history.data[0]).toMatchObject({ type: "license.revoked", data: { reason: "fraud" } });
    }
    const log = await office.owner.api.get(
      `/organizations/${office.organizationId}/audit-log?subject_id=${one.id}`,
    );
    expect(log.body.data[0]).toMatchObject({ action: "license.revoked" });
    const data = JSON.parse(told[0]?.data ?? "");
    expect(eventData("license.bulk_revoked").safeParse(data).error?.message).toBeUndefined();
    expect(data).toEqual({
      organization_id: office.organizationId,
      product_id: office.productId,
      license_ids: [one.id, two.id].sort(),
      count: 2,
      reason: "fraud",
    });
  });

  test("other bulk actions tell of each license that they change", async () => {
    const [one, two] = [await made({ max_ips: 4 }), await made({ max_ips: 5 })];
    await office.owner.api.post(`/organizations/${office.organizationId}/licenses/bulk`, {
      action: "set_max_ips",
      max_ips: 5,
      selection: { ids: [one.id, two.id] },
    });
    expect(await typesOf(one.id)).toEqual(["license.created", "license.updated"]);
    expect(await typesOf(two.id)).toEqual(["license.created"]);
  });

  test("a customer's other name tells nothing, and licenses that go to somebody else are told", async () => {
    const email = `${newId()}@example.com`;
    const license = await made({ customer_email: email });
    const path = `/organizations/${office.organizationId}/customers/${license.global_customer_id}`;
    await office.owner.api.patch(path, { name: "Other" });
    expect(await typesOf(license.id)).toEqual(["license.created"]);
    await office.owner.api.patch(path, { email: `new-${email}` });
    const [, moved] = await toldOf(license.id);
    expect(moved).toMatchObject({ type: "license.updated", data: { previous: { customer_email: email } } });
    expect(moved?.data.changed).toContain("global_customer_id");
  });

  test("an import tells nothing, unless it is asked to", async () => {
    const csv = (key: string, notes: string) =>
      `license_key,customer_email,notes\n${key},i@example.com,${notes}\n`;
    const key = `IMPORT-${newId()}`;
    const idOf = async (which: string) =>
      (
        await office.store.reads
          .selectFrom("licenses")
          .select("id")
          .where("license_key", "=", which)
          .executeTakeFirstOrThrow()
      ).id;
    await importFile(office, csv(key, "a"), "");
    const id = await idOf(key);
    expect(await typesOf(id)).toEqual([]);
    await importFile(office, csv(key, "b"), "?on_existing=update&tell_events=true");
    expect(await toldOf(id)).toMatchObject([{ type: "license.updated", data: { changed: ["notes"] } }]);
    const other = `IMPORT-${newId()}`;
    const job = await importFile(office, csv(other, "c"), "?tell_events=true");
    expect(job).toMatchObject({ tell_events: true, created: 1 });
    expect(await typesOf(await idOf(other))).toEqual(["license.created"]);
  });

  test("what is refused tells nothing", async () => {
    const license = await made({ max_ips: 1 });
    const path = `/licenses/${license.id}`;
    await office.owner.api.post(`${path}/ips`, { ip: "198.51.100.1" });
    expect((await office.owner.api.post(`${path}/ips`, { ip: "198.51.100.2" })).status).toBe(409);
    expect((await office.owner.api.patch(path, { max_ips: 0 })).status).toBe(422);
    expect(await typesOf(license.id)).toEqual(["license.created", "license.ip_registered"]);
  });
});
