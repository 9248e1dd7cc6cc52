import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { everythingStored } from "../support/everything-stored.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

for (const { kind, make } of on("sqlite")) {
  describe(`secrets on ${kind}`, () => {
    test("the database, its logs and journal, and the output contain no secret in clear text", async () => {
      const fixture = await openPublicApiFixture(
        make,
        { settings: { signed_validation: 1 } },
        { why: "reads the whole log and database", environment: { COUNTERSIGN_LOG_LEVEL: "debug" } },
      );
      const { key } = await fixture.org.license();
      await use(fixture, key);
      const stored = await everythingStored(fixture.database.location);
      expect(await fixture.server.stop()).toBe(0);
      await fixture.org.store.close();
      const storedAfterwards = await everythingStored(fixture.database.location);
      const output = fixture.server.output();

      // Proves that the search finds text that is present.
      expect(stored.includes(key)).toBeTrue();
      expect(stored.includes(fixture.org.apiKey.slice(4, 12))).toBeTrue();
      for (const [what, secret] of secretsOf(fixture)) {
        for (const [where, bytes] of [
          ["the database", stored],
          ["the database after the server stopped", storedAfterwards],
          ["the output", Buffer.from(output)],
        ] as const) {
          expect([what, where, bytes.includes(secret)]).toEqual([what, where, false]);
        }
      }
      for (const spelling of [key, key.toLowerCase(), key.replaceAll("-", "")]) {
        expect(output).not.toContain(spelling);
      }
      fixture.database.remove();
    });
  });
}

/** Every request that makes the server store or log data. */
async function use({ api, server, org }: PublicApiFixture, license: string): Promise<void> {
  const { apiKey } = org;
  await api.validate({ license_key: license, version: "1.0.0", device_id: "machine" });
  await api.validate({ license_key: license.toLowerCase() });
  await api.validateRaw(`{"license_key":"${license}`);
  await api.validate({ license_key: 5, version: 6, device_id: 7 });
  await api.validateRaw("x".repeat(20_000));
  await api.lookup(license);
  await api.lookup("none");
  await apiOf(server.url, `${apiKey}x`).validate({ license_key: license });
  await fetch(`${server.url}/api/v1/license/${license}?api_key=${apiKey}`);
  await fetch(`${server.url}/unknown/${apiKey}/${license}`);
  const last = await api.validate({ license_key: license });
  await until("the last request is in the request log", async () => {
    const rows = await requestLog(org.store, { id: last.headers.get("x-request-id") ?? "" });
    return rows.length === 1;
  });
}

function secretsOf({ org }: PublicApiFixture): readonly (readonly [string, Buffer])[] {
  const secret = Buffer.from(org.signingKey.secret);
  return [
    ["the API key", Buffer.from(org.apiKey)],
    ["the secret part of the API key", Buffer.from(org.apiKey.slice(13, -6))],
    ["the signing secret", secret],
    ["the signing secret in hexadecimal", Buffer.from(secret.toString("hex"))],
    ["the signing secret in base64", Buffer.from(secret.toString("base64").replace(/=+$/, ""))],
    ["the signing secret in base64url", Buffer.from(secret.toString("base64url"))],
  ];
}
