import { expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { EventType } from "@countersign/domain/events/types";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { problemOf } from "../support/answers.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { changeRows } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const ipsOf = (count: number) => Array.from({ length: count }, (_, at) => `203.0.113.${at + 1}`);
const everything = { portal_ip_removals_per_30_days: 9, portal_key_rotation: true };

/**
 * What a license allows, and what is left of a budget, is tested in the domain; idempotency keys with transfers, and
 * suspended sellers with their billing.
 */
testsOn("postgres", "self-service in the portal", openPortalFixture, (fixture) => {
  const sold = (settings: object = {}, ips: readonly string[] = [], maxIps = 100) =>
    soldWith(fixture, settings, ips, maxIps);
  const outcomes = (answers: readonly { status: number; body: { code: string } }[]) =>
    answers.map(({ status, body }) => (status === 200 ? "done" : body.code));

  test("removing an IP address frees its slot for the next validation, and is recorded", async () => {
    const license = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(1), 1);
    expect(await license.validate()).toBe("ip_limit_reached");
    const { body } = await license.remove("203.0.113.1");
    expect(body).toMatchObject({
      ips: [],
      current_unique_ip_count: 0,
      self_service: {
        ip_removals: { limit: 3, used: 1, left: 2 },
        can_remove_ip: false,
        can_reset_ips: false,
      },
    });
    const nextAt = Date.parse(body.self_service.ip_removals.next_at);
    expect(Math.abs(nextAt - Date.now() - 30 * dayMs)).toBeLessThan(60_000);
    expect(await license.validate()).toBe("active");
    const actor = { actor_kind: "customer", actor_id: license.customerId, actor_name: "Ada" } as const;
    const before = '{"ip":"203.0.113.1"}';
    expect(await license.audited("license.ip_removed")).toMatchObject([{ ...actor, before }]);
    expect(await license.events("license.ip_removed")).toMatchObject([{ ip: "203.0.113.1" }]);
    // What is counted does not keep the license.
    expect((await license.owner.api.delete(`/licenses/${license.id}`)).status).toBe(204);
  });

  test("removing an IPv6 network takes it as it is listed, and costs nothing if it is not registered", async () => {
    const network = "2001:db8:1:2::/64";
    const license = await sold({ portal_ip_removals_per_30_days: 1 }, [network]);
    for (const ip of ["203.0.113.77", "nonsense", "2001:db8::/64"])
      expect(problemOf(await license.remove(ip))).toEqual([404, "ip_not_registered"]);
    expect((await license.remove(network)).body.self_service.ip_removals.used).toBe(1);
    expect(await license.registered()).toEqual([]);
  });

  test("removals are counted exactly: of 12 at once with a budget of 3, 3 succeed, and others 30 days later", async () => {
    const license = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(15));
    const answers = await Promise.all(ipsOf(12).map((ip) => license.remove(ip)));
    const expected = [...Array(3).fill("done"), ...Array(9).fill("ip_removals_used_up")];
    expect(outcomes(answers).sort()).toEqual(expected);
    expect(await license.registered()).toHaveLength(12);
    expect(await license.audited("license.ip_removed")).toHaveLength(3);
    expect(await license.events("license.ip_removed")).toHaveLength(3);
    await license.spentAt(Date.now() - 30 * dayMs - 1_000);
    expect((await license.remove("203.0.113.15")).status).toBe(200);
  });

  test("a reset costs one removal for each IP address, is refused as a whole beyond the budget, and is recorded", async () => {
    const license = await sold({ portal_ip_removals_per_30_days: 4 }, ipsOf(5));
    const refused = { status: 409, code: "ip_removals_not_enough", params: { needed: 5, count: 4 } };
    expect((await license.reset()).body).toMatchObject(refused);
    expect(await license.registered()).toHaveLength(5);
    await license.change({ portal_ip_removals_per_30_days: 6 });
    expect((await license.reset()).body).toMatchObject({
      ips: [],
      current_unique_ip_count: 0,
      self_service: { ip_removals: { limit: 6, used: 5, left: 1 } },
    });
    // Without any, it costs and records nothing.
    expect((await license.reset()).body.self_service.ip_removals).toMatchObject({ used: 5 });
    expect(await license.audited("license.ips_reset")).toMatchObject([{ actor_kind: "customer" }]);
    expect(await license.events("license.ips_reset")).toHaveLength(1);
  });

  test("a replaced key is valid from the next validation on, and is recorded", async () => {
    const license = await sold({ portal_key_rotation: true }, ["203.0.113.200"]);
    const { license_key: key } = (await license.rotate()).body;
    expect(await license.validate()).toBe("license_not_found");
    expect(await license.validate(key)).toBe("active");
    expect(await license.registered()).toEqual(["203.0.113.200"]);
    const entries = await license.audited("license.key_rotated");
    expect(entries).toMatchObject([{ actor_kind: "customer", actor_id: license.customerId }]);
    expect(JSON.stringify(entries)).not.toContain(key);
    expect(await license.events("license.updated")).toMatchObject([{ changed: ["license_key"] }]);
  });

  test("a key can be replaced 5 times within 24 hours, also with requests at once", async () => {
    const license = await sold({ portal_key_rotation: true });
    const answers = await Promise.all(Array.from({ length: 8 }, () => license.rotate()));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(3);
    for (const answer of refused) {
      expect(problemOf(answer)).toEqual([429, "key_rotation_limit_reached"]);
      expect(Number(answer.headers.get("retry-after"))).toBeWithin(86_000, 86_401);
    }
    await license.spentAt(Date.now() - dayMs - 1_000);
    expect((await license.rotate()).status).toBe(200);
  });

  test("showing the key is recorded once an hour for each customer, without an event", async () => {
    const [license, other] = [await sold(), await sold()];
    const actor = { actor_kind: "customer", actor_id: String(license.customerId) } as const;
    await other.reveal();
    const [entry = {} as AuditLogRow] = await other.audited("license.key_revealed");
    const anHourAgo = { ...actor, id: newId(), at: Date.now() - hourMs - 1_000, subject_id: license.id };
    await fixture.store.transaction((db) => addAuditEntries(db, [{ ...entry, ...anHourAgo }]));
    expect((await license.reveal()).body).toEqual({ license_key: license.key });
    await Promise.all(Array.from({ length: 3 }, license.reveal));
    const entries = await license.audited("license.key_revealed");
    expect(entries).toMatchObject([anHourAgo, { ...actor, actor_name: "Ada", before: null, after: null }]);
    expect(JSON.stringify(entries)).not.toContain(license.key);
    expect(await fixture.stored("events", { license_id: license.id })).toEqual([]);
  });

  test("a customer who makes changes without end has to wait, and nobody else has to", async () => {
    const [license, other] = [await sold(), await sold()];
    const answers = await Promise.all(Array.from({ length: 70 }, license.reveal));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(8);
    for (const { body, headers } of refused) {
      expect(body.code).toBe("too_many_attempts");
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 601);
    }
    expect((await other.reveal()).status).toBe(200);
    expect((await license.shown()).id).toBe(license.id);
  });

  const done = ["done", "done", "license_is_expired"];
  const expired = { is_lifetime: 0, expires_at: 1 } as const;
  test.each<[string, settings: object, columns: Partial<LicenseRow>, codes: string[]]>([
    ["a product with default settings", {}, {}, refusedWith("self_service_off")],
    ["a disabled product", { ...everything, status: "disabled" }, {}, refusedWith("product_not_active")],
    ["a revoked license", everything, { revoked_at: 1 }, refusedWith("license_is_revoked")],
    ["an expired license", everything, expired, done],
  ])("%s offers only what it allows, and shows the key", async (_, settings, columns, codes) => {
    const license = await sold({}, ipsOf(2));
    await license.change(settings);
    await fixture.change("licenses", { id: license.id }, { ...columns, ip_count: 2 });
    const { can_remove_ip, can_reset_ips, can_rotate_key } = (await license.shown()).self_service;
    const offered = [can_remove_ip, can_reset_ips, can_rotate_key];
    expect(offered).toEqual(codes.map((code) => code === "done"));
    const answers = [await license.remove("203.0.113.1"), await license.reset(), await license.rotate()];
    expect(outcomes(answers)).toEqual(codes);
    expect((await license.reveal()).status).toBe(200);
    expect(await license.registered()).toHaveLength(codes === done ? 0 : 2);
  });

  type ChangedTable = "licenses" | "products" | "portal_identities";
  const off = { portal_ip_removals_per_30_days: 0, portal_key_rotation: 0 };
  test.each<[string, table: ChangedTable, columns: (other: string) => object, refused: [number, string]]>([
    ["the license was given away", "licenses", (customer_id) => ({ customer_id }), [404, "not_found"]],
    ["the license was revoked", "licenses", () => ({ revoked_at: 1 }), [409, "license_is_revoked"]],
    ["the seller turned it off", "products", () => off, [403, "self_service_off"]],
    ["the product was hidden", "products", () => ({ portal_enabled: 0 }), [404, "not_found"]],
    ["the identity was lost", "portal_identities", (value) => ({ value }), [404, "not_found"]],
  ])(
    "a change that waits for the license is refused if %s meanwhile",
    async (_, table, columns, expected) => {
      const isOnSqlite = fixture.database.location.kind === "sqlite";
      const [license, other] = [await sold(everything, ipsOf(2)), await sold()];
      const { id, productId, email } = license;
      const rows = { licenses: { id }, products: { id: productId }, portal_identities: { value: email } };
      const { store } = fixture;
      const waiting: ReturnType<typeof license.reset>[] = [];
      await store.transaction(async (db) => {
        await store.bulk.lockLicenses(db, [license.id]);
        waiting.push(license.remove("203.0.113.1"), license.reset(), license.rotate());
        // All of them are authorized first. On SQLite nothing shows that they wait.
        if (isOnSqlite) await Bun.sleep(500);
        else await until("all wait for the license", async () => (await lockWaits(store.reads)) === 3);
        await changeRows(db, table, rows[table] as object, columns(String(other.customerId)));
      });
      for (const answer of await Promise.all(waiting)) {
        // SQLite makes later requests wait before they are authorized: then the session already has no identity.
        const isSignedOut = isOnSqlite && answer.status === 401;
        expect(isSignedOut ? expected : problemOf(answer)).toEqual(expected);
      }
      expect(await license.registered()).toHaveLength(2);
    },
  );
});

const refusedWith = (code: string) => Array<string>(3).fill(code);

/** A license with these IP addresses of a product with these settings, and what its customer does to it. */
async function soldWith(fixture: PortalFixture, settings: object, ips: readonly string[], maxIps: number) {
  const seller = await fixture.seller(settings);
  const license = await fixture.sold(seller, { maxIps });
  const { id, customer } = license;
  await fixture.store.transaction(async (db) => {
    for (const ip of ips) await registerIp(db, id, ip, Date.now());
  });
  const api = apiOf(fixture.url, seller.apiKey);
  const from = { "x-forwarded-for": "203.0.113.200" };
  return {
    ...seller,
    ...license,
    validate: async (key = license.key) => (await api.validate({ license_key: key }, from)).body.status,
    change: (body: object) => seller.owner.api.patch(`/products/${seller.productId}`, body),
    remove: (ip: string) => customer.delete(`/licenses/${id}/ips/${encodeURIComponent(ip)}`),
    reset: () => customer.post(`/licenses/${id}/reset-ips`),
    rotate: () => customer.post(`/licenses/${id}/rotate-key`),
    reveal: () => customer.post(`/licenses/${id}/reveal-key`),
    registered: async () => {
      const rows = await fixture.stored("license_ips", { license_id: id });
      expect(await fixture.stored("licenses", { id })).toMatchObject([{ ip_count: rows.length }]);
      return rows.map(({ ip }) => ip).sort();
    },
    audited: async (action: string) =>
      (await auditOf(fixture, id)).filter((entry) => entry.action === action),
    events: async (type: EventType) =>
      (await fixture.stored("events", { license_id: id, type })).map(({ data }) => JSON.parse(data)),
    /** As if everything that counts for a budget had happened then. */
    spentAt: (at: number) => fixture.change("portal_actions", { license_id: id }, { at }),
  };
}
