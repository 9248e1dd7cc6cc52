import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { openRaw } from "../support/raw-http.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Well below the ten-second limit for a body, and enough for a slow machine. */
const atOnceMs = 5_000;
const chunked = "Transfer-Encoding: chunked";
const requestLine = "POST /api/v1/validate HTTP/1.1\r\nHost: test\r\n";

testsOn("sqlite", "a validate request whose body has not arrived", openPublicApiFixture, (fixture) => {
  const begin = async (apiKey: string, framing: string) => {
    const raw = await openRaw(fixture.server.port);
    raw.write(`${requestLine}Authorization: Bearer ${apiKey}\r\n${framing}\r\n\r\n`);
    return raw;
  };
  /** A license, and the bytes of a body with its key in both framings. */
  const licenseOf = async (org = fixture.org) => {
    const license = await org.license();
    const body = JSON.stringify({ license_key: license.key });
    const asChunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    return { id: license.id, body, asChunk, length: `Content-Length: ${body.length}` };
  };
  /** Opens a request, and waits until it is counted. */
  const beginCounted = async (framing: string, org = fixture.org) => {
    const before = await countedRequests(org);
    const raw = await begin(org.apiKey, framing);
    await until("the request is counted", async () => (await countedRequests(org)) === before + 1);
    return { raw, count: before + 1 };
  };
  const organization = (dailyLimit: number) =>
    openTestOrganization(null, { store: fixture.store, dailyLimit });

  test.each([
    ["a key in another format", 401, () => "nonsense", chunked],
    ["a key that does not exist", 401, () => generateApiKey(randomBytes).key, "Content-Length: 200"],
    ["a key that does not exist", 401, () => generateApiKey(randomBytes).key, chunked],
    ["a body announced as too large", 413, () => fixture.org.apiKey, "Content-Length: 16385"],
  ])("for %s gets %i at once", async (_, status, apiKey, framing) => {
    const raw = await begin(apiKey(), framing);
    const answer = await raw.answer({ deadlineMs: atOnceMs });
    expect(answer?.status).toBe(status);
    if (status === 413) expect(answer?.headers.get("connection")).toBe("close");
    raw.close();
  });

  test.each(["Content-Length: 200", chunked])(
    "for an exhausted quota gets 429 at once and is not counted (%s)",
    async (framing) => {
      const org = await organization(0);
      const raw = await begin(org.apiKey, framing);
      expect((await raw.answer({ deadlineMs: atOnceMs }))?.status).toBe(429);
      expect(await countedRequests(org)).toBe(0);
      raw.close();
    },
  );

  test("is counted at once, answered when its body arrives, and not counted again", async () => {
    const { body, length } = await licenseOf();
    const { raw, count } = await beginCounted(length);
    raw.write(body.slice(0, 10));
    raw.write(body.slice(10));
    expect((await raw.answer({ deadlineMs: atOnceMs }))?.body).toContain('"status":"active"');
    expect(await countedRequests(fixture.org)).toBe(count);
    raw.close();
  });

  test("is answered if it was admitted by the last of the quota, although later ones get 429", async () => {
    const org = await organization(1);
    const { asChunk } = await licenseOf(org);
    const { raw: first } = await beginCounted(chunked, org);
    const second = await begin(org.apiKey, chunked);
    expect((await second.answer({ deadlineMs: atOnceMs }))?.status).toBe(429);
    first.write(asChunk);
    expect((await first.answer({ deadlineMs: atOnceMs }))?.body).toContain('"status":"active"');
    expect(await countedRequests(org)).toBe(1);
    first.close();
    second.close();
  });

  test("is refused if the license is revoked before the body arrives", async () => {
    const { id, body, length } = await licenseOf();
    const { raw } = await beginCounted(length);
    await fixture.store.transaction((db) =>
      db.updateTable("licenses").set({ revoked_at: Date.now() }).where("id", "=", id).execute(),
    );
    raw.write(body);
    expect((await raw.answer({ deadlineMs: atOnceMs }))?.body).toContain('"status":"revoked"');
    raw.close();
  });

  test("does no harm if its caller disconnects", async () => {
    for (const framing of ["Content-Length: 200", chunked]) (await beginCounted(framing)).raw.close();
    const { key } = await fixture.org.license();
    expect((await fixture.api.validate({ license_key: key })).body.status).toBe("active");
  });

  test("is cut off: 408, which is counted and logged; so are headers that do not end", async () => {
    const { organizationId, productId, apiKey } = await organization(100);
    const withoutBody = async (afterMs: number) => {
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const raw = await begin(apiKey, "Content-Length: 5");
      const answer = await raw.answer({ deadlineMs: 25_000 });
      raw.close();
      return { status: answer?.status, id: String(answer?.headers.get("x-request-id")) };
    };
    const withEndlessHeaders = async () => {
      const raw = await openRaw(fixture.server.port);
      raw.write(requestLine);
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
    expect(await countedRequests({ store: fixture.store, productId })).toBe(4);
    const logged = () => requestLog(fixture.store, { status: "body_timeout", product_id: productId });
    await until("they are in the request log", async () => (await logged()).length === 4);
    const rows = await logged();
    expect(rows.map(({ id }) => id).toSorted()).toEqual(answers.map(({ id }) => id).toSorted());
    for (const row of rows) {
      expect(row.duration_us).toBeGreaterThan(1_000_000);
      expect(row).toMatchObject({
        ...{ organization_id: organizationId, product_id: productId, ip: "127.0.0.1" },
        ...{ endpoint: "validate", license_id: null, count: 1 },
      });
    }
    expect(await headersCutOff).toBe(408);
  });
});
