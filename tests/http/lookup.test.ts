import { expect, setDefaultTimeout, test } from "bun:test";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { countedRequests, openPublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const missing =
  '{"message":"This product has no license with that key.","error":"Not Found","statusCode":404}';

/** Which states show which members is tested in packages/store/suite/lookups.ts. */
testsOn(
  "sqlite",
  "lookup",
  (make) => openPublicApiFixture(make, { settings: { version_module_enabled: 1 } }),
  (fixture) => {
    const get = (path: string, method = "GET") =>
      fetch(`${fixture.url}/api/v1/license/${path}`, {
        method,
        headers: { authorization: `Bearer ${fixture.org.apiKey}` },
      });

    test("a record has all members in order, and is found regardless of case and spaces", async () => {
      const { store, organizationId, productId, license } = fixture.org;
      const buyer = { email: "Buyer@Example.com", name: "Buyer", discordId: "123456789" };
      const customerId = await store.transaction((db) =>
        customerFor(db, organizationId, buyer, newId, Date.now()),
      );
      const { id, key } = await license({
        customerId,
        expiresAtMs: Date.UTC(2040, 0, 2, 3, 4, 5, 6),
        maxIps: 5,
        notes: "paid by invoice",
        pin: { mode: "range", min: "2.1", max: "2.4" },
      });
      await store.transaction(async (db) => {
        await registerIp(db, id, "192.0.2.1", past);
        await db
          .updateTable("licenses")
          .set({ created_at: past, updated_at: past, ips_updated_at: past })
          .where("id", "=", id)
          .execute();
      });
      const answer = await fixture.api.lookup(` ${key.toLowerCase()} `);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(
        JSON.stringify({
          id,
          organization_id: organizationId,
          product_id: productId,
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

    test("an unknown key and a key of another product get the same 404", async () => {
      const { productId } = await fixture.org.product();
      const { key } = await fixture.org.license({ productId });
      for (const wanted of ["0000-0000-0000-0000", key])
        expect(await fixture.api.lookup(wanted)).toMatchObject({ status: 404, text: missing });
    });

    test("a lookup registers no IP address and records no sighting, but is logged", async () => {
      const { store, license } = fixture.org;
      const { id, key } = await license();
      const answer = await fixture.api.lookup(key);
      await until("the lookup is in the request log", async () => {
        const [row] = await requestLog(store, { id: String(answer.headers.get("x-request-id")) });
        return row?.endpoint === "lookup" && row.license_id === id;
      });
      expect(await registeredIps(store, id)).toEqual([]);
      const sightings = store.reads.selectFrom("ip_sightings").select("ip").where("scope_id", "=", id);
      expect(await sightings.execute()).toEqual([]);
      const stored = store.reads.selectFrom("licenses").selectAll().where("id", "=", id);
      const { ip_count, created_at, updated_at } = await stored.executeTakeFirstOrThrow();
      expect({ ip_count, updated_at }).toEqual({ ip_count: 0, updated_at: created_at });
    });

    test.each(["a/b", "50% off", "ключ", "key?x=1#y", "🔑 key", "a+b c", "..a", "%41", "semi;colon,comma"])(
      "the key %p is found when it is encoded in the path",
      async (key) => {
        await fixture.org.license({ key });
        expect((await fixture.api.lookup(key)).body.license_key).toBe(key);
      },
    );

    test.each(["%zz", "%", "%ff%fe", "%00", "%c3%28", "a%2", "%ed%a0%80"])(
      "the path %p, which does not encode a key, gets a counted 404",
      async (path) => {
        const before = await countedRequests(fixture.org);
        const response = await get(path);
        expect([response.status, await response.text()]).toEqual([404, missing]);
        expect(await countedRequests(fixture.org)).toBe(before + 1);
      },
    );

    test("HEAD returns the same headers without the body", async () => {
      const { key } = await fixture.org.license();
      const got = await get(key);
      const head = await get(key, "HEAD");
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect(head.headers.get("content-length")).toBe(String((await got.text()).length));
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
    });
  },
);
