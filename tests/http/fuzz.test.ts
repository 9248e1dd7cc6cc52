import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { httpError } from "@countersign/contract/public-api";
import fc from "fast-check";
import { on } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";
import { contractViolation, type Endpoint } from "../support/wire-schemas.ts";

setDefaultTimeout(3_600_000);

/** Requests per endpoint and database. The long run uses 100,000. */
const requests = Number(process.env.COUNTERSIGN_FUZZ_RUNS ?? 1_000);
const togetherAtMost = 10;

interface Generated {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Placeholders for values that a generator cannot know: the real API key and an existing license. */
const realApiKey = "REAL-API-KEY";
const realLicense = "REAL-LICENSE";

const anyText = fc.oneof(
  fc.constant(realLicense),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "𝟘",
    "ß",
    "ﬁ",
    "İ",
    "'; drop table licenses; --",
    "%00",
    "{{license.key}}",
  ),
  fc.nat(15_000).map((length) => "x".repeat(length)),
);
const anyVersion = fc.oneof(
  fc.constantFrom("1.0.0", "v2", "1.2.3.4", "999999999999999999999.0", "1.0.0-rc.1+b", "-", "01.1", "x"),
  anyText,
);
const validateBody = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { license_key: anyText, version: anyVersion, device_id: anyText },
      { requiredKeys: [] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ license_key: fc.jsonValue(), version: fc.jsonValue(), device_id: fc.jsonValue() }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 5 }) },
);
const bodyBytes = fc.oneof(
  { weight: 5, arbitrary: validateBody.map((body) => Buffer.from(JSON.stringify(body) ?? "")) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 16_300, max: 16_500 }).map((length) => Buffer.alloc(length, 32)),
  },
);

const headerText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 120,
});
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
  { requiredKeys: [] },
);

const generators: Record<Endpoint, fc.Arbitrary<Generated>> = {
  validate: fc.record({
    method: mostly("POST"),
    path: fc.constantFrom("/api/v1/validate", "/api/v1/validate?a=b"),
    headers: headers.chain((some) => authorization.map((value) => ({ authorization: value, ...some }))),
    body: bodyBytes,
  }),
  lookup: fc.record({
    method: mostly("GET"),
    path: fc
      .oneof(anyText.map(encoded), fc.string({ unit: "binary-ascii", maxLength: 60 }).map(encodeURI))
      .map((key) => `/api/v1/license/${key.slice(0, 4_000)}`),
    headers: headers.chain((some) => authorization.map((value) => ({ authorization: value, ...some }))),
    body: fc.constant(null),
  }),
};

for (const { kind, make } of on("postgres")) {
  describe(`generated requests on ${kind}`, () => {
    let fixture: PublicApiFixture;
    let license = "";
    beforeAll(async () => {
      fixture = await openPublicApiFixture(
        make,
        { settings: { version_module_enabled: 1, signed_validation: 1, custom_response_enabled: 1 } },
        { why: "reads the whole log", environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1" } },
      );
      const template = '{"who":"{{request.device_id}}","v":"{{request.version}}","ip":"{{request.ip}}"}';
      await fixture.org.store.transaction((db) =>
        db
          .updateTable("products")
          .set({ custom_response: template, custom_response_on_refusal: 1 })
          .execute(),
      );
      license = (await fixture.org.license({ maxIps: 1_000_000 })).key;
    });
    afterAll(() => fixture.close());

    const send = async (endpoint: Endpoint, { method, path, headers: sent, body }: Generated) => {
      const real = (text: string) =>
        text.replaceAll(realApiKey, fixture.org.apiKey).replaceAll(realLicense, license);
      const filled = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, real(value)]));
      const content =
        body === null ? null : Buffer.from(real(Buffer.from(body).toString("latin1")), "latin1");
      const response = await fetch(fixture.server.url + real(path), {
        method,
        headers: filled,
        ...(content === null || method === "GET" || method === "HEAD" ? {} : { body: content }),
      });
      return {
        status: response.status,
        problem: problemWith(endpoint, method, response, await response.text()),
      };
    };

    for (const endpoint of ["validate", "lookup"] as const) {
      test(`${requests} on ${endpoint}: never a 5xx, and every body matches its schema`, async () => {
        const seen = new Map<number, number>();
        await fc.assert(
          fc.asyncProperty(
            fc.array(generators[endpoint], { minLength: togetherAtMost, maxLength: togetherAtMost }),
            async (together) => {
              const answers = await Promise.all(together.map((one) => send(endpoint, one)));
              for (const { status } of answers) seen.set(status, (seen.get(status) ?? 0) + 1);
              expect(answers.map(({ problem }) => problem).filter((problem) => problem !== null)).toEqual([]);
            },
          ),
          { numRuns: Math.ceil(requests / togetherAtMost), endOnFailure: false },
        );
        // Without these the generator tests nothing.
        for (const status of endpoint === "validate" ? [200, 401, 405, 413] : [200, 401, 404, 405]) {
          expect([status, seen.get(status) ?? 0]).not.toEqual([status, 0]);
        }
        expect((await fetch(`${fixture.server.url}/readyz`)).status).toBe(200);
        expect(fixture.server.output()).not.toContain('"level":"error"');
      });
    }
  });
}

function mostly(method: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD") },
  );
}

/** Percent-encoded for a path. An unpaired surrogate has no encoding and becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function problemWith(endpoint: Endpoint, method: string, { status }: Response, text: string): string | null {
  if (status === 204 || method === "HEAD") return text === "" ? null : `a body where none belongs: ${text}`;
  const body: unknown = JSON.parse(text);
  const general = status === 404 || status === 405 || status === 413;
  if (general) return httpError.safeParse(body).success ? null : `${status}: ${text}`;
  return status >= 500 ? `${status}: ${text}` : contractViolation(endpoint, status, body);
}
