import { expect, setDefaultTimeout, test } from "bun:test";
import { licenseRecord } from "@countersign/contract/public/public-api";
import { countedRequests, openPublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { storedRow, storedRows } from "../support/stored-rows.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const missing =
  '{"message":"This product has no license with that key.","error":"Not Found","statusCode":404}';

/** The values of all members, and which states show which, are tested in packages/store/suite/lookups.ts. */
testsOn(
  "sqlite",
  "lookup",
  (make) => openPublicApiFixture(make, { settings: { version_module_enabled: 1 } }),
  (fixture) => {
    const get = (path: string, method = "GET") => {
      const headers = { authorization: `Bearer ${fixture.org.apiKey}` };
      return fetch(`${fixture.url}/api/v1/license/${path}`, { method, headers });
    };

    test("the record of a license has all members in order, and is found regardless of case and spaces", async () => {
      const { id, key } = await fixture.org.license({ key: "Imported-Key" });
      const answer = await fixture.api.lookup(` ${key.toLowerCase()} `);
      expect(answer).toMatchObject({ status: 200, body: { id, license_key: key } });
      expect(Object.keys(answer.body)).toEqual(Object.keys(licenseRecord.shape));
    });

    test("an unknown key and a key of another product get the same 404", async () => {
      const { productId } = await fixture.org.product();
      const { key } = await fixture.org.license({ productId });
      for (const wanted of ["0000-0000-0000-0000", key])
        expect(await fixture.api.lookup(wanted)).toMatchObject({ status: 404, text: missing });
    });

    test("a lookup records no sighting of the IP address and changes nothing, but is logged", async () => {
      const { store, license } = fixture.org;
      const { id, key } = await license();
      const before = await storedRow(store.reads, "licenses", { id });
      const answer = await fixture.api.lookup(key);
      await until("the lookup is in the request log", async () => {
        const [row] = await requestLog(store, { id: String(answer.headers.get("x-request-id")) });
        return row?.endpoint === "lookup" && row.license_id === id;
      });
      expect(await registeredIps(store, id)).toEqual([]);
      expect(await storedRows(store.reads, "ip_sightings", { scope_id: id })).toEqual([]);
      expect(await storedRow(store.reads, "licenses", { id })).toEqual(before);
    });

    test.each(["a/b", "50% off", "ключ 🔑", "key?x=1#y", "a+b c", "..a", "%41"])(
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

    test("HEAD of a license returns the headers of GET without the body", async () => {
      const { key } = await fixture.org.license();
      const got = await get(key);
      const head = await get(key, "HEAD");
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect(head.headers.get("content-length")).toBe(String((await got.text()).length));
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
    });
  },
);
