import { expect, test } from "bun:test";
import { eventBody } from "@countersign/contract/events/events";
import { quotaDay } from "@countersign/domain/quota/day";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import { auditOf } from "../support/audit-of.ts";
import { importFile } from "../support/license-files.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const [early, late] = ["2040-01-01T00:00:00.000Z", "2041-01-01T00:00:00.000Z"];
const json = { "content-type": "application/json" };
const changed = (names: string[], previous: object) => {
  return { type: "license.updated", data: { changed: names, previous } };
};

type Act = [method: "PATCH" | "POST" | "DELETE", below: string, body: object];
const patch = (body: object): Act => ["PATCH", "", body];
const post = (below: string, body: object = {}): Act => ["POST", below, body];
const twice = (act: Act) => [act, act];

/** What is done to a license, some of it twice, and the events that follow its creation. */
const stories: readonly [what: string, fields: object, acts: readonly Act[], events: readonly object[]][] = [
  [
    "an update records the changed fields and their previous values, and nothing if it changes none",
    { notes: "old", max_ips: 2 },
    [patch({ notes: "new", max_ips: 2 }), patch({ notes: "new" }), patch({})],
    [changed(["notes"], { notes: "old" })],
  ],
  [
    "revoking, reinstating, renewing and deleting are recorded once each",
    { expires_at: early },
    [
      ...twice(post("/revoke", { reason: "refund" })),
      ...twice(post("/reinstate")),
      ...twice(post("/renew", { expires_at: late })),
      ...twice(["DELETE", "", {}]),
    ],
    [
      { type: "license.revoked", data: { reason: "refund", license: { status: "revoked" } } },
      { type: "license.reinstated", data: { license: { status: "active" } } },
      { type: "license.renewed", data: { previous: { expires_at: early } } },
      { type: "license.deleted", data: { license: { expires_at: late } } },
    ],
  ],
  [
    "registering, removing and resetting IP addresses are recorded, and a refused one is not",
    { max_ips: 2 },
    [
      ...[1, 1, 2, 3].map((last) => post("/ips", { ip: `198.51.100.${last}` })),
      ["DELETE", "/ips/198.51.100.1", {}],
      ...twice(post("/reset-ips")),
    ],
    [
      {
        type: "license.ip_registered",
        data: { ip: "198.51.100.1", license: { current_unique_ip_count: 1 } },
      },
      { type: "license.ip_registered", data: { ip: "198.51.100.2" } },
      { type: "license.ip_removed", data: { ip: "198.51.100.1", license: { current_unique_ip_count: 1 } } },
      { type: "license.ips_reset", data: { count: 1, license: { current_unique_ip_count: 0 } } },
    ],
  ],
  [
    "an expiry in the past records an update and an expiry, each time",
    { expires_at: early },
    ["2020-01-01T00:00:00Z", early, "2021-01-01T00:00:00Z"].map((expires_at) => patch({ expires_at })),
    ["updated", "expired", "updated", "updated", "expired"].map((type) => ({ type: `license.${type}` })),
  ],
  ["an invalid change records nothing", {}, [patch({ max_ips: 0 })], []],
];

testsOn("postgres", "events of the management API", openManageFixture, (fixture) => {
  const createLicense = async (fields: object = {}) => {
    const license = { customer_email: "ada@example.com", ...fields };
    const { body, status } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, license);
    expect(status).toBe(201);
    return body;
  };
  const bulk = (body: object) =>
    fixture.owner.api.post(`/organizations/${fixture.organizationId}/licenses/bulk`, body);
  /** The events of a license, oldest first, each checked against its schema. */
  const eventsOf = async (licenseId: string) => {
    const { organizationId: organization_id, productId: product_id } = fixture;
    const rows = await fixture.stored("events", { license_id: licenseId });
    return rows.map((row) => {
      const data = JSON.parse(row.data);
      expect(eventBody(row.type).shape.data.safeParse(data).error?.message).toBeUndefined();
      expect(data).toMatchObject({ organization_id, product_id, license_id: licenseId });
      expect(row).toMatchObject({ organization_id, product_id });
      return { type: row.type, data };
    });
  };
  const typesOf = async (licenseId: string) => (await eventsOf(licenseId)).map(({ type }) => type);

  test("creating a license records all its fields, and creating many records one event for each", async () => {
    const license = await createLicense({ notes: "n", tags: ["a"], metadata: { order: 7 } });
    expect(await eventsOf(license.id)).toMatchObject([{ type: "license.created", data: { license } }]);
    const { data } = await createLicense({ count: 120 });
    const ids: string[] = data.map(({ id }: { id: string }) => id);
    const rows = await fixture.stored("events", { license_id: ids });
    expect(rows.map((row) => row.license_id ?? "").sort()).toEqual(ids.sort());
  });

  test.each(stories)("%s", async (_, fields, acts, events) => {
    const { id } = await createLicense(fields);
    for (const [method, below, body] of acts)
      await fixture.owner.api.send(method, `/licenses/${id}${below}`, JSON.stringify(body), json);
    const [created, ...recorded] = await eventsOf(id);
    expect(created?.type).toBe("license.created");
    expect(recorded).toMatchObject([...events]);
  });

  test("rotating a key is recorded as a change of the key", async () => {
    const { id, license_key } = await createLicense();
    await fixture.owner.api.post(`/licenses/${id}/rotate-key`, {});
    expect((await eventsOf(id))[1]).toMatchObject(changed(["license_key"], { license_key }));
  });

  test("a bulk revoke is recorded as one event, and is in each license's history and audit log", async () => {
    const { api } = fixture.owner;
    const { organizationId: organization_id, productId: product_id } = fixture;
    const licenses = [await createLicense(), await createLicense(), await createLicense()];
    const ids = licenses.map(({ id }): string => id);
    await api.post(`/licenses/${ids[2]}/revoke`, {});
    const ours = () => fixture.stored("events", { organization_id });
    const before = await ours();
    const { body } = await bulk({ action: "revoke", reason: "fraud", selection: { ids } });
    expect(body).toMatchObject({ matched: 3, changed: 2 });
    const [bulkEvent, ...each] = (await ours()).slice(before.length);
    const license_ids = ids.slice(0, 2).sort();
    expect(bulkEvent).toMatchObject({ type: "license.bulk_revoked", license_id: null });
    expect(each).toMatchObject(license_ids.map((license_id) => ({ type: "license.revoked", license_id })));
    const data = JSON.parse(bulkEvent?.data ?? "");
    expect(eventBody("license.bulk_revoked").shape.data.safeParse(data).error?.message).toBeUndefined();
    expect(data).toEqual({ organization_id, product_id, license_ids, count: 2, reason: "fraud" });
    for (const id of license_ids) {
      const history = await api.get(`/licenses/${id}/events`);
      expect(history.body.data[0]).toMatchObject({ type: "license.revoked", data: { reason: "fraud" } });
      expect((await auditOf(fixture, id)).at(-1)?.action).toBe("license.revoked");
    }
  });

  test("other bulk actions record an event for each license that they change", async () => {
    const [one, two] = [await createLicense({ max_ips: 4 }), await createLicense({ max_ips: 5 })];
    await bulk({ action: "set_max_ips", max_ips: 5, selection: { ids: [one.id, two.id] } });
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
    const importKey = (key: string, notes: string, query: string) =>
      importFile(fixture, `license_key,customer_email,notes\n${key},i@example.com,${notes}\n`, query);
    const eventsOfKey = async (license_key: string) => {
      const [license] = await fixture.stored("licenses", { license_key });
      return eventsOf(license?.id ?? "");
    };
    const [key, other] = [`IMPORT-${newId()}`, `IMPORT-${newId()}`];
    await importKey(key, "a", "");
    expect(await eventsOfKey(key)).toEqual([]);
    await importKey(key, "b", "?on_existing=update&send_events=true");
    expect(await eventsOfKey(key)).toMatchObject([{ type: "license.updated", data: { changed: ["notes"] } }]);
    const job = await importKey(other, "c", "?send_events=true");
    expect(job).toMatchObject({ send_events: true, created: 1 });
    expect(await eventsOfKey(other)).toMatchObject([{ type: "license.created" }]);
  });

  test("lowering the daily limit below the current usage records an event soon", async () => {
    const { store, productId, organizationId } = fixture;
    const limit = (daily_limit_override: number) =>
      fixture.admin.api.patch(`/admin/organizations/${organizationId}`, { daily_limit_override });
    const day = quotaDay(await store.clock());
    await limit(100);
    await store.transaction((db) => setDailyUsage(db, productId, day, 45));
    await limit(50);
    // It is checked a few seconds later, because batches of validations may be on their way.
    await fixture.change("quota_checks", { product_id: productId }, { check_at: 0 });
    const list = `/organizations/${organizationId}/events?type=quota.warning`;
    const warnings = async () => (await fixture.owner.api.get(list)).body.data;
    await until("it is recorded", async () => (await warnings()).length > 0);
    expect(await warnings()).toMatchObject([{ data: { limit: 50, used: 45 } }]);
  });
});
