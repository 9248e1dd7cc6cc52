import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { ProductSettings } from "@countersign/store/queries/products/products";
import type { OrganizationRow } from "@countersign/store/tables";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
  registeredIps,
} from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { newId, openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const future = Date.UTC(2040, 0, 2, 3, 4, 5, 6);
const missing =
  '{"message":"This product has no license with that key.","error":"Not Found","statusCode":404}';

/** States in which validate refuses every call and lookup still returns the record. */
const shownAnyway: readonly {
  what: string;
  product?: Partial<ProductSettings>;
  organization?: Partial<OrganizationRow>;
}[] = [
  { what: "an archived product", product: { status: "archived" } },
  { what: "a disabled product", product: { status: "disabled" } },
  { what: "a suspended organization", organization: { suspended_at: past } },
  { what: "suspended billing", organization: { billing_state: "suspended" } },
];

/** Unusual imported keys, and unusual ways to encode them in a path. */
const oddKeys = ["a/b", "50% off", "ключ", "key?x=1#y", "🔑 key", "a+b c", "..a", "%41", "semi;colon,comma"];
const brokenPaths = ["%zz", "%", "%ff%fe", "%00", "%c3%28", "a%2", "%ed%a0%80"];

for (const { kind, make } of on("sqlite")) {
  describe(`lookup on ${kind}`, () => {
    let fixture: PublicApiFixture;
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make, { settings: { version_module_enabled: 1 } });
    });
    afterAll(() => fixture.close());

    test("a record has all members in order", async () => {
      const { org, api } = fixture;
      const customerId = await org.store.transaction((db) =>
        customerFor(
          db,
          org.organizationId,
          { email: "Buyer@Example.com", name: "Buyer", discordId: "123456789" },
          newId,
          Date.now(),
        ),
      );
      const { id, key } = await org.license({
        customerId,
        expiresAtMs: future,
        maxIps: 5,
        notes: "paid by invoice",
        pin: { mode: "range", min: "2.1", max: "2.4" },
      });
      await org.store.transaction(async (db) => {
        await registerIp(db, id, "192.0.2.1", past);
        await db
          .updateTable("licenses")
          .set({ created_at: past, updated_at: past, ips_updated_at: past })
          .where("id", "=", id)
          .execute();
      });
      const answer = await api.lookup(key);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(
        JSON.stringify({
          id,
          organization_id: org.organizationId,
          product_id: org.productId,
          global_customer_id: customerId,
          license_key: key,
          status: "active",
          expires_at: "2040-01-02T03:04:05.006Z",
          is_lifetime: false,
          ip_system_enabled: true,
          max_ips: 5,
          current_unique_ip_count: 1,
          notes: "paid by invoice",
          version_pin_mode: "range",
          version_pinned: null,
          version_range_min: "2.1",
          version_range_max: "2.4",
          revoked_at: null,
          created_at: "2020-01-02T03:04:05.006Z",
          updated_at: "2020-01-02T03:04:05.006Z",
          customer_email: "Buyer@Example.com",
          customer_name: "Buyer",
          customer_discord_id: "123456789",
        }),
      );
    });

    const states = [
      {
        what: "lifetime, without IP tracking",
        license: { maxIps: null },
        shows: { status: "active", is_lifetime: true },
      },
      {
        what: "revoked",
        license: { revokedAtMs: past },
        shows: { status: "revoked", revoked_at: iso(past) },
      },
      {
        what: "expired",
        license: { expiresAtMs: past },
        shows: { status: "expired", expires_at: iso(past) },
      },
      {
        what: "revoked and expired",
        license: { revokedAtMs: past, expiresAtMs: past },
        shows: { status: "revoked", revoked_at: iso(past) },
      },
      {
        what: "pinned",
        license: { pin: { mode: "pinned" as const, version: "2.1.0" } },
        shows: { version_pin_mode: "pinned", version_pinned: "2.1.0" },
      },
    ];
    for (const { what, license, shows } of states) {
      test(`the record of a license that is ${what} says so`, async () => {
        const { key } = await fixture.org.license(license);
        expect((await fixture.api.lookup(key)).body).toMatchObject(shows);
      });
    }

    test("max_ips is null without IP tracking, and the pin mode is null without version management", async () => {
      const plain = await openTestOrganization(null, { store: fixture.store });
      const { key } = await plain.license({ maxIps: null, pin: { mode: "pinned", version: "1.0.0" } });
      const { body } = await apiOf(fixture.server.url, plain.apiKey).lookup(key);
      expect(body).toMatchObject({ ip_system_enabled: false, max_ips: null, version_pin_mode: null });
    });

    test("an unknown key and a key of another product get the same 404", async () => {
      const other = await fixture.org.product();
      const { key } = await fixture.org.license({ productId: other.productId });
      for (const wanted of ["0000-0000-0000-0000", key]) {
        const answer = await fixture.api.lookup(wanted);
        expect(answer.status).toBe(404);
        expect(answer.text).toBe(missing);
      }
    });

    for (const { what, product, organization } of shownAnyway) {
      test(`${what} still returns its licenses`, async () => {
        const settings = product === undefined ? {} : { settings: product };
        const org = await openTestOrganization(null, { store: fixture.store, ...settings });
        const { key } = await org.license();
        if (organization !== undefined) {
          await org.store.transaction((db) =>
            db.updateTable("organizations").set(organization).where("id", "=", org.organizationId).execute(),
          );
        }
        const answer = await apiOf(fixture.server.url, org.apiKey).lookup(key);
        expect(answer.body).toMatchObject({ license_key: key, status: "active" });
      });
    }

    test("a deleted product returns no license", async () => {
      const org = await openTestOrganization(null, { store: fixture.store });
      const { key } = await org.license();
      await org.store.transaction((db) =>
        db.updateTable("products").set({ deleted_at: past }).where("id", "=", org.productId).execute(),
      );
      expect((await apiOf(fixture.server.url, org.apiKey).lookup(key)).text).toBe(missing);
    });

    test("a lookup registers no IP address and records no sighting, but is logged", async () => {
      const { org, api } = fixture;
      const { id, key } = await org.license();
      const answer = await api.lookup(key);
      const reads = org.store.reads;
      await until("the lookup is in the request log", async () => {
        const requestId = answer.headers.get("x-request-id") ?? "";
        const [row] = await requestLog(org.store, { id: requestId });
        return row?.endpoint === "lookup" && row.license_id === id;
      });
      expect(await registeredIps(org.store, id)).toEqual([]);
      const sightings = await reads
        .selectFrom("ip_sightings")
        .select("ip")
        .where("scope_id", "=", id)
        .execute();
      expect(sightings).toEqual([]);
      const row = await reads
        .selectFrom("licenses")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      expect(row.ip_count).toBe(0);
      expect(row.updated_at).toBe(row.created_at);
    });

    test("a key is found in lower case and with spaces around it", async () => {
      const { key } = await fixture.org.license();
      expect((await fixture.api.lookup(` ${key.toLowerCase()} `)).body.license_key).toBe(key);
    });

    for (const key of oddKeys) {
      test(`the key ${key} is found when it is encoded in the path`, async () => {
        await fixture.org.license({ key });
        expect((await fixture.api.lookup(key)).body.license_key).toBe(key);
      });
    }

    for (const path of brokenPaths) {
      test(`the path ${path}, which does not encode a key, gets a counted 404`, async () => {
        const before = await countedRequests(fixture.org);
        const headers = { authorization: `Bearer ${fixture.org.apiKey}` };
        const response = await fetch(`${fixture.server.url}/api/v1/license/${path}`, { headers });
        expect(response.status).toBe(404);
        expect(await response.text()).toBe(missing);
        expect(await countedRequests(fixture.org)).toBe(before + 1);
      });
    }

    test("HEAD returns the same headers without the body", async () => {
      const { key } = await fixture.org.license();
      const headers = { authorization: `Bearer ${fixture.org.apiKey}` };
      const got = await fetch(`${fixture.server.url}/api/v1/license/${key}`, { headers });
      const head = await fetch(`${fixture.server.url}/api/v1/license/${key}`, { headers, method: "HEAD" });
      expect(head.status).toBe(200);
      expect(await head.text()).toBe("");
      expect(head.headers.get("content-length")).toBe(String((await got.text()).length));
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
    });
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
