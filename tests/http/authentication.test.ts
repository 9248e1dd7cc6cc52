import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { unauthorizedError } from "@countersign/contract/public/public-api";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/**
 * The Authorization header, built from a working key. Every form of it is tested in packages/domain/products, and keys
 * of other products and with other secrets in packages/store/suite/authentication.ts.
 */
const refused: readonly (readonly [string, (apiKey: string) => string | null])[] = [
  ["no Authorization header", () => null],
  ["an empty Authorization header", () => ""],
  ["the key without a scheme", (key) => key],
  ["a list of keys", (key) => `Bearer ${key}, Bearer ${key}`],
  ["a key in another format", () => "Bearer secret"],
  ["a well-formed key that does not exist", () => `Bearer ${generateApiKey(randomBytes).key}`],
];

testsOn("sqlite", "authentication", openPublicApiFixture, (fixture) => {
  describe.each(["validate", "lookup"])("%s", (endpoint) => {
    const send = async (authorization: string | null) => {
      const headers: Record<string, string> = authorization === null ? {} : { authorization };
      const { key } = await fixture.org.license();
      if (endpoint === "lookup") return fetch(`${fixture.url}/api/v1/license/${key}`, { headers });
      const body = JSON.stringify({ license_key: key });
      return fetch(`${fixture.url}/api/v1/validate`, { method: "POST", headers, body });
    };

    test.each(refused)("a request with %s gets 401 and is not counted", async (_, header) => {
      const before = await countedRequests(fixture.org);
      const response = await send(header(fixture.org.apiKey));
      expect(response.status).toBe(401);
      expect(unauthorizedError.parse(await response.json())).toEqual({
        valid: false,
        status: "invalid_api_key",
        message: expect.stringContaining("Authorization: Bearer"),
      });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(response.headers.has("ratelimit") || response.headers.has("ratelimit-policy")).toBeFalse();
      expect(await countedRequests(fixture.org)).toBe(before);
    });

    test("an API key is accepted after a scheme in lower case and more than one space", async () => {
      expect((await send(`bearer   ${fixture.org.apiKey}`)).status).toBe(200);
    });
  });
});
