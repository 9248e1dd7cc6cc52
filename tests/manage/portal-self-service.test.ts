import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { EventType } from "@countersign/domain/events/types";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { Database } from "@countersign/store/store";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { on, type TestDatabase } from "../support/databases.ts";
import { lockWaits } from "../support/lock-waits.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const ipsOf = (count: number) => Array.from({ length: count }, (_, at) => `203.0.113.${at + 1}`);
const everything = { portal_ip_removals_per_30_days: 9, portal_key_rotation: true };

/** The rules, such as which setting allows what, are tested in the domain. */
describe.each(on("postgres"))("what customers change themselves on $kind", ({ make }) => {
  const sellers = selfService(make);
  const { sold, remove, reset, rotate, registeredOn, audited, eventsOf, spentAt } = sellers;
  const outcomes = (answers: readonly { status: number; body: { code: string } }[]) =>
    answers.map(({ status, body }) => (status === 200 ? "done" : body.code)).sort();

  describe("removing an IP address", () => {
    test("frees its slot for the next validation, and is recorded", async () => {
      const { license, customer, validate } = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(1), 1);
      expect(await validate()).toBe("ip_limit_reached");
      const { status, body } = await remove(customer, license, "203.0.113.1");
      expect(status).toBe(200);
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
      const entries = await audited(license, "license.ip_removed");
      expect(entries.map(({ before }) => before)).toEqual(['{"ip":"203.0.113.1"}']);
      expect(entries).toMatchObject([
        { actor_kind: "customer", actor_id: license.customerId, actor_name: "Ada" },
      ]);
      expect(await eventsOf(license, "license.ip_removed")).toMatchObject([{ ip: "203.0.113.1" }]);
      // What is counted does not keep the license.
      expect((await sellers.owner().api.delete(`/licenses/${license.id}`)).status).toBe(204);
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

    test("takes an IPv6 network as it is listed, and costs nothing if the address is not registered", async () => {
      const network = "2001:db8:1:2::/64";
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 1 }, [network]);
      for (const ip of ["203.0.113.77", "nonsense", "2001:db8::/64"]) {
        const refused = await remove(customer, license, ip);
        expect([refused.status, refused.body.code]).toEqual([404, "ip_not_registered"]);
      }
      const { body } = await customer.get(`/licenses/${license.id}`);
      expect(body.self_service.ip_removals).toMatchObject({ used: 0, left: 1, next_at: null });
      expect((await remove(customer, license, network)).status).toBe(200);
      expect(await registeredOn(license)).toEqual([]);
    });

    test("is counted exactly: of 12 at once with a budget of 3, 3 succeed", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 3 }, ipsOf(15));
      const answers = await Promise.all(ipsOf(12).map((ip) => remove(customer, license, ip)));
      expect(outcomes(answers)).toEqual([...Array(3).fill("done"), ...Array(9).fill("ip_removals_used_up")]);
      expect(await registeredOn(license)).toHaveLength(12);
      expect(await audited(license, "license.ip_removed")).toHaveLength(3);
      expect(await eventsOf(license, "license.ip_removed")).toHaveLength(3);
    });

    test("at the same moment as a reset never removes more than the budget", async () => {
      const { license, customer } = await sold({ portal_ip_removals_per_30_days: 5 }, ipsOf(5));
      const answers = await Promise.all([
        ...ipsOf(5).map((ip) => remove(customer, license, ip)),
        reset(customer, license),
      ]);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
      expect(await registeredOn(license)).toEqual([]);
      const { body } = await customer.get(`/licenses/${license.id}`);
      expect(body.self_service.ip_removals).toMatchObject({ used: 5, left: 0 });
    });
  });

  describe("removing all IP addresses", () => {
    test("costs one removal for each, and is refused as a whole if they do not cover all", async () => {
      const { license, customer, change } = await sold({ portal_ip_removals_per_30_days: 4 }, ipsOf(5));
      const refused = await reset(customer, license);
      expect([refused.status, refused.body.code]).toEqual([409, "ip_removals_not_enough"]);
      expect(refused.body.params).toEqual({ needed: 5, count: 4 });
      expect(await registeredOn(license)).toHaveLength(5);
      await change({ portal_ip_removals_per_30_days: 6 });
      expect((await reset(customer, license)).body).toMatchObject({
        ips: [],
        current_unique_ip_count: 0,
        self_service: { ip_removals: { limit: 6, used: 5, left: 1 } },
      });
      expect(await registeredOn(license)).toEqual([]);
      // Without any, it costs and records nothing.
      expect((await reset(customer, license)).body.self_service.ip_removals).toMatchObject({ used: 5 });
      expect(await audited(license, "license.ips_reset")).toMatchObject([{ actor_kind: "customer" }]);
      expect(await eventsOf(license, "license.ips_reset")).toHaveLength(1);
    });

    test("is done once for a repeated request with the same Idempotency-Key", async () => {
      const { license, customer, register } = await sold(everything, ipsOf(2));
      const once = { "idempotency-key": newId() };
      const first = await reset(customer, license, once);
      await register(ipsOf(2));
      const second = await reset(customer, license, once);
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      expect(second.text).toBe(first.text);
      expect(await registeredOn(license)).toHaveLength(2);
    });
  });

  describe("replacing the key", () => {
    test("holds from the next validation on, and is recorded", async () => {
      const { license, customer, validate } = await sold({ portal_key_rotation: true }, ["203.0.113.200"]);
      expect(await validate()).toBe("active");
      const { status, body } = await rotate(customer, license);
      expect(status).toBe(200);
      expect(body.license_key).not.toBe(license.key);
      expect(await validate()).toBe("license_not_found");
      expect(await validate(body.license_key)).toBe("active");
      expect(await registeredOn(license)).toEqual(["203.0.113.200"]);
      const entries = await audited(license, "license.key_rotated");
      expect(entries).toMatchObject([{ actor_kind: "customer", actor_id: license.customerId }]);
      expect(JSON.stringify(entries)).not.toContain(body.license_key);
      expect(await eventsOf(license, "license.updated")).toMatchObject([{ changed: ["license_key"] }]);
    });

    test("is possible 5 times within 24 hours, also with requests at once", async () => {
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
  });

  test("showing the key is recorded once an hour for each customer, without an event", async () => {
    const { license, customer } = await sold({});
    const entry = {
      actor_kind: "customer",
      actor_id: String(license.customerId),
      actor_name: "Ada",
      before: null,
      after: null,
    } as const;
    const anHourAgo = {
      ...entry,
      id: newId(),
      at: Date.now() - hourMs - 1_000,
      organization_id: sellers.fixture().organizationId,
      access_token_id: null,
      action: "license.key_revealed",
      subject_kind: "license",
      subject_id: license.id,
      subject_name: null,
      ip: null,
      request_id: null,
    } as const;
    await sellers.write((db) => db.insertInto("audit_log").values(anHourAgo).execute());
    const reveal = () => customer.post(`/licenses/${license.id}/reveal-key`);
    expect((await reveal()).body).toEqual({ license_key: license.key });
    await Promise.all([reveal(), reveal(), reveal()]);
    const [before, ...entries] = await audited(license, "license.key_revealed");
    expect(before?.id).toBe(anHourAgo.id);
    expect(entries).toMatchObject([entry]);
    expect(JSON.stringify(entries)).not.toContain(license.key);
    expect(await eventsOf(license)).toEqual([]);
  });

  test("a customer who changes without end waits, and nobody else does", async () => {
    const [{ license, customer }, other] = [await sold({}), await sold({})];
    const reveal = (by: SignedInClient, { id }: AddedLicense) => by.post(`/licenses/${id}/reveal-key`);
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
});

describe.each(on("postgres"))("what the seller allows customers on $kind", ({ kind, make }) => {
  const sellers = selfService(make);
  const { sold, remove, reset, rotate, registeredOn, audited } = sellers;

  /** What the four changes answer, and which of them the license offers. */
  const changes = async (customer: SignedInClient, license: AddedLicense) => {
    const { body } = await customer.get(`/licenses/${license.id}`);
    const answers = [
      await remove(customer, license, "203.0.113.1"),
      await reset(customer, license),
      await rotate(customer, license),
      await customer.post(`/licenses/${license.id}/reveal-key`),
    ];
    const { can_remove_ip, can_reset_ips, can_rotate_key } = body.self_service ?? {};
    return {
      offered: [can_remove_ip, can_reset_ips, can_rotate_key],
      codes: answers.map((answer) => (answer.status === 200 ? "done" : answer.body.code)),
      texts: answers.map(({ text }) => text).join() + JSON.stringify(body),
    };
  };
  const nothing = [false, false, false];
  const viewingOnly = (code: string) => [code, code, code, "done"];

  type Change = (of: Awaited<ReturnType<typeof sold>>) => Promise<unknown>;
  const cases: readonly (readonly [string, object, Change, unknown[], string[]])[] = [
    [
      "allows nothing but viewing unless changed",
      {},
      async () => {},
      nothing,
      viewingOnly("self_service_off"),
    ],
    [
      "turns it off from the next request on",
      everything,
      ({ change }) => change({ portal_ip_removals_per_30_days: 0, portal_key_rotation: false }),
      nothing,
      viewingOnly("self_service_off"),
    ],
    ...["disabled", "archived"].map(
      (status) =>
        [
          `allows nothing but viewing in ${status} products`,
          everything,
          ({ change }: Parameters<Change>[0]) => change({ status }),
          nothing,
          viewingOnly("product_not_active"),
        ] as const,
    ),
    [
      "allows nothing but viewing revoked licenses",
      everything,
      ({ license }) => sellers.owner().api.post(`/licenses/${license.id}/revoke`, {}),
      nothing,
      viewingOnly("license_is_revoked"),
    ],
    [
      "lets expired licenses lose IP addresses, and keep their key",
      everything,
      ({ license }) =>
        sellers.write((db) =>
          db
            .updateTable("licenses")
            .set({ is_lifetime: 0, expires_at: Date.now() - 1_000 })
            .where("id", "=", license.id)
            .execute(),
        ),
      [true, true, false],
      ["done", "done", "license_is_expired", "done"],
    ],
    [
      "hides licenses of hidden products from changes too",
      everything,
      ({ change }) => change({ portal_enabled: false }),
      [undefined, undefined, undefined],
      Array(4).fill("not_found"),
    ],
  ];
  test.each(cases)("the seller %s", async (_, settings, change, offered, codes) => {
    const one = await sold(settings, ipsOf(2));
    await change(one);
    expect(await changes(one.customer, one.license)).toMatchObject({ offered: [...offered], codes });
    expect(await registeredOn(one.license)).toHaveLength(codes[0] === "done" ? 0 : 2);
  });

  test("a suspended seller's licenses can be viewed, and not changed, without the reason", async () => {
    const fixture = sellers.fixture();
    const seller = await fixture.seller({ product: everything });
    const email = `${newId()}@example.com`;
    const license = await addLicense(seller, { customer: { email } });
    const customer = await fixture.signedIn(email);
    const suspend = `/admin/organizations/${seller.organizationId}/suspend`;
    await fixture.admin.api.post(suspend, { reason: "A secret of the operator" });
    expect((await customer.get(`/licenses/${license.id}`)).body.seller.is_suspended).toBe(true);
    const { offered, codes, texts } = await changes(customer, license);
    expect([offered, codes]).toEqual([nothing, Array(4).fill("seller_suspended")]);
    expect(texts).not.toContain("A secret of the operator");
  });

  test("settings that are turned off while customers change something decide each change as a whole", async () => {
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

  test("a license that is given to someone else while it is changed loses nothing more to its former customer", async () => {
    const { license, customer } = await sold(everything, ipsOf(9));
    const giveAway = { customer_email: `${newId()}@example.com` };
    const [given, ...answers] = await Promise.all([
      sellers.owner().api.patch(`/licenses/${license.id}`, giveAway),
      ...ipsOf(9).map((ip) => remove(customer, license, ip)),
    ]);
    expect(given.status).toBe(200);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    // Each removal that succeeded came before the change of owner.
    const removals = await audited(license, "license.ip_removed");
    expect(removals).toHaveLength(answers.filter(({ status }) => status === 200).length);
    for (const { actor_id: actor } of removals) expect(actor).toBe(license.customerId);
  });

  test("an identity that moved to another person takes its licenses along at once", async () => {
    const { license, email, customer } = await sold({});
    const other = await sellers.fixture().signedIn({ discordIds: [`9${Date.now()}0000`] });
    await sellers.write((db) =>
      db
        .updateTable("portal_identities")
        .set({ person_id: other.personId })
        .where("value", "=", email)
        .execute(),
    );
    expect((await customer.post(`/licenses/${license.id}/reveal-key`)).status).toBe(401);
    expect((await other.post(`/licenses/${license.id}/reveal-key`)).body.license_key).toBe(license.key);
  });

  type Facts = { licenseId: string; productId: string; email: string };
  const meanwhile: [string, (db: Database, facts: Facts) => Promise<unknown>, [number, string]][] = [
    [
      "the seller gave the license to someone else",
      async (db, { licenseId }) => {
        const who = { email: `${newId()}@example.com`, discordId: null, name: null };
        const { organizationId } = sellers.fixture();
        const customer_id = await customerFor(db, organizationId, who, newId, Date.now());
        await db.updateTable("licenses").set({ customer_id }).where("id", "=", licenseId).execute();
      },
      [404, "not_found"],
    ],
    [
      "the seller turned it off",
      (db, { productId }) =>
        db
          .updateTable("products")
          .set({ portal_ip_removals_per_30_days: 0, portal_key_rotation: 0 })
          .where("id", "=", productId)
          .execute(),
      [403, "self_service_off"],
    ],
    [
      "the product was hidden",
      (db, { productId }) =>
        db.updateTable("products").set({ portal_enabled: 0 }).where("id", "=", productId).execute(),
      [404, "not_found"],
    ],
    [
      "the license was revoked",
      (db, { licenseId }) =>
        db.updateTable("licenses").set({ revoked_at: Date.now() }).where("id", "=", licenseId).execute(),
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
    const { store } = sellers.fixture();
    const waiting: Promise<{ status: number; body: { code: string } }>[] = [];
    await store.transaction(async (db) => {
      await store.bulk.lockLicenses(db, [license.id]);
      waiting.push(
        remove(customer, license, "203.0.113.1"),
        reset(customer, license),
        rotate(customer, license),
      );
      // All of them are authorized first. On SQLite nothing shows that they wait.
      if (kind === "sqlite") await Bun.sleep(500);
      else await until("all wait for the license", async () => (await lockWaits(store.reads)) === 3);
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

/** Licenses of signed-in customers, what the customers can do to them, and what is recorded of it. */
function selfService(make: () => Promise<TestDatabase>) {
  let fixture: PortalFixture;
  beforeAll(async () => {
    fixture = await openPortalFixture(make);
  });
  afterAll(() => fixture.close());

  const write = <T>(work: (db: Database) => Promise<T>) => fixture.store.transaction(work);
  return {
    fixture: () => fixture,
    owner: () => fixture.owner,
    write,
    /** A product with these settings, a license of it with these IP addresses, and its customer. */
    sold: async (settings: object, ips: readonly string[] = [], maxIps = 100) => {
      const path = `/organizations/${fixture.organizationId}/products`;
      const { body: product } = await fixture.owner.api.post(path, { name: "Plugin", ...settings });
      const email = `${newId()}@example.com`;
      const license = await addLicense(
        { ...fixture, productId: product.id },
        { customer: { email, name: "Ada" }, maxIps },
      );
      const register = (some: readonly string[]) =>
        write(async (db) => {
          for (const ip of some) await registerIp(db, license.id, ip, Date.now());
        });
      await register(ips);
      const api = apiOf(fixture.server.url, product.api_key);
      return {
        license,
        email,
        register,
        productId: String(product.id),
        customer: await fixture.signedIn(email),
        validate: async (key = license.key) =>
          (await api.validate({ license_key: key }, { "x-forwarded-for": "203.0.113.200" })).body.status,
        change: (body: object) => fixture.owner.api.patch(`/products/${product.id}`, body),
      };
    },
    remove: (customer: SignedInClient, { id }: AddedLicense, ip: string) =>
      customer.delete(`/licenses/${id}/ips/${encodeURIComponent(ip)}`),
    reset: (customer: SignedInClient, { id }: AddedLicense, headers = {}) =>
      customer.post(`/licenses/${id}/reset-ips`, undefined, headers),
    rotate: (customer: SignedInClient, { id }: AddedLicense) => customer.post(`/licenses/${id}/rotate-key`),
    registeredOn: async ({ id }: AddedLicense) => {
      const { reads } = fixture.store;
      const ips = await reads.selectFrom("license_ips").select("ip").where("license_id", "=", id).execute();
      const row = reads.selectFrom("licenses").select("ip_count").where("id", "=", id);
      expect((await row.executeTakeFirstOrThrow()).ip_count).toBe(ips.length);
      return ips.map(({ ip }) => ip).sort();
    },
    audited: ({ id }: AddedLicense, action: string) =>
      fixture.store.reads
        .selectFrom("audit_log")
        .selectAll()
        .where("subject_id", "=", id)
        .where("action", "=", action)
        .orderBy("id")
        .execute(),
    eventsOf: async ({ id }: AddedLicense, type?: EventType) => {
      const rows = await fixture.store.reads
        .selectFrom("events")
        .select(["type", "data"])
        .where("license_id", "=", id)
        .execute();
      return rows
        .filter((row) => type === undefined || row.type === type)
        .map(({ data }) => JSON.parse(data));
    },
    /** As if everything that counts for a budget had happened then. */
    spentAt: ({ id }: AddedLicense, atMs: number) =>
      write((db) =>
        db.updateTable("portal_actions").set({ at: atMs }).where("license_id", "=", id).execute(),
      ),
  };
}
