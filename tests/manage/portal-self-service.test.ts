import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { EventType } from "@countersign/domain/events/types";
import { auditEntries } from "@countersign/store/queries/audit-log/entries";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { Database } from "@countersign/store/store";
import { portalActionPruning } from "../../apps/server/features/portal/prune-actions.ts";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { lockWaits } from "../support/lock-waits.ts";
import type { ManageFixture } from "../support/manage-fixture.ts";
import { openPortalServer, type PortalCustomer, portalCustomer } from "../support/signed-in-customer.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

describe.each(databases)("what customers change themselves on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openPortalServer(make);
  });
  afterAll(() => fixture.close());

  const ipsOf = (count: number) => Array.from({ length: count }, (_, at) => `203.0.113.${at + 1}`);

  /** A product with these settings, a license of it with these IP addresses, and its customer. */
  async function sold(settings: object, ips: readonly string[] = [], maxIps = 100) {
    const { body: product } = await fixture.owner.api.post(
      `/organizations/${fixture.organizationId}/products`,
      { name: "Plugin", ...settings },
    );
    const email = `${newId()}@example.com`;
    const license = await addLicense(
      { ...fixture, productId: product.id },
      { customer: { email, name: "Ada" }, maxIps, ipSystemEnabled: true },
    );
    await register(license, ips);
    const customer = await portalCustomer(fixture, { emails: [email] });
    const validate = async (key = license.key, ip = "203.0.113.200") => {
      const response = await fetch(`${fixture.server.url}/api/v1/validate`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${product.api_key}`,
          "content-type": "application/json",
          "x-forwarded-for": ip,
        },
        body: JSON.stringify({ license_key: key }),
      });
      return ((await response.json()) as { status: string }).status;
    };
    const change = (body: object) => fixture.owner.api.patch(`/products/${product.id}`, body);
    return { productId: String(product.id), email, license, customer, validate, change };
  }

  const register = ({ id }: AddedLicense, ips: readonly string[]) =>
    fixture.store.transaction(async (db) => {
      for (const ip of ips) await registerIp(db, id, ip, Date.now());
    });
  const registeredOn = async ({ id }: AddedLicense) => {
    const { reads } = fixture.store;
    const ips = await reads.selectFrom("license_ips").select("ip").where("license_id", "=", id).execute();
    const row = await reads
      .selectFrom("licenses")
      .select("ip_count")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(row.ip_count).toBe(ips.length);
    return ips.map(({ ip }) => ip).sort();
  };
  const audited = async (license: AddedLicense, action: string) =>
    auditEntries(
      fixture.store.reads,
      {
        organizationId: fixture.organizationId,
        actorId: null,
        action,
        subjectKind: null,
        subjectId: license.id,
        fromMs: null,
        toMs: null,
      },
      { after: null, limit: 100 },
    );
  const eventsOf = async ({ id }: AddedLicense, type: EventType) => {
    const rows = await fixture.store.reads
      .selectFrom("events")
      .selectAll()
      .where("license_id", "=", id)
      .where("type", "=", type)
      .execute();
    return rows.map(({ data }) => JSON.parse(data));
  };
  const remove = (customer: PortalCustomer, { id }: AddedLicense, ip: string) =>
    customer.delete(`/licenses/${id}/ips/${encodeURIComponent(ip)}`);
  const spentAt = ({ id }: AddedLicense, atMs: number) =>
    fixture.store.transaction((db) =>
      db.updateTable("portal_actions").set({ at: atMs }).where("license_id", "=", id).execute(),
    );

  describe("removing an IP address", () => {
    test("frees its slot for the next validation, and is recorded", async () => {
      const { license, customer, validate } = await sold(
        { portal_ip_removals_per_30_days: 3 },
        ["203.0.113.1"],
        1,
      );
      expect(await validate()).toBe("ip_limit_reached");
      const removed = await remove(customer, license, "203.0.113.1");
      expect(removed.status).toBe(200);
      expect(removed.body).toMatchObject({ ips: [], current_unique_ip_count: 0 });
      expect(removed.body.self_service).toMatchObject({
        ip_removals: { limit: 3, used: 1, left: 2 },
        can_remove_ip: false,
        can_reset_ips: false,
      });
      const nextAt = Date.parse(removed.body.self_service.ip_removals.next_at);
      expect(Math.abs(nextAt - Date.now() - 30 * dayMs)).toBeLessThan(60_000);
      expect(await validate()).toBe("active");
      const [entry, ...more] = await audited(license, "license.ip_removed");
      expect(more).toEqual([]);
      expect(entry).toMatchObject({
        actor_kind: "customer",
        actor_id: license.customerId,
        actor_name: "Ada",
        before: '{"ip":"203.0.113.1"}',
      });
      expect(await eventsOf(license, "license.ip_removed")).toMatchObject([{ ip: "203.0.113.1" }]);
    });

    test("stops when the budget is used, and continues after 30 days", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 1 }, ipsOf(3));
      expect((await remove(customer, license, "203.0.113.1")).status).toBe(200);
      const refused = await remove(customer, license, "203.0.113.2");
      expect([refused.status, refused.body.code]).toEqual([409, "ip_removals_used_up"]);
      expect(await registeredOn(license)).toEqual(["203.0.113.2", "203.0.113.3"]);
      await spentAt(license, Date.now() - 30 * dayMs - 1_000);
      expect((await remove(customer, license, "203.0.113.2")).status).toBe(200);
    });

    test("of one that is not registered costs nothing", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 1 }, ipsOf(1));
      for (const ip of ["203.0.113.77", "nonsense", "2001:db8::/64"]) {
        const refused = await remove(customer, license, ip);
        expect([refused.status, refused.body.code]).toEqual([404, "ip_not_registered"]);
      }
      const { body } = await customer.get(`/licenses/${license.id}`);
      expect(body.self_service.ip_removals).toMatchObject({ used: 0, left: 1, next_at: null });
    });

    test("takes an IPv6 network as it is listed", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 1 }, ["2001:db8:1:2::/64"]);
      expect((await remove(customer, license, "2001:db8:1:2::/64")).status).toBe(200);
      expect(await registeredOn(license)).toEqual([]);
    });

    test("is counted exactly: of 50 at once with a budget of 3, 3 succeed", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(60));
      const answers = await Promise.all(ipsOf(50).map((ip) => remove(customer, license, ip)));
      const codes = answers.map(({ status, body }) => (status === 200 ? 200 : body.code));
      expect(codes.filter((code) => code === 200)).toHaveLength(3);
      expect(codes.filter((code) => code === "ip_removals_used_up")).toHaveLength(47);
      expect(await registeredOn(license)).toHaveLength(57);
      expect(await audited(license, "license.ip_removed")).toHaveLength(3);
      expect(await eventsOf(license, "license.ip_removed")).toHaveLength(3);
    });

    test("at the same moment as a reset never removes more than the budget", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 5 }, ipsOf(5));
      const answers = await Promise.all([
        ...ipsOf(5).map((ip) => remove(customer, license, ip)),
        customer.post(`/licenses/${license.id}/reset-ips`),
      ]);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
      expect(await registeredOn(license)).toEqual([]);
      const spent = await fixture.store.reads
        .selectFrom("portal_actions")
        .select("count")
        .where("license_id", "=", license.id)
        .execute();
      expect(spent.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    });
  });

  describe("removing all IP addresses", () => {
    test("costs one removal for each, and is refused as a whole if they do not cover all", async () => {
      const { license, customer, change } = await sold({ portal_ip_removals_per_30_days: 4 }, ipsOf(5));
      const refused = await customer.post(`/licenses/${license.id}/reset-ips`);
      expect([refused.status, refused.body.code]).toEqual([409, "ip_removals_not_enough"]);
      expect(refused.body.params).toEqual({ needed: 5, count: 4 });
      expect(await registeredOn(license)).toHaveLength(5);
      await change({ portal_ip_removals_per_30_days: 6 });
      const reset = await customer.post(`/licenses/${license.id}/reset-ips`);
      expect(reset.status).toBe(200);
      expect(reset.body).toMatchObject({ ips: [], current_unique_ip_count: 0 });
      expect(reset.body.self_service.ip_removals).toMatchObject({ limit: 6, used: 5, left: 1 });
      expect(await registeredOn(license)).toEqual([]);
      expect(await audited(license, "license.ips_reset")).toMatchObject([{ actor_kind: "customer" }]);
      expect(await eventsOf(license, "license.ips_reset")).toHaveLength(1);
    });

    test("without any costs and records nothing", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 1 });
      const reset = await customer.post(`/licenses/${license.id}/reset-ips`);
      expect(reset.body.self_service.ip_removals).toMatchObject({ used: 0 });
      expect(await audited(license, "license.ips_reset")).toEqual([]);
    });

    test("is done once for a repeated request with the same Idempotency-Key", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 9 }, ipsOf(2));
      const once = { "idempotency-key": newId() };
      const first = await customer.post(`/licenses/${license.id}/reset-ips`, undefined, once);
      await register(license, ipsOf(2));
      const second = await customer.post(`/licenses/${license.id}/reset-ips`, undefined, once);
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      expect(second.text).toBe(first.text);
      expect(await registeredOn(license)).toHaveLength(2);
    });
  });

  describe("replacing the key", () => {
    test("holds from the next validation on, and is recorded", async () => {
      const { license, customer, validate } = await sold({ portal_key_rotation: true }, ["203.0.113.200"]);
      expect(await validate()).toBe("active");
      const rotated = await customer.post(`/licenses/${license.id}/rotate-key`);
      expect(rotated.status).toBe(200);
      const key = rotated.body.license_key;
      expect(key).not.toBe(license.key);
      expect(await validate()).toBe("license_not_found");
      expect(await validate(key)).toBe("active");
      expect(await registeredOn(license)).toEqual(["203.0.113.200"]);
      const entries = await audited(license, "license.key_rotated");
      expect(entries).toMatchObject([{ actor_kind: "customer", actor_id: license.customerId }]);
      expect(JSON.stringify(entries)).not.toContain(key);
      expect(await eventsOf(license, "license.updated")).toMatchObject([{ changed: ["license_key"] }]);
    });

    test("is possible 5 times within 24 hours, also with requests at once", async () => {
      const { license, customer } = await sold({ portal_key_rotation: true });
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => customer.post(`/licenses/${license.id}/rotate-key`)),
      );
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused).toHaveLength(7);
      for (const { status, body, headers } of refused) {
        expect([status, body.code]).toEqual([429, "key_rotation_limit_reached"]);
        const seconds = Number(headers.get("retry-after"));
        expect(seconds).toBeGreaterThan(86_000);
        expect(seconds).toBeLessThanOrEqual(86_400);
      }
      await spentAt(license, Date.now() - dayMs - 1_000);
      expect((await customer.post(`/licenses/${license.id}/rotate-key`)).status).toBe(200);
    });
  });

  describe("showing the key", () => {
    test("is recorded once an hour for each customer, without an event", async () => {
      const { license, customer } = await sold({});
      for (let times = 0; times < 3; times++) {
        const shown = await customer.post(`/licenses/${license.id}/reveal-key`);
        expect(shown.body).toEqual({ license_key: license.key });
      }
      await Promise.all(Array.from({ length: 5 }, () => customer.post(`/licenses/${license.id}/reveal-key`)));
      const entries = await audited(license, "license.key_revealed");
      expect(entries).toMatchObject([
        {
          actor_kind: "customer",
          actor_id: license.customerId,
          actor_name: "Ada",
          before: null,
          after: null,
        },
      ]);
      expect(JSON.stringify(entries)).not.toContain(license.key);
      const events = await fixture.store.reads
        .selectFrom("events")
        .select("id")
        .where("license_id", "=", license.id)
        .execute();
      expect(events).toEqual([]);
    });

    test("is recorded again an hour later", async () => {
      const { license, customer } = await sold({});
      const nowMs = Date.now();
      await fixture.store.transaction((db) =>
        db
          .insertInto("audit_log")
          .values({
            id: newId(),
            at: nowMs - hourMs - 1_000,
            organization_id: fixture.organizationId,
            actor_kind: "customer",
            actor_id: license.customerId,
            actor_name: "Ada",
            access_token_id: null,
            action: "license.key_revealed",
            subject_kind: "license",
            subject_id: license.id,
            subject_name: null,
            before: null,
            after: null,
            ip: null,
            request_id: null,
          })
          .execute(),
      );
      await customer.post(`/licenses/${license.id}/reveal-key`);
      expect(await audited(license, "license.key_revealed")).toHaveLength(2);
    });
  });

  describe("the seller's settings", () => {
    const everything = { portal_ip_removals_per_30_days: 9, portal_key_rotation: true };
    const codes = async (customer: PortalCustomer, license: AddedLicense) => {
      const answers = [
        await remove(customer, license, "203.0.113.1"),
        await customer.post(`/licenses/${license.id}/reset-ips`),
        await customer.post(`/licenses/${license.id}/rotate-key`),
        await customer.post(`/licenses/${license.id}/reveal-key`),
      ];
      return answers.map(({ status, body }) => (status === 200 ? 200 : body.code));
    };
    const can = async (customer: PortalCustomer, { id }: AddedLicense) => {
      const { can_remove_ip, can_reset_ips, can_rotate_key } = (await customer.get(`/licenses/${id}`)).body
        .self_service;
      return [can_remove_ip, can_reset_ips, can_rotate_key];
    };

    test("allow nothing but viewing unless changed", async () => {
      const { license, customer } = await sold({}, ipsOf(1));
      expect(await can(customer, license)).toEqual([false, false, false]);
      expect(await codes(customer, license)).toEqual([
        "self_service_off",
        "self_service_off",
        "self_service_off",
        200,
      ]);
      expect(await registeredOn(license)).toHaveLength(1);
    });

    test("hold from the next request on", async () => {
      const { license, customer, change } = await sold(everything, ipsOf(2));
      expect(await can(customer, license)).toEqual([true, true, true]);
      await change({ portal_ip_removals_per_30_days: 0, portal_key_rotation: false });
      expect(await codes(customer, license)).toEqual([
        "self_service_off",
        "self_service_off",
        "self_service_off",
        200,
      ]);
      expect(await registeredOn(license)).toHaveLength(2);
    });

    test("that are turned off during a change decide it as a whole", async () => {
      const { license, customer, change } = await sold(everything, ipsOf(9));
      const [off, ...answers] = await Promise.all([
        change({ portal_ip_removals_per_30_days: 0 }),
        ...ipsOf(9).map((ip) => remove(customer, license, ip)),
      ]);
      expect(off.status).toBe(200);
      const removed = answers.filter(({ status }) => status === 200).length;
      for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe("self_service_off");
      expect(await registeredOn(license)).toHaveLength(9 - removed);
      expect((await remove(customer, license, "203.0.113.9")).status).not.toBe(200);
    });

    test.each([["disabled"], ["archived"]])("of a %s product allow nothing but viewing", async (status) => {
      const { license, customer, change } = await sold(everything, ipsOf(1));
      expect((await change({ status })).status).toBe(200);
      expect(await can(customer, license)).toEqual([false, false, false]);
      expect(await codes(customer, license)).toEqual([
        "product_not_active",
        "product_not_active",
        "product_not_active",
        200,
      ]);
    });

    test("a revoked license can only be viewed", async () => {
      const { license, customer } = await sold(everything, ipsOf(1));
      await fixture.owner.api.post(`/licenses/${license.id}/revoke`, {});
      expect(await can(customer, license)).toEqual([false, false, false]);
      expect(await codes(customer, license)).toEqual([
        "license_is_revoked",
        "license_is_revoked",
        "license_is_revoked",
        200,
      ]);
    });

    test("an expired license loses IP addresses, and keeps its key", async () => {
      const { license, customer } = await sold(everything, ipsOf(3));
      await fixture.store.transaction((db) =>
        db
          .updateTable("licenses")
          .set({ is_lifetime: 0, expires_at: Date.now() - 1_000 })
          .where("id", "=", license.id)
          .execute(),
      );
      expect(await can(customer, license)).toEqual([true, true, false]);
      expect(await codes(customer, license)).toEqual([200, 200, "license_is_expired", 200]);
    });

    test("a hidden product hides its licenses from changes too", async () => {
      const { license, customer, change } = await sold(everything, ipsOf(1));
      await change({ portal_enabled: false });
      expect(await codes(customer, license)).toEqual(["not_found", "not_found", "not_found", "not_found"]);
      expect(await registeredOn(license)).toHaveLength(1);
    });

    test("a suspended seller's licenses can be viewed, and not changed", async () => {
      const { body: organization } = await fixture.owner.api.post("/organizations", { name: "Shut" });
      const { body: product } = await fixture.owner.api.post(`/organizations/${organization.id}/products`, {
        name: "Plugin",
        ...everything,
      });
      const email = `${newId()}@example.com`;
      const license = await addLicense(
        { ...fixture, organizationId: organization.id, productId: product.id },
        { customer: { email } },
      );
      await register(license, ipsOf(1));
      const customer = await portalCustomer(fixture, { emails: [email] });
      const reason = { reason: "A secret of the operator" };
      await fixture.admin.api.post(`/admin/organizations/${organization.id}/suspend`, reason);
      const shown = await customer.get(`/licenses/${license.id}`);
      expect(shown.body.seller.is_suspended).toBe(true);
      expect(await can(customer, license)).toEqual([false, false, false]);
      expect(await codes(customer, license)).toEqual(Array(4).fill("seller_suspended"));
      const refused = await customer.post(`/licenses/${license.id}/reset-ips`);
      expect(refused.text + shown.text).not.toContain("A secret of the operator");
    });
  });

  describe("someone else's license", () => {
    const everything = { portal_ip_removals_per_30_days: 9, portal_key_rotation: true };

    test("does not exist for a customer, whatever they try", async () => {
      const { license, validate } = await sold(everything, ipsOf(1));
      const { customer: other } = await sold(everything);
      const answers = [
        await other.get(`/licenses/${license.id}`),
        await other.post(`/licenses/${license.id}/reveal-key`),
        await remove(other, license, "203.0.113.1"),
        await other.post(`/licenses/${license.id}/reset-ips`),
        await other.post(`/licenses/${license.id}/rotate-key`),
      ];
      for (const { status, body, text } of answers) {
        expect([status, body.code]).toEqual([404, "not_found"]);
        expect(text).not.toContain(license.key);
      }
      expect(await registeredOn(license)).toHaveLength(1);
      expect(await validate(license.key, "203.0.113.1")).toBe("active");
    });

    test("a license that was given to someone else is gone at once, also for a change under way", async () => {
      const { license, customer } = await sold(everything, ipsOf(20));
      const giveAway = () =>
        fixture.owner.api.patch(`/licenses/${license.id}`, { customer_email: `${newId()}@example.com` });
      const [given, ...answers] = await Promise.all([
        giveAway(),
        ...ipsOf(9).map((ip) => remove(customer, license, ip)),
      ]);
      expect(given.status).toBe(200);
      const removed = answers.filter(({ status }) => status === 200).length;
      for (const { status } of answers) expect([200, 404]).toContain(status);
      // Each removal that succeeded came before the change of owner.
      const owner = await audited(license, "license.updated");
      const removals = await audited(license, "license.ip_removed");
      expect(removals).toHaveLength(removed);
      expect(owner).toHaveLength(1);
      for (const { actor_id: actor } of removals) expect(actor).toBe(license.customerId);
      const after = [
        await customer.get(`/licenses/${license.id}`),
        await customer.post(`/licenses/${license.id}/reveal-key`),
        await customer.post(`/licenses/${license.id}/rotate-key`),
      ];
      for (const { status, body } of after) expect([status, body.code]).toEqual([404, "not_found"]);
      const listed = await customer.get("/licenses");
      expect(listed.body.data).toEqual([]);
    });

    test("an identity that moved to another person takes its licenses along at once", async () => {
      const { license, email, customer } = await sold(everything, ipsOf(1));
      const other = await portalCustomer(fixture, { discordIds: [`9${Date.now()}0000`] });
      await fixture.store.transaction((db) =>
        db
          .updateTable("portal_identities")
          .set({ person_id: other.personId })
          .where("kind", "=", "email")
          .where("value", "=", email)
          .execute(),
      );
      expect((await customer.post(`/licenses/${license.id}/reveal-key`)).status).toBe(401);
      expect((await other.post(`/licenses/${license.id}/reveal-key`)).body.license_key).toBe(license.key);
    });

    test("a request without the portal's origin, or with a dashboard token, changes nothing", async () => {
      const { license, customer } = await sold(everything, ipsOf(1));
      const foreign = await customer.post(`/licenses/${license.id}/reset-ips`, undefined, {
        origin: "https://evil.example",
      });
      expect([foreign.status, foreign.body.code]).toEqual([403, "wrong_origin"]);
      const withToken = await fetch(`${fixture.server.url}/api/portal/v1/licenses/${license.id}/reset-ips`, {
        method: "POST",
        headers: { authorization: `Bearer ${fixture.owner.token}` },
      });
      expect(withToken.status).toBe(401);
      expect(await registeredOn(license)).toHaveLength(1);
    });
  });

  describe("a change that waits for another one of the same license", () => {
    const cases: [
      name: string,
      work: (
        db: Database,
        facts: { licenseId: string; productId: string; email: string },
      ) => Promise<unknown>,
      expected: [status: number, code: string],
    ][] = [
      [
        "is refused if the seller gave the license to someone else",
        async (db, { licenseId }) => {
          const who = { email: `${newId()}@example.com`, discordId: null, name: null };
          const customerId = await customerFor(db, fixture.organizationId, who, newId, Date.now());
          await db
            .updateTable("licenses")
            .set({ customer_id: customerId })
            .where("id", "=", licenseId)
            .execute();
        },
        [404, "not_found"],
      ],
      [
        "is refused if the seller turned it off",
        (db, { productId }) =>
          db
            .updateTable("products")
            .set({ portal_ip_removals_per_30_days: 0, portal_key_rotation: 0 })
            .where("id", "=", productId)
            .execute(),
        [403, "self_service_off"],
      ],
      [
        "is refused if the product was hidden",
        (db, { productId }) =>
          db.updateTable("products").set({ portal_enabled: 0 }).where("id", "=", productId).execute(),
        [404, "not_found"],
      ],
      [
        "is refused if the license was revoked",
        (db, { licenseId }) =>
          db.updateTable("licenses").set({ revoked_at: Date.now() }).where("id", "=", licenseId).execute(),
        [409, "license_is_revoked"],
      ],
      [
        "is refused if the person lost the identity",
        (db, { email }) => db.deleteFrom("portal_identities").where("value", "=", email).execute(),
        [404, "not_found"],
      ],
    ];
    test.each(cases)("%s", async (_, work, expected) => {
      const all = { portal_ip_removals_per_30_days: 9, portal_key_rotation: true };
      const { license, customer, productId, email } = await sold(all, ipsOf(2));
      const waiting: Promise<{ status: number; body: { code: string } }>[] = [];
      await fixture.store.transaction(async (db) => {
        await fixture.store.bulk.lockLicenses(db, [license.id]);
        waiting.push(
          remove(customer, license, "203.0.113.1"),
          customer.post(`/licenses/${license.id}/reset-ips`),
          customer.post(`/licenses/${license.id}/rotate-key`),
        );
        // All of them are authorized first. On SQLite nothing shows that they wait.
        if (kind === "sqlite") await Bun.sleep(500);
        else
          await until(
            "all wait for the license",
            async () => (await lockWaits(fixture.store.reads)) === waiting.length,
          );
        await work(db, { licenseId: license.id, productId, email });
      });
      for (const { status, body } of await Promise.all(waiting)) {
        // SQLite makes later requests wait before they are authorized: then the session already has no identity.
        const isSignedOut = kind === "sqlite" && status === 401;
        expect(isSignedOut ? expected : [status, body.code]).toEqual(expected);
      }
      expect(await registeredOn(license)).toHaveLength(2);
    });
  });

  test("a customer who changes without end waits, and nobody else does", async () => {
    const { license, customer } = await sold({});
    const { license: other, customer: someone } = await sold({});
    const path = `/licenses/${license.id}/reveal-key`;
    const answers = await Promise.all(Array.from({ length: 70 }, () => customer.post(path)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(8);
    for (const { body, headers } of refused) {
      expect(body.code).toBe("too_many_attempts");
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(600);
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    expect((await someone.post(`/licenses/${other.id}/reveal-key`)).status).toBe(200);
    expect((await customer.get(`/licenses/${license.id}`)).status).toBe(200);
  });

  test("a license whose customer removed IP addresses can be deleted", async () => {
    const { license, customer } = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(1));
    await remove(customer, license, "203.0.113.1");
    expect((await fixture.owner.api.delete(`/licenses/${license.id}`)).status).toBe(204);
  });

  test("actions that count for no budget are pruned, and no others", async () => {
    const { license, customer } = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(2));
    await remove(customer, license, "203.0.113.1");
    await spentAt(license, Date.now() - 30 * dayMs - 60_000);
    await remove(customer, license, "203.0.113.2");
    await portalActionPruning(fixture.store).run(new AbortController().signal);
    const left = await fixture.store.reads
      .selectFrom("portal_actions")
      .select("at")
      .where("license_id", "=", license.id)
      .execute();
    expect(left).toHaveLength(1);
    expect(Date.now() - Number(left[0]?.at)).toBeLessThan(60_000);
  });
});
