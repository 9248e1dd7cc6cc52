import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { unauthorizedError } from "@countersign/contract/public-api";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { on } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
} from "../support/public-api-fixture.ts";

setDefaultTimeout(60_000);

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));

/** The Authorization header, built from a working key. Null sends no header. */
const refused: readonly (readonly [string, (apiKey: string) => string | null])[] = [
  ["no header", () => null],
  ["an empty header", () => ""],
  ["the scheme alone", () => "Bearer"],
  ["the scheme and a space", () => "Bearer "],
  ["the key without a scheme", (key) => key],
  ["another scheme", (key) => `Basic ${key}`],
  ["the key in quotes", (key) => `Bearer "${key}"`],
  ["two words", (key) => `Bearer ${key} ${key}`],
  ["a list", (key) => `Bearer ${key}, Bearer ${key}`],
  ["a key in another format", () => "Bearer secret"],
  ["only the displayed prefix", (key) => `Bearer ${key.slice(0, 12)}`],
  ["a truncated key", (key) => `Bearer ${key.slice(0, -1)}`],
  ["a key with an extra character", (key) => `Bearer ${key}0`],
  ["a key in upper case", (key) => `Bearer ${key.toUpperCase()}`],
  ["a key with a wrong checksum", (key) => `Bearer ${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`],
  ["a well-formed key that does not exist", () => `Bearer ${generateApiKey(random).key}`],
  ["the public part of a real key with another secret", (key) => `Bearer ${withOtherSecret(key)}`],
];

const accepted: readonly (readonly [string, (apiKey: string) => string])[] = [
  ["the scheme in lower case", (key) => `bearer ${key}`],
  ["the scheme in upper case", (key) => `BEARER ${key}`],
  ["more than one space", (key) => `Bearer   ${key}`],
];

for (const { kind, make } of on("sqlite")) {
  describe(`authentication on ${kind}`, () => {
    let fixture: PublicApiFixture;
    let license = "";
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make, { dailyLimit: 1_000 });
      license = (await fixture.org.license()).key;
    });
    afterAll(() => fixture.close());

    const send = {
      validate: (headers: Record<string, string>) =>
        fetch(`${fixture.server.url}/api/v1/validate`, {
          method: "POST",
          headers,
          body: JSON.stringify({ license_key: license }),
        }),
      lookup: (headers: Record<string, string>) =>
        fetch(`${fixture.server.url}/api/v1/license/${license}`, { headers }),
    };
    for (const endpoint of ["validate", "lookup"] as const) {
      for (const [what, header] of refused) {
        test(`${what} gets 401 on ${endpoint} and is not counted`, async () => {
          const before = await countedRequests(fixture.org);
          const authorization = header(fixture.org.apiKey);
          const response = await send[endpoint](authorization === null ? {} : { authorization });
          expect(response.status).toBe(401);
          expect(unauthorizedError.parse(await response.json())).toEqual({
            valid: false,
            status: "invalid_api_key",
            message: expect.stringContaining("Authorization: Bearer"),
          });
          expect(response.headers.get("www-authenticate")).toBe("Bearer");
          expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
          expect(response.headers.has("ratelimit")).toBeFalse();
          expect(response.headers.has("ratelimit-policy")).toBeFalse();
          expect(await countedRequests(fixture.org)).toBe(before);
        });
      }

      for (const [what, header] of accepted) {
        test(`${what} is accepted on ${endpoint}`, async () => {
          const response = await send[endpoint]({ authorization: header(fixture.org.apiKey) });
          expect(response.status).toBe(200);
        });
      }
    }
  });
}

/** The best guess from what the dashboard shows, with a correct checksum. */
function withOtherSecret(apiKey: string): string {
  const prefix = apiKey.slice(0, 12);
  let guess = generateApiKey(random).key;
  for (let tries = 0; guess.slice(0, 12) === prefix && tries < 10; tries++)
    guess = generateApiKey(random).key;
  return rechecked(`${prefix}${guess.slice(12, -6)}`);
}

/** The CRC32 checksum, six characters, that ends a key with this text. */
function rechecked(unchecked: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let rest = Bun.hash.crc32(unchecked);
  let checksum = "";
  for (let index = 0; index < 6; index++) {
    checksum = digits.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return unchecked + checksum;
}
