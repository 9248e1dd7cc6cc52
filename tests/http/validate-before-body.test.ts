import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { openRaw, type RawConnection } from "../support/raw-http.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Well below the ten-second limit for a body, and enough for a slow machine. */
const atOnceMs = 5_000;
const chunked = "Transfer-Encoding: chunked";
const requestLine = "POST /api/v1/validate HTTP/1.1\r\nHost: test\r\n";

testsOn("sqlite", "late bodies", openPublicApiFixture, (fixture) => {
  const begin = async (apiKey: string, framing: string) => {
    const raw = await openRaw(fixture.server.port);
    raw.write(`${requestLine}Authorization: Bearer ${apiKey}\r\n${framing}\r\n\r\n`);
    return raw;
  };
  const answerTo = (raw: RawConnection) => raw.answer({ deadlineMs: atOnceMs });
  const licenseOf = async (org = fixture.org) => {
    const { id, key } = await org.license();
    const body = JSON.stringify({ license_key: key });
    return { id, body, length: `Content-Length: ${body.length}` };
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
  const unknownKey = async () => generateApiKey(randomBytes).key;
  const keyWithoutQuota = async () => (await organization(0)).apiKey;

  test.each([
    ["a key in another format", 401, async () => "nonsense", chunked],
    ["a key that does not exist", 401, unknownKey, "Content-Length: 200"],
    ["a key that does not exist", 401, unknownKey, chunked],
    ["an exhausted quota", 429, keyWithoutQuota, "Content-Length: 200"],
    ["an exhausted quota", 429, keyWithoutQuota, chunked],
    ["a body announced as too large", 413, async () => fixture.org.apiKey, "Content-Length: 16385"],
  ])("a validation with %s gets %i before its body arrives", async (_, status, apiKey, framing) => {
    const raw = await begin(await apiKey(), framing);
    const answer = await answerTo(raw);
    expect(answer?.status).toBe(status);
    if (status === 413) expect(answer?.headers.get("connection")).toBe("close");
    raw.close();
  });

  test("a validation is counted at once, answered when its body arrives, and not counted again", async () => {
    const { body, length } = await licenseOf();
    const { raw, count } = await beginCounted(length);
    raw.write(body.slice(0, 10));
    raw.write(body.slice(10));
    expect((await answerTo(raw))?.body).toContain('"status":"active"');
    expect(await countedRequests(fixture.org)).toBe(count);
    raw.close();
  });

  test("a validation that used the last of the quota is answered, although later ones get 429", async () => {
    const org = await organization(1);
    const { body } = await licenseOf(org);
    const { raw: first } = await beginCounted(chunked, org);
    const second = await begin(org.apiKey, chunked);
    expect((await answerTo(second))?.status).toBe(429);
    first.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect((await answerTo(first))?.body).toContain('"status":"active"');
    expect(await countedRequests(org)).toBe(1);
    first.close();
    second.close();
  });

  test("a validation is refused if the license is revoked before the body arrives", async () => {
    const { id, body, length } = await licenseOf();
    const { raw } = await beginCounted(length);
    await fixture.store.transaction((db) =>
      db.updateTable("licenses").set({ revoked_at: Date.now() }).where("id", "=", id).execute(),
    );
    raw.write(body);
    expect((await answerTo(raw))?.body).toContain('"status":"revoked"');
    raw.close();
  });

  test("a caller that disconnects before its body has arrived does no harm", async () => {
    for (const framing of ["Content-Length: 200", chunked]) (await beginCounted(framing)).raw.close();
    const { key } = await fixture.org.license();
    expect((await fixture.api.validate({ license_key: key })).body.status).toBe("active");
  });

  test("a body that does not arrive gets 408, counted and logged, and headers that do not end are cut off", async () => {
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
    const identity = { organization_id: organizationId, product_id: productId, ip: "127.0.0.1" };
    for (const row of rows) {
      expect(row.duration_us).toBeGreaterThan(1_000_000);
      expect(row).toMatchObject({ ...identity, endpoint: "validate", license_id: null, count: 1 });
    }
    expect(await headersCutOff).toBe(408);
  });
});
