import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { on } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
} from "../support/public-api-fixture.ts";
import { exchange, openRaw } from "../support/raw-http.ts";
import { within } from "../support/until.ts";
import {
  apiKeyMark,
  authorization,
  bodyMark,
  host,
  length,
  licenseMark,
  look,
  post,
  wireRows,
} from "./wire-rows.ts";

setDefaultTimeout(60_000);

for (const { kind, make } of on("sqlite")) {
  describe(`HTTP on ${kind}`, () => {
    let fixture: PublicApiFixture;
    let license = "";
    let body = "";
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make);
      license = (await fixture.org.license()).key;
      body = JSON.stringify({ license_key: license });
    });
    afterAll(() => fixture.close());

    const fill = (text: string) =>
      text
        .replaceAll(apiKeyMark, fixture.org.apiKey)
        .replaceAll(licenseMark, license)
        .replaceAll(`Content-Length: ${bodyMark}`, `Content-Length: ${body.length}`)
        .replaceAll(bodyMark, body);
    const request = (head: readonly string[], content = "") => fill(`${head.join("\r\n")}\r\n\r\n${content}`);
    const validation = () => request([post, host, authorization, length], bodyMark);
    const lookup = () => request([look, host, authorization]);
    const health = () => request(["GET /healthz HTTP/1.1", host]);

    for (const row of wireRows) {
      test(`${row.what}: ${row.expected}`, async () => {
        const answer = await exchange(fixture.server.port, request(row.head, row.body), {
          toHead: row.head[0]?.startsWith("HEAD") ?? false,
        });
        expect(answer?.status ?? "closed").toBe(row.expected);
        if (row.allow !== undefined) expect(answer?.headers.get("allow")).toBe(row.allow);
        const ownAnswer = row.expected === 405 || row.expected === 404 || row.expected === 204;
        if (ownAnswer) expect(answer?.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      });
    }

    test("a smuggled request gets no response: the connection closes after a 400", async () => {
      const raw = await openRaw(fixture.server.port);
      const before = await countedRequests(fixture.org);
      raw.write(
        request(
          [post, host, authorization, "Content-Length: 4", "Transfer-Encoding: chunked"],
          `0\r\n\r\n${validation()}`,
        ),
      );
      expect((await raw.answer())?.status).toBe(400);
      expect(await raw.answer()).toBeNull();
      expect(await countedRequests(fixture.org)).toBe(before);
    });

    test("the rest of a body that was too large is not parsed as a request", async () => {
      const raw = await openRaw(fixture.server.port);
      const before = await countedRequests(fixture.org);
      raw.write(request([post, host, authorization, "Content-Length: 20000"], validation()));
      expect((await raw.answer())?.status).toBe(413);
      expect(await raw.answer()).toBeNull();
      expect(await countedRequests(fixture.org)).toBe(before + 1);
    });

    test("a connection serves several requests", async () => {
      const raw = await openRaw(fixture.server.port);
      for (let round = 0; round < 20; round++) {
        raw.write(round % 2 === 0 ? validation() : lookup());
        const answer = await raw.answer();
        expect(answer?.status).toBe(200);
        expect(answer?.body).toContain(round % 2 === 0 ? '"valid":true' : `"license_key":"${license}"`);
      }
      raw.close();
    });

    test("pipelined requests are answered in order if each is answered at once", async () => {
      const raw = await openRaw(fixture.server.port);
      raw.write(health() + request(["GET /api/v1/validate HTTP/1.1", host]) + health() + validation());
      const statuses = [];
      for (let round = 0; round < 4; round++) statuses.push((await raw.answer())?.status);
      expect(statuses).toEqual([200, 405, 200, 200]);
      raw.close();
    });

    // The runtime closes the connection when a second request arrives while the first waits for the database
    // (oven-sh/bun#38128).
    test("a pipelined request never gets the response to the one before it", async () => {
      for (const sent of [validation() + lookup(), lookup() + validation()]) {
        const raw = await openRaw(fixture.server.port);
        raw.write(sent);
        const first = await raw.answer();
        const expected = sent.startsWith("POST") ? '"valid":true' : '"license_key"';
        if (first !== null) expect(first.body).toContain(expected);
        raw.close();
      }
      expect((await fixture.api.validate({ license_key: license })).status).toBe(200);
    });

    test("a caller that sends Expect gets 100 before it sends its body", async () => {
      const raw = await openRaw(fixture.server.port);
      raw.write(request([post, host, authorization, length, "Expect: 100-continue"]));
      expect((await raw.answer())?.status).toBe(100);
      raw.write(body);
      expect((await raw.answer())?.body).toContain('"valid":true');
      raw.close();
    });

    test("a caller that sends Connection: close gets a closed connection", async () => {
      const raw = await openRaw(fixture.server.port);
      raw.write(request([post, host, authorization, length, "Connection: close"], bodyMark));
      expect((await raw.answer())?.status).toBe(200);
      expect(await raw.answer()).toBeNull();
    });

    test.each([
      ["a page, by HTTP/1.1", "GET /docs HTTP/1.1", ["Connection: close"]],
      ["a page, by HTTP/1.0", "GET /docs HTTP/1.0", []],
      ["the management API, by HTTP/1.1", "GET /api/manage/v1/me HTTP/1.1", ["Connection: close"]],
      ["the management API, by HTTP/1.0", "GET /api/manage/v1/me HTTP/1.0", []],
    ])(
      "the connection closes after a forwarded request that does not keep it alive: %s",
      async (_, line, headers) => {
        const raw = await openRaw(fixture.server.port);
        raw.write(request([line, host, ...headers]));
        expect((await raw.answer())?.status).toBe(line.includes("/docs") ? 200 : 401);
        await within(5_000, "the connection ends", raw.closed);
      },
    );

    test("the rest of a body is not parsed as a request when a forwarded request was refused before it", async () => {
      const raw = await openRaw(fixture.server.port);
      const before = await countedRequests(fixture.org);
      const rest = validation();
      raw.write(request(["POST /nothing HTTP/1.1", host, `Content-Length: ${rest.length + 2}`], "{}"));
      expect((await raw.answer())?.status).toBe(404);
      raw.write(rest + health());
      expect((await raw.answer())?.body).toBe("ok\n");
      expect(await countedRequests(fixture.org)).toBe(before);
      raw.close();
    });

    test("bytes that arrive one at a time form one request", async () => {
      const raw = await openRaw(fixture.server.port);
      for (const byte of validation()) {
        raw.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await raw.answer())?.body).toContain('"valid":true');
      raw.close();
    });
  });
}
