import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateTestKey } from "@countersign/domain/products/api-key";
import { sandboxStatuses } from "@countersign/domain/sandbox/license-keys";
import { type Verification, verifyBody } from "@countersign/domain/signing/signature";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

interface Sandbox {
  readonly api_key: string;
  readonly signing_key: { readonly id: string; readonly secret: string };
  readonly license_keys: readonly {
    readonly license_key: string;
    readonly status: string;
    readonly http_status: number;
    readonly lookup_http_status: number;
  }[];
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const nonce = "abcdefghijklmnop_-0123";
const isMarked = (answer: { readonly headers: Headers }) => answer.headers.get("x-countersign-sandbox");

describe.each(on("sqlite"))("the sandbox on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let productId = "";
  let sandbox: Sandbox;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    productId = await newProduct("Signed", {
      signed_validation: true,
      custom_response_enabled: true,
      custom_response: {
        customer: "{{customer.email}}",
        license: "{{license.key}}",
        product: "{{product.name}}",
        version: "{{request.version}}",
      },
    });
    sandbox = await sandboxOf(productId);
  });
  afterAll(() => fixture.close());

  const newProduct = async (name: string, settings: object = {}): Promise<string> => {
    const path = `/organizations/${fixture.organizationId}/products`;
    const { status, body } = await fixture.owner.api.post(path, { name, ...settings });
    expect(status).toBe(201);
    return String(body.id);
  };
  const sandboxOf = async (id: string): Promise<Sandbox> => {
    const { status, body } = await fixture.owner.api.get(`/products/${id}/sandbox`);
    expect(status).toBe(200);
    return body as unknown as Sandbox;
  };
  const publicApi = (apiKey = sandbox.api_key) => apiOf(fixture.server.url, apiKey);
  const verify = (body: string, licenseKeyAsSent: string): Verification =>
    verifyBody(body, {
      secretFor: (id) =>
        id === sandbox.signing_key.id ? Buffer.from(sandbox.signing_key.secret, "hex") : null,
      productId,
      licenseKeyAsSent,
      nonce,
      nowUnixSeconds: Math.floor(Date.now() / 1000),
      toleranceSeconds: 120,
    });

  test("every outcome has a license key, and every key gives its outcome", async () => {
    expect(sandbox.api_key).toStartWith("cskt_");
    const outcomes = new Set(sandbox.license_keys.map(({ status }) => status));
    expect([...outcomes].toSorted()).toEqual([...sandboxStatuses].toSorted());
    for (const { license_key: key, status, http_status: httpStatus } of sandbox.license_keys) {
      const sent = ` ${key.toLowerCase()} `;
      const answer = await publicApi().validate(
        { license_key: sent, version: "1.2.3" },
        { "x-countersign-nonce": nonce },
      );
      expect([key, answer.status, answer.body.status]).toEqual([key, httpStatus, status]);
      expect(answer.body.valid).toBe(status === "active");
      expect(isMarked(answer)).toBe("true");
      if (httpStatus === 200) expect([key, verify(answer.text, sent)]).toEqual([key, { ok: true }]);
      if (status === "active") {
        expect(answer.body.custom).toEqual({
          customer: "ada@example.com",
          license: key,
          product: "Signed",
          version: "1.2.3",
        });
      }
      if (httpStatus === 429) expect(answer.headers.get("ratelimit")).toContain("r=0;");
    }
  });

  test("a lookup finds those keys that have a license", async () => {
    for (const { license_key: key, status, lookup_http_status: httpStatus } of sandbox.license_keys) {
      const answer = await publicApi().lookup(key);
      expect([key, answer.status]).toEqual([key, httpStatus]);
      expect(isMarked(answer)).toBe("true");
      if (httpStatus !== 200) continue;
      const expected = status === "revoked" || status === "expired" ? status : "active";
      expect(answer.body).toMatchObject({ license_key: key, status: expected, product_id: productId });
    }
    expect((await publicApi().lookup("SOME-OTHER-KEY")).status).toBe(404);
  });

  test("any other key is not found, even one of a real license", async () => {
    const { body: license } = await fixture.owner.api.post(`/products/${productId}/licenses`, {});
    const answer = await publicApi().validate({ license_key: license.license_key });
    expect(answer.body).toMatchObject({ valid: false, status: "license_not_found" });
    expect((await publicApi().lookup(String(license.license_key))).status).toBe(404);
  });

  test("what is wrong with a request is answered as for a real one", async () => {
    const empty = await publicApi().validateRaw("{");
    expect([empty.status, empty.body.status]).toEqual([200, "license_not_found"]);
    expect(empty.headers.get("x-countersign-problem")).toContain("not JSON");
    expect(isMarked(empty)).toBe("true");
    const large = await publicApi().validateRaw(" ".repeat(17_000));
    expect([large.status, isMarked(large)]).toEqual([413, "true"]);
    const late = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise(setImmediate);
        controller.enqueue(new TextEncoder().encode('{"license_key":"SANDBOX-ACTIVE"}'));
        controller.close();
      },
    });
    expect((await publicApi().validateRaw(late)).body.status).toBe("active");
  });

  test("nothing is counted, registered or recorded as an event", async () => {
    const { store } = fixture;
    const id = await newProduct("Quiet");
    const { api_key: apiKey, license_keys: keys } = await sandboxOf(id);
    const events = () => store.reads.selectFrom("events").select("id").where("product_id", "=", id).execute();
    const before = await events();
    for (const { license_key: key } of keys) {
      await publicApi(apiKey).validate({ license_key: key, device_id: "machine" });
      await publicApi(apiKey).lookup(key);
    }
    expect(await events()).toEqual(before);
    const used = await store.reads
      .selectFrom("daily_usage")
      .selectAll()
      .where("product_id", "=", id)
      .execute();
    expect(used).toEqual([]);
    const ids = ["00000000-0000-7000-8000-000000000000"];
    expect(
      await store.reads.selectFrom("license_ips").selectAll().where("license_id", "in", ids).execute(),
    ).toEqual([]);
    const { body: product } = await fixture.owner.api.get(`/products/${id}`);
    expect(product.api_keys).toMatchObject([{ last_used_at: null }]);

    // The log contains no 401 and no 503, of real requests neither.
    const logged = keys.filter(({ http_status: status }) => status === 200 || status === 429).length * 2;
    const log = () => requestLog(store, { product_id: id });
    await until("all requests are logged", async () => (await log()).length >= logged);
    const rows = await log();
    expect(rows).toHaveLength(logged);
    for (const row of rows) expect(row).toMatchObject({ sandbox: 1, license_id: null, count: 1 });
    expect(rows.filter((row) => row.device_id === "machine").length).toBeGreaterThan(10);
    const sightings = await store.reads
      .selectFrom("ip_sightings")
      .selectAll()
      .where("scope_id", "in", [...ids, fixture.organizationId])
      .execute();
    expect(sightings).toEqual([]);
    const last = await fixture.owner.api.get(`/products/${id}/last-validation`);
    expect(last.body.request).toBeNull();
  });

  test("a replaced key gets 401 at once, and the new one works", async () => {
    const id = await newProduct("Replaced");
    const { api_key: old } = await sandboxOf(id);
    expect((await publicApi(old).validate({ license_key: "SANDBOX-ACTIVE" })).body.valid).toBe(true);
    const { status, body } = await fixture.owner.api.post(`/products/${id}/sandbox/rotate`);
    expect(status).toBe(200);
    expect(body).toEqual((await sandboxOf(id)) as never);
    expect(body.api_key).not.toBe(old);
    const refused = await publicApi(old).validate({ license_key: "SANDBOX-ACTIVE" });
    expect([refused.status, refused.body.status]).toEqual([401, "invalid_api_key"]);
    expect(
      (await publicApi(String(body.api_key)).validate({ license_key: "SANDBOX-ACTIVE" })).body.valid,
    ).toBe(true);
    const log = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?action=product.test_key_rotated`,
    );
    expect(log.body.data[0]).toMatchObject({
      subject: { id },
      before: { prefix: old.slice(0, 13) },
      after: { prefix: String(body.api_key).slice(0, 13) },
    });
  });

  test("a key that does not exist, and one with another secret, get 401", async () => {
    const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
    const publicId = [...sandbox.api_key.slice("cskt_".length, "cskt_".length + 8)];
    const sameId = (count: number) =>
      count === publicId.length ? Uint8Array.from(publicId, (one) => base62.indexOf(one)) : random(count);
    const other = generateTestKey(sameId).key;
    expect(other.slice(0, 13)).toBe(sandbox.api_key.slice(0, 13));
    for (const apiKey of [generateTestKey(random).key, other])
      expect((await publicApi(apiKey).validate({ license_key: "SANDBOX-ACTIVE" })).status).toBe(401);
  });

  test("works whatever the state of the product and its organization, until the product is deleted", async () => {
    const owner = await fixture.person();
    const organization = await owner.api.post("/organizations", { name: "Unpaid" });
    const path = `/organizations/${organization.body.id}`;
    const { body: product } = await owner.api.post(`${path}/products`, { name: "Tool" });
    const { body } = await owner.api.get(`/products/${product.id}/sandbox`);
    const validate = () => publicApi(String(body.api_key)).validate({ license_key: "SANDBOX-ACTIVE" });
    await owner.api.patch(`/products/${product.id}`, { status: "archived" });
    await fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ suspended_at: Date.now(), billing_state: "suspended", daily_limit_override: 0 })
        .where("id", "=", String(organization.body.id))
        .execute(),
    );
    expect((await validate()).body).toMatchObject({ valid: true, status: "active", signature: null });
    await fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ suspended_at: null, billing_state: "active" })
        .where("id", "=", String(organization.body.id))
        .execute(),
    );
    expect((await owner.api.delete(`/products/${product.id}`)).status).toBe(204);
    expect((await validate()).status).toBe(401);
  });

  test("requests that need the first key of an older product at the same time get the same one", async () => {
    const id = await newProduct("Old");
    await fixture.store.transaction((db) =>
      db.deleteFrom("product_sandbox_keys").where("product_id", "=", id).execute(),
    );
    const all = await Promise.all(Array.from({ length: 10 }, () => sandboxOf(id)));
    expect(new Set(all.map((one) => one.api_key)).size).toBe(1);
  });

  test("members who see products or requests see it, those who rotate keys replace it", async () => {
    const path = `/products/${productId}/sandbox`;
    for (const permission of ["products:view", "requests:view"] as const) {
      const { api } = await fixture.member([permission]);
      expect((await api.get(path)).status).toBe(200);
      expect((await api.post(`${path}/rotate`)).status).toBe(403);
    }
    expect((await (await fixture.member(["licenses:view"])).api.get(path)).status).toBe(403);
  });
});
