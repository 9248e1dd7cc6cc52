import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { sandbox } from "@countersign/contract/manage/sandbox";
import { generateTestKey } from "@countersign/domain/products/api-key";
import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { z } from "zod";
import { apiOf } from "../support/api.ts";
import { newProduct } from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { storedRows } from "../support/stored-rows.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { verifyBody } from "../support/verify-body.ts";

setDefaultTimeout(60_000);

const nonce = "abcdefghijklmnop_-0123";
const marked = (answer: { readonly headers: Headers }) => answer.headers.get("x-countersign-sandbox");

async function sandboxOf(fixture: ManageFixture, productId: string): Promise<z.output<typeof sandbox>> {
  return (await fixture.owner.api.get(`/products/${productId}/sandbox`)).body;
}

/** A server with a product that signs and has a custom response, and its sandbox. */
async function openSandbox(make: Parameters<typeof openManageFixture>[0]) {
  const fixture = await openManageFixture(make);
  const custom = {
    customer: "{{customer.email}}",
    license: "{{license.key}}",
    version: "{{request.version}}",
  };
  const signedProductId = await newProduct(fixture, {
    name: "Signed",
    signed_validation: true,
    custom_response_enabled: true,
    custom_response: custom,
  });
  return { ...fixture, signedProductId, sandbox: await sandboxOf(fixture, signedProductId) };
}

// The outcome and the members of each fixed license are tested in packages/domain/sandbox.
testsOn("sqlite", "sandbox", openSandbox, (fixture) => {
  const publicApi = (apiKey = fixture.sandbox.api_key) => apiOf(fixture.url, apiKey);
  const validateActive = (apiKey: string) => publicApi(apiKey).validate({ license_key: "SANDBOX-ACTIVE" });

  test("the sandbox lists every fixed license key, and each has its outcome, signed and marked", async () => {
    const { api_key: apiKey, signing_key: signingKey, license_keys: keys } = fixture.sandbox;
    expect(apiKey).toStartWith("cskt_");
    expect(keys.map((one) => one.license_key)).toEqual(sandboxLicenses.map((one) => one.licenseKey));
    for (const { license_key: key, status, http_status: httpStatus } of keys) {
      const licenseKeyAsSent = ` ${key.toLowerCase()} `;
      const request = { license_key: licenseKeyAsSent, version: "1.2.3" };
      const answer = await publicApi().validate(request, { "x-countersign-nonce": nonce });
      const valid = status === "active";
      expect(answer, key).toMatchObject({ status: httpStatus, body: { status, valid } });
      expect(marked(answer)).toBe("true");
      const verifying = {
        secretFor: (id: string) => (id === signingKey.id ? Buffer.from(signingKey.secret, "hex") : null),
        productId: fixture.signedProductId,
        licenseKeyAsSent,
        nonce,
        nowUnixSeconds: Math.floor(Date.now() / 1000),
        toleranceSeconds: 120,
      };
      if (httpStatus === 200) expect(verifyBody(answer.text, verifying), key).toEqual({ ok: true });
      if (valid)
        expect(answer.body.custom).toEqual({ customer: "ada@example.com", license: key, version: "1.2.3" });
      if (httpStatus === 429) expect(answer.headers.get("ratelimit")).toContain("r=0;");
    }
  });

  test("the sandbox looks up those of its keys that have a license", async () => {
    for (const { license_key: key, status, lookup_http_status: httpStatus } of fixture.sandbox.license_keys) {
      const answer = await publicApi().lookup(key);
      expect([key, answer.status, marked(answer)]).toEqual([key, httpStatus, "true"]);
      if (httpStatus !== 200) continue;
      const expected = status === "revoked" || status === "expired" ? status : "active";
      const product_id = fixture.signedProductId;
      expect(answer.body).toMatchObject({ license_key: key, status: expected, product_id });
    }
  });

  test("the sandbox finds no other key, not even one of a real license", async () => {
    const { body } = await fixture.owner.api.post(`/products/${fixture.signedProductId}/licenses`, {});
    const answer = await publicApi().validate({ license_key: body.license_key });
    expect(answer.body).toMatchObject({ valid: false, status: "license_not_found" });
    expect((await publicApi().lookup(body.license_key)).status).toBe(404);
  });

  test("the sandbox responds to an invalid request like a product", async () => {
    const empty = await publicApi().validateRaw("{");
    expect([empty.status, empty.body.status, marked(empty)]).toEqual([200, "license_not_found", "true"]);
    expect(empty.headers.get("x-countersign-problem")).toContain("not JSON");
    const large = await publicApi().validateRaw(" ".repeat(17_000));
    expect([large.status, marked(large)]).toEqual([413, "true"]);
    const late = async function* () {
      await new Promise(setImmediate);
      yield Buffer.from('{"license_key":"SANDBOX-ACTIVE"}');
    };
    expect((await publicApi().validateRaw(late())).body.status).toBe("active");
  });

  test("the sandbox counts nothing, registers nothing and records no event", async () => {
    const stored = storedRows.bind(null, fixture.store.reads);
    const id = await newProduct(fixture);
    const { api_key: apiKey, license_keys: keys } = await sandboxOf(fixture, id);
    const events = () => stored("events", { product_id: id });
    const before = await events();
    for (const { license_key: key } of keys) {
      await publicApi(apiKey).validate({ license_key: key, device_id: "machine" });
      await publicApi(apiKey).lookup(key);
    }

    // The log contains no 401 and no 503, of real requests neither.
    const count = keys.filter(({ http_status: status }) => status === 200 || status === 429).length * 2;
    const log = () => requestLog(fixture.store, { product_id: id });
    await until("all requests are logged", async () => (await log()).length >= count);
    const rows = await log();
    expect(rows).toHaveLength(count);
    for (const row of rows) expect(row).toMatchObject({ sandbox: 1, license_id: null, count: 1 });
    expect(rows.filter((row) => row.device_id === "machine").length).toBeGreaterThan(10);

    const ofSandboxLicense = "00000000-0000-7000-8000-000000000000";
    expect(await events()).toEqual(before);
    for (const rows of [
      await stored("daily_usage", { product_id: id }),
      await stored("license_ips", { license_id: ofSandboxLicense }),
      await stored("ip_sightings", { scope_id: [ofSandboxLicense, fixture.organizationId] }),
    ])
      expect(rows).toEqual([]);
    const product = await fixture.owner.api.get(`/products/${id}`);
    expect(product.body.api_keys).toMatchObject([{ last_used_at: null }]);
    const last = await fixture.owner.api.get(`/products/${id}/last-validation`);
    expect(last.body.request).toBeNull();
  });

  test("a replaced API key of the sandbox gets 401 at once, and the new one works", async () => {
    const id = await newProduct(fixture);
    const { api_key: old } = await sandboxOf(fixture, id);
    expect((await validateActive(old)).body.valid).toBe(true);
    const { body } = await fixture.owner.api.post(`/products/${id}/sandbox/rotate`);
    expect(body).toEqual(await sandboxOf(fixture, id));
    expect(await validateActive(old)).toMatchObject({ status: 401, body: { status: "invalid_api_key" } });
    expect((await validateActive(body.api_key)).body.valid).toBe(true);
    const path = `/organizations/${fixture.organizationId}/audit-log?action=product.test_key_rotated`;
    expect((await fixture.owner.api.get(path)).body.data[0]).toMatchObject({
      subject: { id },
      before: { prefix: old.slice(0, 13) },
      after: { prefix: body.api_key.slice(0, 13) },
    });
  });

  test("the sandbox refuses an API key that does not exist, and one with another secret", async () => {
    const id = await newProduct(fixture);
    const { api_key: apiKey } = await sandboxOf(fixture, id);
    // As if the same public ID had been generated with another secret.
    await fixture.store.transaction((db) =>
      db.updateTable("product_sandbox_keys").set({ api_key: "other" }).where("product_id", "=", id).execute(),
    );
    for (const refused of [apiKey, generateTestKey(randomBytes).key])
      expect((await validateActive(refused)).status).toBe(401);
  });

  test("the sandbox works whatever the state of the product and its organization, until the product is deleted", async () => {
    const owner = await fixture.person();
    const organization = await owner.api.post("/organizations", { name: "Unpaid" });
    const path = `/organizations/${organization.body.id}/products`;
    const { body: product } = await owner.api.post(path, { name: "Tool" });
    const { body: sandbox } = await owner.api.get(`/products/${product.id}/sandbox`);
    await owner.api.patch(`/products/${product.id}`, { status: "archived" });
    const setState = (state: { suspended_at: number | null; billing_state: "active" | "suspended" }) =>
      fixture.store.transaction((db) =>
        updateOrganization(db, organization.body.id, { ...state, daily_limit_override: 0 }),
      );
    await setState({ suspended_at: Date.now(), billing_state: "suspended" });
    const answer = await validateActive(sandbox.api_key);
    expect(answer.body).toMatchObject({ valid: true, status: "active", signature: null });
    await setState({ suspended_at: null, billing_state: "active" });
    expect((await owner.api.delete(`/products/${product.id}`)).status).toBe(204);
    expect((await validateActive(sandbox.api_key)).status).toBe(401);
  });

  test("requests that need the first key of an older product at the same time get the same one", async () => {
    const id = await newProduct(fixture);
    await fixture.store.transaction((db) =>
      db.deleteFrom("product_sandbox_keys").where("product_id", "=", id).execute(),
    );
    const all = await Promise.all(Array.from({ length: 5 }, () => sandboxOf(fixture, id)));
    expect(new Set(all.map((sandbox) => sandbox.api_key)).size).toBe(1);
  });
});
