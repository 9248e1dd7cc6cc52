import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { addApiKey, type ProductSettings } from "@countersign/store/queries/products/products";
import type { OrganizationRow } from "@countersign/store/tables";
import { type Answer, type Api, apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
} from "../support/public-api-fixture.ts";
import { openTestOrganization, type TestOrganization } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

interface Row {
  readonly what: string;
  readonly product?: Partial<ProductSettings>;
  readonly organization?: Partial<OrganizationRow>;
  readonly deleted?: true;
  call(api: Api, license: string): Promise<Answer>;
  readonly outcome: string | number;
}

const validate = (api: Api, license: string) => api.validate({ license_key: license });
const lookup = (api: Api, license: string) => api.lookup(license);

/** Section 8 of the specification: an authenticated request is counted once, whatever its outcome. */
const counted: readonly Row[] = [
  { what: "a license that is found", call: validate, outcome: "active" },
  {
    what: "an unknown license",
    call: (api) => api.validate({ license_key: "none" }),
    outcome: "license_not_found",
  },
  { what: "a body that is not JSON", call: (api) => api.validateRaw("{"), outcome: "license_not_found" },
  { what: "a body that is too large", call: (api) => api.validateRaw("x".repeat(16_385)), outcome: 413 },
  {
    what: "an archived product",
    product: { status: "archived" },
    call: validate,
    outcome: "product_archived",
  },
  {
    what: "a disabled product",
    product: { status: "disabled" },
    call: validate,
    outcome: "product_disabled",
  },
  { what: "a deleted product", deleted: true, call: validate, outcome: "product_not_found" },
  {
    what: "a suspended organization",
    organization: { suspended_at: 1 },
    call: validate,
    outcome: "org_suspended",
  },
  {
    what: "suspended billing",
    organization: { billing_state: "suspended" },
    call: validate,
    outcome: "billing_suspended",
  },
  {
    what: "an IP address that is not registered",
    product: { auto_register_ip_on_validate: 0 },
    call: validate,
    outcome: "ip_not_registered",
  },
  { what: "a lookup", call: lookup, outcome: 200 },
  { what: "a lookup that finds nothing", call: (api) => api.lookup("none"), outcome: 404 },
  { what: "a lookup of a key that cannot exist", call: (api) => api.lookup("a\0b"), outcome: 404 },
  { what: "a lookup in a deleted product", deleted: true, call: lookup, outcome: 404 },
];

for (const { kind, make } of on("postgres")) {
  describe(`the daily limit on ${kind}`, () => {
    let fixture: PublicApiFixture;
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make);
    });
    afterAll(() => fixture.close());

    const withOrg = async (
      options: Parameters<typeof openTestOrganization>[1],
      work: (org: TestOrganization, api: Api) => Promise<void>,
    ) => {
      const org = await openTestOrganization(null, { ...options, store: fixture.store });
      await work(org, apiOf(fixture.server.url, org.apiKey));
    };

    for (const row of counted) {
      test(`${row.what} is counted once; after the limit it gets 429 and is not counted`, () =>
        withOrg({ dailyLimit: 1, ...(row.product ? { settings: row.product } : {}) }, async (org, api) => {
          const { store, organizationId, productId } = org;
          const license = await org.license();
          await store.transaction(async (db) => {
            if (row.organization) {
              const change = db.updateTable("organizations").set(row.organization);
              await change.where("id", "=", organizationId).execute();
            }
            if (row.deleted) {
              await db.updateTable("products").set({ deleted_at: 1 }).where("id", "=", productId).execute();
            }
          });
          const first = await row.call(api, license.key);
          expect<unknown>(typeof row.outcome === "number" ? first.status : first.body.status).toBe(
            row.outcome,
          );
          expectQuota(first, 1, 0);
          expect(await countedRequests(org)).toBe(1);

          const second = await row.call(api, license.key);
          expect(second.status).toBe(429);
          expectQuota(second, 1, 0);
          expect(await countedRequests(org)).toBe(1);
        }));
    }

    test("a 429 states when the limit resets, in the body and in the header", () =>
      withOrg({ dailyLimit: 0 }, async (_org, api) => {
        const answer = await api.validate({ license_key: "none" });
        const midnight = secondsToMidnight();
        expect(answer.status).toBe(429);
        expect(answer.body).toEqual({
          valid: false,
          status: "rate_limit_exceeded",
          message: expect.stringContaining("midnight UTC"),
          retry_after: expect.any(Number),
        });
        const retryAfter = Number(answer.body.retry_after);
        expect(answer.headers.get("retry-after")).toBe(String(retryAfter));
        // Modulo a day, because midnight can pass between the response and this line.
        expect((retryAfter - midnight + 86_400 + 30) % 86_400).toBeLessThanOrEqual(60);
      }));

    test("each response states the remaining quota", () =>
      withOrg({ dailyLimit: 3 }, async (org, api) => {
        const { key } = await org.license();
        expectQuota(await api.validate({ license_key: key }), 3, 2);
        expectQuota(await api.lookup(key), 3, 1);
        expectQuota(await api.validate({ license_key: "none" }), 3, 0);
        expect((await api.lookup(key)).status).toBe(429);
      }));

    test("without a limit, responses mention none and requests are still counted", () =>
      withOrg({ plan: "enterprise" }, async (org, api) => {
        const { key } = await org.license();
        for (const answer of [await api.validate({ license_key: key }), await api.lookup(key)]) {
          expect(answer.status).toBe(200);
          expect(answer.headers.has("ratelimit-policy")).toBeFalse();
          expect(answer.headers.has("ratelimit")).toBeFalse();
        }
        expect(await countedRequests(org)).toBe(2);
      }));

    const plans = [
      ["free", 10_000],
      ["pro", 100_000],
    ] as const;
    for (const [plan, limit] of plans) {
      test(`the ${plan} plan allows ${limit} requests a day`, () =>
        withOrg({ plan }, async (_org, api) => {
          expectQuota(await api.validate({ license_key: "none" }), limit, limit - 1);
        }));
    }

    test("an organization's own limit overrides its plan, and a change takes effect at once", () =>
      withOrg({ plan: "free", dailyLimit: 2 }, async (org, api) => {
        const call = () => api.validate({ license_key: "none" });
        expectQuota(await call(), 2, 1);
        await call();
        expect((await call()).status).toBe(429);
        await org.store.transaction((db) =>
          db
            .updateTable("organizations")
            .set({ daily_limit_override: 5 })
            .where("id", "=", org.organizationId)
            .execute(),
        );
        expectQuota(await call(), 5, 2);
      }));

    test("each product of an organization has its own limit", () =>
      withOrg({ dailyLimit: 1 }, async (org, api) => {
        const other = await org.product();
        expect((await api.validate({ license_key: "none" })).status).toBe(200);
        expect((await api.validate({ license_key: "none" })).status).toBe(429);
        const otherApi = apiOf(fixture.server.url, other.apiKey);
        expect((await otherApi.validate({ license_key: "none" })).status).toBe(200);
      }));

    test("all keys of a product share one counter, so rotation gains no quota", () =>
      withOrg({ dailyLimit: 2 }, async (org, api) => {
        const second = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
        await org.store.transaction((db) => addApiKey(db, org.productId, second, Date.now()));
        const otherApi = apiOf(fixture.server.url, second.key);
        expectQuota(await api.validate({ license_key: "none" }), 2, 1);
        expectQuota(await otherApi.validate({ license_key: "none" }), 2, 0);
        expect((await otherApi.validate({ license_key: "none" })).status).toBe(429);
        expect((await api.validate({ license_key: "none" })).status).toBe(429);
        expect(await countedRequests(org)).toBe(2);
      }));

    test("HEAD of a license is counted; OPTIONS and a wrong method are not", () =>
      withOrg({}, async (org) => {
        const { key } = await org.license();
        const headers = { authorization: `Bearer ${org.apiKey}` };
        const at = (method: string) =>
          fetch(`${fixture.server.url}/api/v1/license/${key}`, { method, headers });
        expect((await at("HEAD")).status).toBe(200);
        expect((await at("OPTIONS")).status).toBe(204);
        expect((await at("DELETE")).status).toBe(405);
        expect(await countedRequests(org)).toBe(1);
      }));
  });
}

function expectQuota(answer: Answer, limit: number, left: number): void {
  expect(answer.headers.get("ratelimit-policy")).toBe(`"daily";q=${limit};w=86400`);
  const [, remaining, reset] = /^"daily";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  expect(Number(remaining)).toBe(left);
  expect(Number(reset)).toBeGreaterThanOrEqual(1);
  expect(Number(reset)).toBeLessThanOrEqual(86_400);
}

function secondsToMidnight(): number {
  return 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
}
