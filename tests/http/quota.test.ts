import { expect, setDefaultTimeout, test } from "bun:test";
import { type Answer, type Api, apiOf } from "../support/api.ts";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** Section 8 of the specification: an authenticated request is counted once, whatever its outcome. */
const counted: readonly [
  what: string,
  call: (api: Api, license: string) => Promise<Answer>,
  outcome: string | number,
][] = [
  ["a license that is found", (api, license) => api.validate({ license_key: license }), "active"],
  ["an unknown license", (api) => api.validate({ license_key: "none" }), "license_not_found"],
  ["a body that is not JSON", (api) => api.validateRaw("{"), "license_not_found"],
  ["a body that is too large", (api) => api.validateRaw("x".repeat(16_385)), 413],
  ["a lookup", (api, license) => api.lookup(license), 200],
  ["a lookup that finds nothing", (api) => api.lookup("none"), 404],
  ["a lookup of a key that cannot exist", (api) => api.lookup("a\0b"), 404],
];

/** Limits of plans, organizations, products and keys are tested in packages/store/suite/quota.ts. */
testsOn("postgres", "the daily limit", openPublicApiFixture, (fixture) => {
  const limited = async (options: Parameters<typeof openTestOrganization>[1]) => {
    const org = await openTestOrganization(null, { ...options, store: fixture.store });
    return { org, api: apiOf(fixture.url, org.apiKey), key: (await org.license()).key };
  };

  test.each(counted)(
    "%s is counted once; after the limit it gets 429 and is not counted",
    async (_, call, outcome) => {
      const { org, api, key } = await limited({ dailyLimit: 1 });
      const first = await call(api, key);
      expect<unknown>(typeof outcome === "number" ? first.status : first.body.status).toBe(outcome);
      const second = await call(api, key);
      expect(second.status).toBe(429);
      for (const answer of [first, second]) expectQuota(answer, 1, 0);
      expect(await countedRequests(org)).toBe(1);
    },
  );

  test("a 429 states when the limit resets, in the body and in the header", async () => {
    const { api } = await limited({ dailyLimit: 0 });
    const answer = await api.validate({ license_key: "none" });
    const secondsToMidnight = 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
    expect(answer.body).toEqual({
      valid: false,
      status: "rate_limit_exceeded",
      message: expect.stringContaining("midnight UTC"),
      retry_after: expect.any(Number),
    });
    const retryAfter = Number(answer.body.retry_after);
    expect(answer.headers.get("retry-after")).toBe(String(retryAfter));
    // Modulo a day, because midnight can pass between the response and this line.
    expect((retryAfter - secondsToMidnight + 86_400 + 30) % 86_400).toBeLessThanOrEqual(60);
  });

  test("each response states the remaining quota", async () => {
    const { api, key } = await limited({ dailyLimit: 2 });
    expectQuota(await api.validate({ license_key: key }), 2, 1);
    expectQuota(await api.lookup(key), 2, 0);
  });

  test("without a limit, responses mention none and requests are still counted", async () => {
    const { org, api, key } = await limited({ plan: "enterprise" });
    for (const answer of [await api.validate({ license_key: key }), await api.lookup(key)]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.has("ratelimit-policy") || answer.headers.has("ratelimit")).toBeFalse();
    }
    expect(await countedRequests(org)).toBe(2);
  });

  test("HEAD of a license is counted; OPTIONS and a wrong method are not", async () => {
    const { org, key } = await limited({});
    const headers = { authorization: `Bearer ${org.apiKey}` };
    const statusOf = async (method: string) =>
      (await fetch(`${fixture.url}/api/v1/license/${key}`, { method, headers })).status;
    expect([await statusOf("HEAD"), await statusOf("OPTIONS"), await statusOf("DELETE")]).toEqual([
      200, 204, 405,
    ]);
    expect(await countedRequests(org)).toBe(1);
  });
});

function expectQuota(answer: Answer, limit: number, left: number): void {
  expect(answer.headers.get("ratelimit-policy")).toBe(`"daily";q=${limit};w=86400`);
  const [, remaining, reset] = /^"daily";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  expect(Number(remaining)).toBe(left);
  expect(Number(reset)).toBeWithin(1, 86_401);
}
