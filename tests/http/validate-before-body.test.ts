import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { on, sqlite } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
} from "../support/public-api-fixture.ts";
import { openRaw } from "../support/raw-http.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Well below the ten-second limit for a body, and enough for a slow machine. */
const atOnceMs = 5_000;

for (const { kind, make } of on("sqlite")) {
  describe(`a validate request whose body has not arrived, on ${kind}`, () => {
    let fixture: PublicApiFixture;
    let key = "";
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make);
      key = (await fixture.org.license()).key;
    });
    afterAll(() => fixture.close());

    const begin = async (apiKey: string, framing: string) => {
      const raw = await openRaw(fixture.server.port);
      raw.write(
        `POST /api/v1/validate HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${apiKey}\r\n${framing}\r\n\r\n`,
      );
      return raw;
    };
    const body = () => JSON.stringify({ license_key: key });
    const framings = ["Content-Length: 200", "Transfer-Encoding: chunked"];
    const madeUp = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count))).key;

    for (const framing of framings) {
      for (const [what, apiKey] of [
        ["in another format", "nonsense"],
        ["that does not exist", madeUp],
      ] as const) {
        test(`a key ${what} gets 401 at once (${framing})`, async () => {
          const raw = await begin(apiKey, framing);
          const answer = await raw.answer({ deadlineMs: atOnceMs });
          expect(answer?.status).toBe(401);
          raw.close();
        });
      }

      test(`an exhausted quota gets 429 at once and is not counted (${framing})`, async () => {
        const poor = await openTestOrganization(null, { store: fixture.store, dailyLimit: 0 });
        const raw = await begin(poor.apiKey, framing);
        const answer = await raw.answer({ deadlineMs: atOnceMs });
        expect(answer?.status).toBe(429);
        expect(await countedRequests(poor)).toBe(0);
        raw.close();
      });
    }

    test("a body announced as too large gets 413 at once and is counted", async () => {
      const before = await countedRequests(fixture.org);
      const raw = await begin(fixture.org.apiKey, "Content-Length: 16385");
      const answer = await raw.answer({ deadlineMs: atOnceMs });
      expect(answer?.status).toBe(413);
      expect(answer?.headers.get("connection")).toBe("close");
      expect(await countedRequests(fixture.org)).toBe(before + 1);
      raw.close();
    });

    test("a request is counted at once, answered when its body arrives, and not counted again", async () => {
      const before = await countedRequests(fixture.org);
      const raw = await begin(fixture.org.apiKey, `Content-Length: ${body().length}`);
      await until("the request is counted", async () => (await countedRequests(fixture.org)) === before + 1);
      raw.write(body().slice(0, 10));
      raw.write(body().slice(10));
      const answer = await raw.answer({ deadlineMs: atOnceMs });
      expect(answer?.status).toBe(200);
      expect(answer?.body).toContain('"status":"active"');
      expect(await countedRequests(fixture.org)).toBe(before + 1);
      raw.close();
    });

    test("a chunked body that arrives late is answered", async () => {
      const before = await countedRequests(fixture.org);
      const raw = await begin(fixture.org.apiKey, "Transfer-Encoding: chunked");
      await until("the request is counted", async () => (await countedRequests(fixture.org)) === before + 1);
      raw.write(`${body().length.toString(16)}\r\n${body()}\r\n0\r\n\r\n`);
      expect((await raw.answer({ deadlineMs: atOnceMs }))?.body).toContain('"status":"active"');
      raw.close();
    });

    test("a request admitted by the last of the quota is answered although later ones get 429", async () => {
      const poor = await openTestOrganization(null, { store: fixture.store, dailyLimit: 1 });
      const license = await poor.license();
      const first = await begin(poor.apiKey, "Transfer-Encoding: chunked");
      await until("the first is counted", async () => (await countedRequests(poor)) === 1);
      const second = await begin(poor.apiKey, "Transfer-Encoding: chunked");
      expect((await second.answer({ deadlineMs: atOnceMs }))?.status).toBe(429);
      const late = JSON.stringify({ license_key: license.key });
      first.write(`${late.length.toString(16)}\r\n${late}\r\n0\r\n\r\n`);
      expect((await first.answer({ deadlineMs: atOnceMs }))?.body).toContain('"status":"active"');
      expect(await countedRequests(poor)).toBe(1);
      first.close();
      second.close();
    });

    test("a revocation before the body arrives takes effect", async () => {
      const { org } = fixture;
      const license = await org.license();
      const before = await countedRequests(org);
      const late = JSON.stringify({ license_key: license.key });
      const raw = await begin(org.apiKey, `Content-Length: ${late.length}`);
      await until("the request is counted", async () => (await countedRequests(org)) === before + 1);
      await org.store.transaction((db) =>
        db.updateTable("licenses").set({ revoked_at: Date.now() }).where("id", "=", license.id).execute(),
      );
      raw.write(late);
      expect((await raw.answer({ deadlineMs: atOnceMs }))?.body).toContain('"status":"revoked"');
      raw.close();
    });

    test("callers that disconnect before sending the body do no harm", async () => {
      const before = await countedRequests(fixture.org);
      for (const framing of framings) {
        const raw = await begin(fixture.org.apiKey, framing);
        await until("it is counted", async () => (await countedRequests(fixture.org)) > before);
        raw.close();
      }
      await until("both are counted", async () => (await countedRequests(fixture.org)) === before + 2);
      expect((await fixture.api.validate({ license_key: key })).body.status).toBe("active");
    });
  });
}

test("a caller that does not finish its request is cut off: 408 without a body, which is counted and logged", async () => {
  const fixture = await openPublicApiFixture(sqlite.make);
  const { organizationId, productId, apiKey } = fixture.org;
  const start = `POST /api/v1/validate HTTP/1.1\r\nHost: test\r\n`;
  const withoutBody = async (afterMs: number) => {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const raw = await openRaw(fixture.server.port);
    raw.write(`${start}Authorization: Bearer ${apiKey}\r\nContent-Length: 5\r\n\r\n`);
    const answer = await raw.answer({ deadlineMs: 25_000 });
    raw.close();
    return { status: answer?.status, id: answer?.headers.get("x-request-id") };
  };
  const withEndlessHeaders = async () => {
    const raw = await openRaw(fixture.server.port);
    raw.write(start);
    const trickle = setInterval(() => raw.write("X-A: b\r\n"), 500);
    const answer = await raw.answer({ deadlineMs: 30_000 });
    clearInterval(trickle);
    raw.close();
    return answer?.status ?? 408;
  };
  const headersCutOff = withEndlessHeaders();
  // Started a second apart, because the runtime closes silent connections every four seconds and must not do so
  // first.
  const answers = await Promise.all([0, 1_000, 2_000, 3_000].map(withoutBody));
  expect(answers.map(({ status }) => status)).toEqual([408, 408, 408, 408]);
  expect(await countedRequests(fixture.org)).toBe(4);
  const logged = () => requestLog(fixture.store, { status: "body_timeout", product_id: productId });
  await until("they are in the request log", async () => (await logged()).length === 4);
  const rows = await logged();
  expect(rows.map(({ id }) => String(id)).sort()).toEqual(answers.map(({ id }) => String(id)).sort());
  for (const row of rows) {
    expect(row.duration_us).toBeGreaterThan(1_000_000);
    expect(row).toMatchObject({ organization_id: organizationId, product_id: productId, ip: "127.0.0.1" });
    expect(row).toMatchObject({ endpoint: "validate", license_id: null, count: 1 });
  }
  expect(await headersCutOff).toBe(408);
  await fixture.close();
});
