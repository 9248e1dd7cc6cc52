import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { RequestLogRow } from "@countersign/store/tables/journal";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { logRequests } from "../support/journal.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Far enough in the past that no clock matters. */
const nowMs = Date.now() - hourMs;

/**
 * Which requests are replayed: packages/store/queries/shadow; what a change refuses, and why it has no effect:
 * packages/domain/shadow.
 */
testsOn("postgres", "shadow rules", openManageFixture, (fixture) => {
  beforeAll(async () => {
    const enterprise = { plan: "enterprise", had_version_module: 1 } as const;
    await fixture.change("organizations", { id: fixture.organizationId }, enterprise);
  });

  /** Each test has its own product, as requests are counted by product. */
  const product = async (settings: object = {}) => {
    const made = await licensesOf(fixture).newProduct({ name: `Product ${newId()}`, ...settings });
    const productId = String(made.id);
    return {
      ...{ productId, api: apiOf(fixture.server.url, String(made.api_key)) },
      license: (more: Parameters<typeof addLicense>[1] = {}) => {
        const customer = { email: `${newId()}@example.com`, name: "Carla" };
        return addLicense({ ...fixture, productId }, { maxIps: 5, customer, ...more });
      },
      log: (rows: Partial<RequestLogRow>[]) => {
        const ids = { organization_id: fixture.organizationId, product_id: productId };
        return logRequests(
          fixture.database.location,
          rows.map((row) => ({ ...ids, ...row })),
        );
      },
      shadow: async (change: object, days = 30) => {
        const path = `/products/${productId}/shadow`;
        const { status, body } = await fixture.owner.api.post(path, { change, days });
        expect([status, body.code]).toEqual([200, undefined]);
        return body;
      },
    };
  };
  const register = (license: AddedLicense, ip: string, atMs: number) =>
    fixture.store.transaction((db) => registerIp(db, license.id, ip, atMs));

  test("under a lower limit, slots registered before stay, and others go to the first IP addresses that come", async () => {
    const { license, log, shadow } = await product();
    const [some, unlimited] = [await license(), await license({ maxIps: null })];
    await register(some, "192.0.2.1", nowMs - 20 * dayMs);
    await register(some, "192.0.2.3", nowMs - 1 * dayMs);
    const [license_id, others] = [some.id, unlimited.id];
    await log([
      { license_id, ip: "192.0.2.1", at: nowMs - 5 * dayMs, version: "1.0" },
      { license_id, ip: "192.0.2.3", at: nowMs - 1 * dayMs, version: "1.0" },
      { license_id, ip: "192.0.2.3", at: nowMs - 1_000, version: "1.1", device_id: "desk" },
      { license_id, ip: "192.0.2.2", at: nowMs - 2 * dayMs },
      ...[1, 2, 3].map((host) => ({ license_id: others, ip: `192.0.2.${host}`, at: nowMs - 7_000 })),
    ]);
    const answer = await shadow({ type: "max_ips", max_ips: 2 }, 14);
    expect(answer).toMatchObject({
      ...{ complete: true, ineffective: null, requests: 7, licenses: 2, more: false },
      refused: { requests: 2, licenses: 1, customers: 1 },
    });
    expect(answer.data).toEqual([
      {
        ...{ license_id, license_key: `${some.key.slice(0, 4)}…`, customer_name: "Carla" },
        ...{ global_customer_id: some.customerId, customer_email: expect.stringContaining("@example.com") },
        ...{ status: "ip_limit_reached", requests: 2, last_at: new Date(nowMs - 1_000).toISOString() },
        ...{ ip: "192.0.2.3", version: "1.1", device_ids: ["desk"], ip_count: 1 },
      },
    ]);
    const refusedBy = async (max_ips: number, days: number) =>
      (await shadow({ type: "max_ips", max_ips }, days)).refused.requests;
    // Within a day, both IP addresses had been registered before.
    expect([await refusedBy(2, 1), await refusedBy(1, 14), await refusedBy(5, 14)]).toEqual([0, 3, 0]);
  });

  test("without automatic registration, a real first request would have been refused", async () => {
    const { license, api, shadow } = await product();
    const [known, fresh] = [await license(), await license()];
    await register(known, "127.0.0.1", nowMs - 100 * dayMs);
    for (const { key } of [known, fresh, fresh]) await api.validate({ license_key: key });
    const change = { type: "registration", registration: "off" };
    await until("the requests are logged", async () => (await shadow(change)).requests === 3);
    const { refused, data } = await shadow(change);
    expect(refused).toEqual({ requests: 2, licenses: 1, customers: 1 });
    expect(data).toMatchObject([
      { license_id: fresh.id, status: "ip_not_registered", requests: 2, ip: "127.0.0.1" },
    ]);
  });

  test("a blocked network and a blocked version list the licenses with most refused requests first, to all who may view requests", async () => {
    const { productId, license, log, shadow } = await product({ version_module_enabled: true });
    const versions = ["1.x", "1.5.0"].map((version) => ({ version, state: "allowed" }));
    await fixture.owner.api.put(`/products/${productId}/versions`, { versions });
    const customer = { email: "twice@example.com" };
    const first = (await license({ customer })).id;
    const second = (await license()).id;
    const third = (await license({ customer })).id;
    await log([
      { license_id: first, ip: "203.0.113.7", version: "1.4", at: nowMs - 9 * dayMs },
      { license_id: first, ip: "203.0.113.8", version: "1.5", at: nowMs - 8 * dayMs },
      { license_id: second, ip: "198.51.100.1", version: "1.5.0", at: nowMs - 7_000 },
      { license_id: third, ip: "203.0.113.9", version: "1.4", at: nowMs - 5_000 },
      { license_id: third, ip: "2001:db8:1:2::/64", version: null, at: nowMs - 4_000 },
    ]);
    const blocked = await shadow({ type: "block_ip", cidr: "203.0.113.77/24" });
    expect(blocked.refused).toEqual({ requests: 3, licenses: 2, customers: 1 });
    expect(blocked.data).toMatchObject([
      { license_id: first, status: "ip_blocked", requests: 2, ip: "203.0.113.8", ip_count: 2 },
      { license_id: third, requests: 1 },
    ]);
    const line = await shadow({ type: "block_version", version: "1.x" });
    expect(line.refused).toEqual({ requests: 2, licenses: 2, customers: 1 });
    expect(line.data).toMatchObject([
      { license_id: third, status: "version_not_allowed", version: "1.4" },
      { license_id: first, version: "1.4" },
    ]);
    expect((await shadow({ type: "block_version", version: "1.5" }, 1)).refused.requests).toBe(1);
    // Who the customers are needs licenses:view too.
    const { api } = await fixture.member(["requests:view"]);
    const change = { type: "block_version", version: "1.x" };
    const limited = await api.post(`/products/${productId}/shadow`, { change });
    const concealed = { license_key: null, customer_email: null, customer_name: null };
    expect(limited.body.data).toMatchObject([
      { license_id: third, ...concealed },
      { license_id: first, ...concealed },
    ]);
  });

  test("a trial says when its oldest request came, and that none are known", async () => {
    const { license, log, shadow } = await product({ expiry_enforcement: false });
    expect(await shadow({ type: "disable" })).toMatchObject({ oldest_at: null, requests: 0, licenses: 0 });
    const [current, expired] = [await license(), await license()];
    await fixture.change("licenses", { id: expired.id }, { expires_at: nowMs - 5 * dayMs });
    await log([
      { license_id: current.id, at: nowMs - 6 * dayMs },
      { license_id: expired.id, at: nowMs - 4 * dayMs },
    ]);
    const oldest_at = new Date(nowMs - 6 * dayMs).toISOString();
    expect(await shadow({ type: "disable" })).toMatchObject({ oldest_at, refused: { licenses: 2 } });
    const { refused, data } = await shadow({ type: "enforce_expiry" });
    expect([refused.licenses, data[0].license_id, data[0].status]).toEqual([1, expired.id, "expired"]);
  });

  test("a trial says why a change has no effect, and refuses what is no change", async () => {
    const { productId, shadow } = await product({ auto_register_ip_on_validate: false });
    expect(await shadow({ type: "max_ips", max_ips: 1 })).toMatchObject({
      ...{ ineffective: "registration_already_off", refused: { requests: 0 }, data: [] },
    });
    const wrong: [field: string, change: object, days: number][] = [
      ["change.cidr", { type: "block_ip", cidr: "nowhere" }, 30],
      ["change.version", { type: "block_version", version: "newest" }, 30],
      ["change.max_ips", { type: "max_ips", max_ips: 0 }, 30],
      ["change.registration", { type: "registration", registration: "until_limit" }, 30],
      ["days", { type: "max_ips", max_ips: 1 }, 91],
    ];
    for (const [field, change, days] of wrong) {
      const answer = await fixture.owner.api.post(`/products/${productId}/shadow`, { change, days });
      expect(refusal(answer)).toEqual([422, field]);
    }
  });
});
