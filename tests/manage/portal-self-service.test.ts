import { expect, setDefaultTimeout, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { EventType } from "@countersign/domain/events/types";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { Database } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { problemOf } from "../support/answers.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { lockWaits } from "../support/lock-waits.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { changeRows } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const ipsOf = (count: number) => Array.from({ length: count }, (_, at) => `203.0.113.${at + 1}`);
const everything = { portal_ip_removals_per_30_days: 9, portal_key_rotation: true };

/** What a license allows, and what is left of a budget, is tested in the domain; idempotency keys with transfers. */
testsOn("postgres", "what customers change themselves", openPortalFixture, (fixture) => {
  const { sold, remove, reset, rotate, reveal, registeredOn, audited, eventsOf, spentAt } =
    selfService(fixture);
  const isOnSqlite = () => fixture.database.location.kind === "sqlite";
  const outcomes = (answers: readonly { status: number; body: { code: string } }[]) =>
    answers.map(({ status, body }) => (status === 200 ? "done" : body.code)).sort();

  test("removing an IP address frees its slot for the next validation, and is recorded", async () => {
    const settings = { portal_ip_removals_per_30_days: 3 };
    const { license, customer, validate } = await sold(settings, ipsOf(1), 1);
    expect(await validate()).toBe("ip_limit_reached");
    const { body } = await remove(customer, license, "203.0.113.1");
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
    expect(await validate()).toBe("active");
    const actor = { actor_kind: "customer", actor_id: license.customerId, actor_name: "Ada" } as const;
    const before = '{"ip":"203.0.113.1"}';
    expect(await audited(license, "license.ip_removed")).toMatchObject([{ ...actor, before }]);
    expect(await eventsOf(license, "license.ip_removed")).toMatchObject([{ ip: "203.0.113.1" }]);
    // What is counted does not keep the license.
    expect((await fixture.owner.api.delete(`/licenses/${license.id}`)).status).toBe(204);
  });

  test("removing an IPv6 network takes it as it is listed, and costs nothing if it is not registered", async () => {
    const network = "2001:db8:1:2::/64";
    const { license, customer } = await sold({ portal_ip_removals_per_30_days: 1 }, [network]);
    for (const ip of ["203.0.113.77", "nonsense", "2001:db8::/64"])
      expect(problemOf(await remove(customer, license, ip))).toEqual([404, "ip_not_registered"]);
    expect((await remove(customer, license, network)).body.self_service.ip_removals.used).toBe(1);
    expect(await registeredOn(license)).toEqual([]);
  });

  test("removals are counted exactly: of 12 at once with a budget of 3, 3 succeed, and others 30 days later", async () => {
    const { license, customer } = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(15));
    const answers = await Promise.all(ipsOf(12).map((ip) => remove(customer, license, ip)));
    expect(outcomes(answers)).toEqual([...Array(3).fill("done"), ...Array(9).fill("ip_removals_used_up")]);
    expect(await registeredOn(license)).toHaveLength(12);
    expect(await audited(license, "license.ip_removed")).toHaveLength(3);
    expect(await eventsOf(license, "license.ip_removed")).toHaveLength(3);
    await spentAt(license, Date.now() - 30 * dayMs - 1_000);
    expect((await remove(customer, license, "203.0.113.15")).status).toBe(200);
  });

  test("a reset costs one removal for each IP address, is refused as a whole if they do not cover all, and is recorded", async () => {
    const { license, customer, change } = await sold({ portal_ip_removals_per_30_days: 4 }, ipsOf(5));
    const refused = await reset(customer, license);
    expect(refused.body).toMatchObject({
      ...{ status: 409, code: "ip_removals_not_enough", params: { needed: 5, count: 4 } },
    });
    expect(await registeredOn(license)).toHaveLength(5);
    await change({ portal_ip_removals_per_30_days: 6 });
    expect((await reset(customer, license)).body).toMatchObject({
      ips: [],
      current_unique_ip_count: 0,
      self_service: { ip_removals: { limit: 6, used: 5, left: 1 } },
    });
    // Without any, it costs and records nothing.
    expect((await reset(customer, license)).body.self_service.ip_removals).toMatchObject({ used: 5 });
    expect(await audited(license, "license.ips_reset")).toMatchObject([{ actor_kind: "customer" }]);
    expect(await eventsOf(license, "license.ips_reset")).toHaveLength(1);
  });

  test("a replaced key holds from the next validation on, and is recorded", async () => {
    const { license, customer, validate } = await sold({ portal_key_rotation: true }, ["203.0.113.200"]);
    const { body } = await rotate(customer, license);
    expect(await validate()).toBe("license_not_found");
    expect(await validate(body.license_key)).toBe("active");
    expect(await registeredOn(license)).toEqual(["203.0.113.200"]);
    const entries = await audited(license, "license.key_rotated");
    expect(entries).toMatchObject([{ actor_kind: "customer", actor_id: license.customerId }]);
    expect(JSON.stringify(entries)).not.toContain(body.license_key);
    expect(await eventsOf(license, "license.updated")).toMatchObject([{ changed: ["license_key"] }]);
  });

  test("a key can be replaced 5 times within 24 hours, also with requests at once", async () => {
    const { license, customer } = await sold({ portal_key_rotation: true });
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(customer, license)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(3);
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([429, "key_rotation_limit_reached"]);
      expect(Number(headers.get("retry-after"))).toBeWithin(86_000, 86_401);
    }
    await spentAt(license, Date.now() - dayMs - 1_000);
    expect((await rotate(customer, license)).status).toBe(200);
  });

  test("showing the key is recorded once an hour for each customer, without an event", async () => {
    const [{ license, customer }, other] = [await sold({}), await sold({})];
    const actor = {
      actor_kind: "customer",
      actor_id: String(license.customerId),
      actor_name: "Ada",
    } as const;
    await reveal(other.customer, other.license);
    const [recorded] = await auditOf(fixture, other.license.id);
    const anHourAgo = { ...actor, id: newId(), at: Date.now() - hourMs - 1_000, subject_id: license.id };
    await fixture.store.transaction((db) =>
      addAuditEntries(db, [{ ...(recorded as AuditLogRow), ...anHourAgo }]),
    );
    expect((await reveal(customer, license)).body).toEqual({ license_key: license.key });
    await Promise.all(Array.from({ length: 3 }, () => reveal(customer, license)));
    const entries = await audited(license, "license.key_revealed");
    expect(entries).toMatchObject([anHourAgo, { ...actor, before: null, after: null }]);
    expect(JSON.stringify(entries)).not.toContain(license.key);
    expect(await fixture.stored("events", { license_id: license.id })).toEqual([]);
  });

  test("a customer who changes without end waits, and nobody else does", async () => {
    const [{ license, customer }, other] = [await sold({}), await sold({})];
    const answers = await Promise.all(Array.from({ length: 70 }, () => reveal(customer, license)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(8);
    for (const { body, headers } of refused) {
      expect(body.code).toBe("too_many_attempts");
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 601);
    }
    expect((await reveal(other.customer, other.license)).status).toBe(200);
    expect((await customer.get(`/licenses/${license.id}`)).status).toBe(200);
  });

  /** What the license offers, and what becomes of the four changes. */
  const changes = async (customer: SignedInClient, license: AddedLicense) => {
    const { can_remove_ip, can_reset_ips, can_rotate_key } = (await customer.get(`/licenses/${license.id}`))
      .body.self_service;
    const answers = [
      await remove(customer, license, "203.0.113.1"),
      await reset(customer, license),
      await rotate(customer, license),
      await reveal(customer, license),
    ];
    return {
      offered: [can_remove_ip, can_reset_ips, can_rotate_key],
      codes: answers.map(({ status, body }) => (status === 200 ? "done" : body.code)),
      texts: answers.map(({ text }) => text).join(),
    };
  };
  type Sold = Awaited<ReturnType<typeof sold>>;
  const nothing = [false, false, false];
  test.each<[string, code: string, settings: object, change: (of: Sold) => unknown]>([
    ["a product with default settings", "self_service_off", {}, () => {}],
    ["a disabled product", "product_not_active", everything, ({ change }) => change({ status: "disabled" })],
    [
      "a revoked license",
      "license_is_revoked",
      everything,
      ({ license: { id } }) => fixture.owner.api.post(`/licenses/${id}/revoke`, {}),
    ],
  ])("%s offers only to show the key, and refuses changes: %s", async (_, code, settings, change) => {
    const one = await sold(settings, ipsOf(2));
    await change(one);
    const refused = { offered: nothing, codes: [code, code, code, "done"] };
    expect(await changes(one.customer, one.license)).toMatchObject(refused);
    expect(await registeredOn(one.license)).toHaveLength(2);
  });

  test("an expired license offers to remove its IP addresses, and no new key", async () => {
    const { license, customer } = await sold(everything, ipsOf(2));
    await fixture.change("licenses", { id: license.id }, { is_lifetime: 0, expires_at: Date.now() - 1_000 });
    const codes = ["done", "done", "license_is_expired", "done"];
    expect(await changes(customer, license)).toMatchObject({ offered: [true, true, false], codes });
    expect(await registeredOn(license)).toEqual([]);
  });

  test("a suspended seller's licenses can be viewed, and not changed, without the reason", async () => {
    const seller = await fixture.seller(everything);
    const { customer, shown, ...license } = await fixture.sold(seller);
    const suspend = `/admin/organizations/${seller.organizationId}/suspend`;
    await fixture.admin.api.post(suspend, { reason: "A secret of the operator" });
    const view = await shown();
    expect(view.seller.is_suspended).toBe(true);
    const { offered, codes, texts } = await changes(customer, license);
    expect([offered, codes]).toEqual([nothing, Array(4).fill("seller_suspended")]);
    expect(texts + JSON.stringify(view)).not.toContain("A secret of the operator");
  });

  type Facts = { id: string; productId: string; email: string };
  const meanwhile: [string, (db: Database, facts: Facts) => Promise<unknown>, [number, string]][] = [
    [
      "the seller gave the license to someone else",
      async (db, { id }) => {
        const who = { email: `${newId()}@example.com`, discordId: null, name: null };
        const customer_id = await customerFor(db, fixture.organizationId, who, newId, Date.now());
        await changeRows(db, "licenses", { id }, { customer_id });
      },
      [404, "not_found"],
    ],
    [
      "the seller turned it off",
      (db, { productId: id }) => {
        const off = { portal_ip_removals_per_30_days: 0, portal_key_rotation: 0 } as const;
        return changeRows(db, "products", { id }, off);
      },
      [403, "self_service_off"],
    ],
    [
      "the product was hidden",
      (db, { productId: id }) => changeRows(db, "products", { id }, { portal_enabled: 0 }),
      [404, "not_found"],
    ],
    [
      "the license was revoked",
      (db, { id }) => changeRows(db, "licenses", { id }, { revoked_at: Date.now() }),
      [409, "license_is_revoked"],
    ],
    [
      "the person lost the identity",
      (db, { email }) => db.deleteFrom("portal_identities").where("value", "=", email).execute(),
      [404, "not_found"],
    ],
  ];
  test.each(meanwhile)("a change that waits for the license is refused if %s", async (_, work, expected) => {
    const { license, customer, productId, email } = await sold(everything, ipsOf(2));
    const { store } = fixture;
    const waiting: ReturnType<SignedInClient["send"]>[] = [];
    await store.transaction(async (db) => {
      await store.bulk.lockLicenses(db, [license.id]);
      waiting.push(
        remove(customer, license, "203.0.113.1"),
        reset(customer, license),
        rotate(customer, license),
      );
      // All of them are authorized first. On SQLite nothing shows that they wait.
      if (isOnSqlite()) await Bun.sleep(500);
      else await until("all wait for the license", async () => (await lockWaits(store.reads)) === 3);
      await work(db, { id: license.id, productId, email });
    });
    for (const answer of await Promise.all(waiting)) {
      // SQLite makes later requests wait before they are authorized: then the session already has no identity.
      const isSignedOut = isOnSqlite() && answer.status === 401;
      expect(isSignedOut ? expected : problemOf(answer)).toEqual(expected);
    }
    expect(await registeredOn(license)).toHaveLength(2);
  });
});

/** Licenses of signed-in customers, what the customers can do to them, and what is recorded of it. */
function selfService(fixture: PortalFixture) {
  /** A license of a product with these settings, with these IP addresses, and its customer. */
  const sold = async (settings: object, ips: readonly string[] = [], maxIps = 100) => {
    const path = `/organizations/${fixture.organizationId}/products`;
    const { body: product } = await fixture.owner.api.post(path, { name: "Plugin", ...settings });
    const email = `${newId()}@example.com`;
    const of = { ...fixture, productId: product.id };
    const license = await addLicense(of, { customer: { email, name: "Ada" }, maxIps });
    await fixture.store.transaction(async (db) => {
      for (const ip of ips) await registerIp(db, license.id, ip, Date.now());
    });
    const api = apiOf(fixture.url, product.api_key);
    const from = { "x-forwarded-for": "203.0.113.200" };
    return {
      license,
      email,
      productId: String(product.id),
      customer: await fixture.signedIn(email),
      validate: async (key = license.key) => (await api.validate({ license_key: key }, from)).body.status,
      change: (body: object) => fixture.owner.api.patch(`/products/${product.id}`, body),
    };
  };
  const remove = (customer: SignedInClient, { id }: AddedLicense, ip: string) =>
    customer.delete(`/licenses/${id}/ips/${encodeURIComponent(ip)}`);
  const post = (action: string) => (customer: SignedInClient, license: AddedLicense) =>
    customer.post(`/licenses/${license.id}/${action}`);
  const [reset, rotate, reveal] = [post("reset-ips"), post("rotate-key"), post("reveal-key")];
  const registeredOn = async ({ id }: AddedLicense) => {
    const ips = await fixture.stored("license_ips", { license_id: id });
    expect(await fixture.stored("licenses", { id })).toMatchObject([{ ip_count: ips.length }]);
    return ips.map(({ ip }) => ip).sort();
  };
  const audited = async ({ id }: AddedLicense, action: string) =>
    (await auditOf(fixture, id)).filter((entry) => entry.action === action);
  const eventsOf = async ({ id }: AddedLicense, type: EventType) =>
    (await fixture.stored("events", { license_id: id, type })).map(({ data }) => JSON.parse(data));
  /** As if everything that counts for a budget had happened then. */
  const spentAt = ({ id }: AddedLicense, at: number) =>
    fixture.change("portal_actions", { license_id: id }, { at });
  return { sold, remove, reset, rotate, reveal, registeredOn, audited, eventsOf, spentAt };
}
