import { expect, setDefaultTimeout, test } from "bun:test";
import { type Answer, type Api, apiOf } from "../support/api.ts";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** Section 8 of the specification: an authenticated request is counted once, whatever its outcome. */
const counted: readonly [what: string, status: number, call: (api: Api, key: string) => Promise<Answer>][] = [
  ["a validation", 200, (api, key) => api.validate({ license_key: key })],
  ["a body that is too large", 413, (api) => api.validateRaw("x".repeat(16_385))],
  ["a lookup", 200, (api, key) => api.lookup(key)],
  ["a lookup of a key that cannot exist", 404, (api) => api.lookup("a\0b")],
];

/** Limits of plans, organizations, products and keys are tested in packages/store/suite/quota.ts. */
testsOn("postgres", "the daily limit", openPublicApiFixture, (fixture) => {
  const limited = async (options: Parameters<typeof openTestOrganization>[1]) => {
    const org = await openTestOrganization(null, { ...options, store: fixture.store });
    return { org, api: apiOf(fixture.url, org.apiKey), key: (await org.license()).key };
  };

  test.each(counted)("%s is counted once; after the limit it is not", async (_, status, call) => {
    const { org, api, key } = await limited({ dailyLimit: 2 });
    for (const [expected, left] of [
      [status, 1],
      [status, 0],
      [429, 0],
    ] as const) {
      const answer = await call(api, key);
      expect(answer.status).toBe(expected);
      expectQuota(answer, 2, left);
    }
    expect(await countedRequests(org)).toBe(2);
  });

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

  test("without a daily limit, responses mention none and requests are still counted", async () => {
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
    for (const [method, status] of Object.entries({ HEAD: 200, OPTIONS: 204, DELETE: 405 }))
      expect((await fetch(`${fixture.url}/api/v1/license/${key}`, { method, headers })).status).toBe(status);
    expect(await countedRequests(org)).toBe(1);
  });
});

function expectQuota(answer: Answer, limit: number, left: number): void {
  expect(answer.headers.get("ratelimit-policy")).toBe(`"daily";q=${limit};w=86400`);
  const [, remaining, reset] = /^"daily";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  expect(Number(remaining)).toBe(left);
  expect(Number(reset)).toBeWithin(1, 86_401);
}
