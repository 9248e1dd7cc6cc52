import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { RequestLogRow } from "@countersign/store/tables";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { openTestJournal, type TestJournal } from "../support/journal.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { journalEntry } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Which requests are replayed: packages/store/queries/shadow; what a change refuses: packages/domain/shadow. */
describe.each(on("postgres"))("shadow rules on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let journal: TestJournal;
  /** Far enough in the past that no clock matters. */
  const nowMs = Date.now() - hourMs;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    journal = await openTestJournal(fixture.database.location);
    await fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ plan: "enterprise", had_version_module: 1 })
        .where("id", "=", fixture.organizationId)
        .execute(),
    );
  });
  afterAll(async () => {
    await journal.close();
    await fixture.close();
  });

  /** Each test has its own product, as requests are counted by product. */
  const newProduct = async (settings: object = {}) => {
    const path = `/organizations/${fixture.organizationId}/products`;
    const { body } = await fixture.owner.api.post(path, { name: `Product ${newId()}`, ...settings });
    return { productId: String(body.id), apiKey: String(body.api_key) };
  };
  const licenseOf = (productId: string, settings: Parameters<typeof addLicense>[1] = {}) =>
    addLicense(
      { ...fixture, productId },
      { maxIps: 5, customer: { email: `${newId()}@example.com`, name: "Carla" }, ...settings },
    );
  const log = (productId: string, rows: (Partial<RequestLogRow> & { license: AddedLicense })[]) =>
    journal.journal.append(
      rows.map(({ license, ...row }) =>
        journalEntry({
          ...{ organization_id: fixture.organizationId, product_id: productId, license_id: license.id },
          ...row,
        }),
      ),
    );
  const register = (license: AddedLicense, ip: string, atMs: number) =>
    fixture.store.transaction((db) => registerIp(db, license.id, ip, atMs));
  const shadow = async (productId: string, change: object, days = 30) => {
    const { status, body } = await fixture.owner.api.post(`/products/${productId}/shadow`, { change, days });
    expect([status, body.code]).toEqual([200, undefined]);
    return body;
  };

  test("a lower limit: slots registered before stay, others go to the first to come", async () => {
    const { productId } = await newProduct();
    const [some, unlimited] = [await licenseOf(productId), await licenseOf(productId, { maxIps: null })];
    await register(some, "192.0.2.1", nowMs - 20 * dayMs);
    await register(some, "192.0.2.3", nowMs - 1 * dayMs);
    await log(productId, [
      { license: some, ip: "192.0.2.1", at: nowMs - 5 * dayMs, version: "1.0" },
      { license: some, ip: "192.0.2.3", at: nowMs - 1 * dayMs, version: "1.0" },
      { license: some, ip: "192.0.2.3", at: nowMs - 1_000, version: "1.1", device_id: "desk" },
      { license: some, ip: "192.0.2.2", at: nowMs - 2 * dayMs },
      ...["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((ip) => ({ license: unlimited, ip, at: nowMs - 7_000 })),
    ]);
    const refusedBy = async (max_ips: number, days: number) =>
      (await shadow(productId, { type: "max_ips", max_ips }, days)).refused.requests;
    const answer = await shadow(productId, { type: "max_ips", max_ips: 2 }, 14);
    expect(answer).toMatchObject({
      ...{ complete: true, ineffective: null, requests: 7, licenses: 2, more: false },
      refused: { requests: 2, licenses: 1, customers: 1 },
    });
    expect(answer.data).toEqual([
      {
        license_id: some.id,
        license_key: `${some.key.slice(0, 4)}…`,
        global_customer_id: some.customerId,
        customer_email: expect.stringContaining("@example.com"),
        customer_name: "Carla",
        status: "ip_limit_reached",
        requests: 2,
        last_at: new Date(nowMs - 1_000).toISOString(),
        ip: "192.0.2.3",
        version: "1.1",
        device_ids: ["desk"],
        ip_count: 1,
      },
    ]);
    // Within a day, both IP addresses had been registered before.
    expect(await refusedBy(2, 1)).toBe(0);
    expect(await refusedBy(1, 14)).toBe(3);
    expect(await refusedBy(5, 14)).toBe(0);
  });

  test("without automatic registration, a real first request would have been refused", async () => {
    const { productId, apiKey } = await newProduct();
    const [known, fresh] = [await licenseOf(productId), await licenseOf(productId)];
    await register(known, "127.0.0.1", nowMs - 100 * dayMs);
    const { validate } = apiOf(fixture.server.url, apiKey);
    for (const license of [known, fresh, fresh])
      expect((await validate({ license_key: license.key })).body.status).toBe("active");
    const change = { type: "registration", registration: "off" };
    await until("the requests are logged", async () => (await shadow(productId, change)).requests === 3);
    const answer = await shadow(productId, change);
    expect(answer.refused).toEqual({ requests: 2, licenses: 1, customers: 1 });
    expect(answer.data).toMatchObject([
      { license_id: fresh.id, status: "ip_not_registered", requests: 2, ip: "127.0.0.1" },
    ]);
  });

  test("a blocked network and a blocked version list the licenses with most refused requests first", async () => {
    const { productId } = await newProduct({ version_module_enabled: true });
    const allowed = ["1.x", "1.5.0"].map((version) => ({ version, state: "allowed" }));
    await fixture.owner.api.put(`/products/${productId}/versions`, { versions: allowed });
    const customer = { email: "twice@example.com" };
    const first = await licenseOf(productId, { customer });
    const second = await licenseOf(productId);
    const third = await licenseOf(productId, { customer });
    await log(productId, [
      { license: first, ip: "203.0.113.7", version: "1.4", at: nowMs - 9 * dayMs },
      { license: first, ip: "203.0.113.8", version: "1.5", at: nowMs - 8 * dayMs },
      { license: second, ip: "198.51.100.1", version: "1.5.0", at: nowMs - 7_000 },
      { license: third, ip: "203.0.113.9", version: "1.4", at: nowMs - 5_000 },
      { license: third, ip: "2001:db8:1:2::/64", version: null, at: nowMs - 4_000 },
    ]);
    const blocked = await shadow(productId, { type: "block_ip", cidr: "203.0.113.77/24" });
    expect(blocked.refused).toEqual({ requests: 3, licenses: 2, customers: 1 });
    expect(blocked.data).toMatchObject([
      { license_id: first.id, status: "ip_blocked", requests: 2, ip: "203.0.113.8", ip_count: 2 },
      { license_id: third.id, requests: 1 },
    ]);
    expect((await shadow(productId, { type: "block_ip", cidr: "2001:db8::/32" })).refused.requests).toBe(1);
    const line = await shadow(productId, { type: "block_version", version: "1.x" });
    expect(line.refused).toEqual({ requests: 2, licenses: 2, customers: 1 });
    expect(line.data).toMatchObject([
      { license_id: third.id, status: "version_not_allowed", version: "1.4" },
      { license_id: first.id, version: "1.4" },
    ]);
    expect((await shadow(productId, { type: "block_version", version: "1.5" }, 1)).refused.requests).toBe(1);
  });

  test("says why a change has no effect", async () => {
    const { productId } = await newProduct({ auto_register_ip_on_validate: false });
    expect(await shadow(productId, { type: "max_ips", max_ips: 1 })).toMatchObject({
      ...{ ineffective: "registration_already_off", refused: { requests: 0 }, data: [] },
    });
    const version = await shadow(productId, { type: "block_version", version: "1.x" });
    expect(version.ineffective).toBe("versions_not_checked");
  });

  test.each<[string, object, number?]>([
    ["change.cidr", { type: "block_ip", cidr: "nowhere" }],
    ["change.version", { type: "block_version", version: "newest" }],
    ["change.max_ips", { type: "max_ips", max_ips: 0 }],
    ["change.registration", { type: "registration", registration: "until_limit" }],
    ["days", { type: "max_ips", max_ips: 1 }, 91],
  ])("refuses a wrong %s", async (field, change, days = 30) => {
    const answer = await fixture.owner.api.post(`/products/${fixture.productId}/shadow`, { change, days });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  test("needs requests:view; who the customers are needs licenses:view too", async () => {
    const { productId } = await newProduct();
    const license = await licenseOf(productId);
    await log(productId, [{ license, ip: "203.0.113.7", at: nowMs }]);
    const path = `/products/${productId}/shadow`;
    const body = { change: { type: "block_ip", cidr: "203.0.113.7" } };
    expect((await (await fixture.member(["products:view"])).api.post(path, body)).status).toBe(403);
    const limited = await (await fixture.member(["requests:view"])).api.post(path, body);
    expect(limited.body.data).toMatchObject([
      { license_id: license.id, license_key: null, customer_email: null, customer_name: null },
    ]);
  });
});
