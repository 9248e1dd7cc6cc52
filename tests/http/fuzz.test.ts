import { expect, setDefaultTimeout, test } from "bun:test";
import { httpError } from "@countersign/contract/public/public-api";
import fc from "fast-check";
import { z } from "zod";
import { anyText, bodyOf } from "../support/odd-input.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { contractViolation, type Endpoint } from "../support/wire-schemas.ts";

setDefaultTimeout(3_600_000);

/** Requests per endpoint. The long run uses 100,000. */
const requests = Number(process.env.COUNTERSIGN_FUZZ_RUNS ?? 600);
const togetherAtMost = 10;

/** Placeholders for values that a generator cannot know: the real API key and an existing license. */
const realApiKey = "REAL-API-KEY";
const realLicense = "REAL-LICENSE";

const key = fc.oneof(fc.constant(realLicense), fc.constantFrom("𝟘", "ß", "ﬁ", "İ"), anyText);
const members = fc.record({ license_key: key, version: anyText, device_id: anyText }, { requiredKeys: [] });
const oddMembers = z.object({ license_key: z.string(), version: z.string(), device_id: z.string() });
const body = fc.oneof(
  { weight: 4, arbitrary: members.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 4, arbitrary: bodyOf(z.toJSONSchema(oddMembers)) },
  { weight: 1, arbitrary: fc.integer({ min: 16_300, max: 16_500 }).map((size) => Buffer.alloc(size, 32)) },
);
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const headerText = fc.string({ unit: visible, maxLength: 120 });
const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constant(`Bearer ${realApiKey}`) },
  { weight: 1, arbitrary: headerText.map((text) => `Bearer ${text}`) },
  { weight: 1, arbitrary: headerText },
);
const headers = fc.record(
  {
    authorization,
    "content-type": fc.oneof(fc.constant("application/json"), headerText),
    "x-countersign-nonce": headerText,
    "x-forwarded-for": fc.oneof(fc.ipV4(), fc.ipV6(), headerText),
    "x-request-id": headerText,
  },
  { requiredKeys: ["authorization"] },
);
const lookedUp = fc.oneof(
  // An unpaired surrogate has no encoding and becomes U+FFFD.
  key.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ unit: "binary-ascii", maxLength: 60 }).map(encodeURI),
);
const mostly = (method: string) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD") },
  );

const generators = {
  validate: fc.record({
    method: mostly("POST"),
    path: fc.constantFrom("/api/v1/validate", "/api/v1/validate?a=b"),
    headers,
    body,
  }),
  lookup: fc.record({
    method: mostly("GET"),
    path: lookedUp.map((key) => `/api/v1/license/${key.slice(0, 4_000)}`),
    headers,
    body: fc.constant(null),
  }),
};
type Generated = (typeof generators)[Endpoint] extends fc.Arbitrary<infer T> ? T : never;

const settings = {
  version_module_enabled: 1,
  signed_validation: 1,
  custom_response_enabled: 1,
  custom_response_on_refusal: 1,
  custom_response: '{"who":"{{request.device_id}}","v":"{{request.version}}","ip":"{{request.ip}}"}',
} as const;

testsOn(
  "postgres",
  "the public API",
  (make) => openPublicApiFixture(make, { settings }),
  (fixture) => {
    test.each([
      ["validate", [200, 401, 405, 413]],
      ["lookup", [200, 401, 404, 405]],
    ] as const)(
      `${requests} generated requests to %s get no 5xx, and every body matches its schema`,
      async (endpoint, expected) => {
        const license = await fixture.org.license({ maxIps: 1_000_000 });
        const fill = (text: string) =>
          text.replaceAll(realApiKey, fixture.org.apiKey).replaceAll(realLicense, license.key);
        const seen = new Set<number>();
        const send = async ({ method, path, headers, body }: Generated) => {
          const sent = Object.entries(headers).map(([name, value]) => [name, fill(String(value))]);
          const hasBody = body !== null && method !== "GET" && method !== "HEAD";
          const response = await fetch(fixture.url + fill(path), {
            method,
            headers: Object.fromEntries(sent),
            body: hasBody ? Buffer.from(fill(Buffer.from(body).toString("latin1")), "latin1") : null,
          });
          seen.add(response.status);
          return problemWith(endpoint, method, response.status, await response.text());
        };
        const together = { minLength: togetherAtMost, maxLength: togetherAtMost };
        await fc.assert(
          fc.asyncProperty(fc.array<Generated>(generators[endpoint], together), async (all) => {
            const problems = await Promise.all(all.map(send));
            expect(problems.filter((problem) => problem !== null)).toEqual([]);
          }),
          { numRuns: Math.ceil(requests / togetherAtMost), endOnFailure: false },
        );
        // Without these the generator tests nothing.
        expect([...seen]).toEqual(expect.arrayContaining([...expected]));
        expect((await fetch(`${fixture.url}/readyz`)).status).toBe(200);
        expect(fixture.server.output()).not.toContain('"level":"error"');
      },
    );
  },
);

function problemWith(endpoint: Endpoint, method: string, status: number, text: string): string | null {
  if (status === 204 || method === "HEAD") return text === "" ? null : `a body where none belongs: ${text}`;
  const received: unknown = JSON.parse(text);
  if (status === 404 || status === 405 || status === 413)
    return httpError.safeParse(received).success ? null : `${status}: ${text}`;
  return status >= 500 ? `${status}: ${text}` : contractViolation(endpoint, status, received);
}
