import { expect, setDefaultTimeout, test } from "bun:test";
import { listed } from "../support/listed.ts";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { exchange, openRaw } from "../support/raw-http.ts";
import { testsOn } from "../support/tests-on.ts";
import { within } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Placeholders for a real secret and license. */
const authorization = "Authorization: Bearer <api key>";
const post = "POST /api/v1/validate HTTP/1.1";
const look = "GET /api/v1/license/<license> HTTP/1.1";
const health = "GET /healthz HTTP/1.1";
const host = "Host: license.example.com";
/** A complete body, and its length. */
const withBody = ["Content-Length: <length>", "", "<body>"];

/**
 * The lines of a request. An empty one ends the headers, and is added if there is no body. `closed` means that the
 * runtime closes the connection without a response.
 */
type Row = readonly [what: string, expected: number | "closed", ...lines: string[]];

const unknownPaths = ["/api/v1/", "/api/v1/validate/", "//api/v1/validate", "/API/v1/validate", "/.env"];
const unknownLicensePaths = ["/api/v1/../v1/validate", "/api/v1/license/", "/api/v1/license/a/b"];

/** Headers of which a proxy and a server could understand different lengths of the body. */
const smuggling: Readonly<Record<string, readonly string[]>> = {
  "a length, then chunks": ["Content-Length: 5", "Transfer-Encoding: chunked"],
  "chunks, then a length": ["Transfer-Encoding: chunked", "Content-Length: 5"],
  "two lengths": ["Content-Length: 5", "Content-Length: 6"],
  "a list of lengths": ["Content-Length: 5, 5"],
  "a length with a sign": ["Content-Length: +5"],
  "an overflowing length": ["Content-Length: 99999999999999999999999"],
  "a hexadecimal length": ["Content-Length: 0x5"],
  "an unknown transfer coding": ["Transfer-Encoding: xchunked"],
  "chunked before another coding": ["Transfer-Encoding: chunked, identity"],
  "transfer codings on two lines": ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
  "a space before the colon": ["Transfer-Encoding : chunked"],
  "a chunk without a size": ["Transfer-Encoding: chunked"],
};
const smuggled = "zz\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

const rows: readonly Row[] = [
  ["HEAD of a license", 200, look.replace("GET", "HEAD"), host, authorization],
  ["OPTIONS of everything", 400, "OPTIONS * HTTP/1.1", host],
  ...[...unknownPaths, ...unknownLicensePaths].map(
    (path): Row => [`path ${path}`, 404, `GET ${path} HTTP/1.1`, host],
  ),
  ["a query after the path", 200, post.replace(" HTTP", "?a=1 HTTP"), host, authorization, ...withBody],
  ["an unknown method", "closed", "BREW /api/v1/validate HTTP/1.1", host],
  ["CONNECT", 404, "CONNECT license.example.com:443 HTTP/1.1", host],
  ["no Host", 400, health],
  ["an empty Host", 200, health, "Host:"],
  // The server never uses the Host header, so odd or repeated values are harmless.
  ["two Hosts", 200, post, host, "Host: other.example", authorization, ...withBody],
  ["an invalid Host", 200, post, "Host: a b/c?<>[::", authorization, ...withBody],
  ["a target with a host", 200, post.replace("/", "http://other.example/"), host, authorization, ...withBody],
  ["HTTP/1.0", 200, "GET /healthz HTTP/1.0"],
  // RFC 9110 prescribes this 5xx for an unsupported version, although it is the caller's fault.
  ["HTTP/3.0 in text", 505, "GET /healthz HTTP/3.0", host],
  ["the HTTP/2 preface", 400, "PRI * HTTP/2.0", "", "SM\r\n\r\n"],
  ["a TLS client hello", 400, "\x16\x03\x01\x02\x00\x01\x00"],
  ["a folded header", 400, health, host, "X-A: b", " c"],
  ["a header of 70 kB", 431, health, host, `X-A: ${"a".repeat(70_000)}`],
  ["500 headers", 431, health, host, ...Array.from({ length: 500 }, (_, n) => `X-${n}: a`)],
  ["a target of 70 kB", 431, `GET /${"a".repeat(70_000)} HTTP/1.1`, host],
  ["an API key of 8 kB", 401, look, host, `Authorization: Bearer ${"a".repeat(8_000)}`],
  ["two API keys", 401, look, host, authorization, authorization],
  ...Object.entries(smuggling).map(
    ([what, framing]): Row => [
      `smuggling with ${what}`,
      400,
      ...[post, host, authorization, ...framing, "", smuggled],
    ],
  ),
  ["an unknown expectation", 200, post, host, authorization, "Expect: magic", ...withBody],
  ["a WebSocket upgrade", 200, health, host, "Connection: Upgrade", "Upgrade: websocket"],
  ["a lookup with a body", 200, look, host, authorization, "Content-Length: 5", "", "hello"],
];

/** The methods of each path that get this status, and the `Allow` header. */
const methods: readonly (readonly [path: string, status: number, allow: string, methods: string])[] = [
  ["/api/v1/validate", 204, "POST, OPTIONS", "OPTIONS"],
  ["/api/v1/validate", 405, "POST, OPTIONS", "GET HEAD PUT PATCH DELETE TRACE"],
  ["/api/v1/license/a", 204, "GET, HEAD, OPTIONS", "OPTIONS"],
  ["/api/v1/license/a", 405, "GET, HEAD, OPTIONS", "POST PUT PATCH DELETE"],
  ["/healthz", 405, "GET, HEAD, OPTIONS", "POST"],
  ["/readyz", 405, "GET, HEAD, OPTIONS", "POST"],
  ["/metrics", 405, "GET, HEAD, OPTIONS", "POST"],
  ["/openapi.json", 405, "GET, HEAD, OPTIONS", "POST"],
];

testsOn(
  "sqlite",
  "HTTP",
  async (make) => {
    const fixture = await openPublicApiFixture(make);
    return { ...fixture, license: (await fixture.org.license()).key };
  },
  (fixture) => {
    const body = () => JSON.stringify({ license_key: fixture.license });
    const request = (...lines: readonly string[]) =>
      [...lines, ...(lines.includes("") ? [] : ["", ""])]
        .join("\r\n")
        .replaceAll("<api key>", fixture.org.apiKey)
        .replaceAll("<license>", fixture.license)
        .replaceAll("<length>", String(body().length))
        .replaceAll("<body>", body());
    const validation = () => request(post, host, authorization, ...withBody);
    const lookup = () => request(look, host, authorization);
    const healthCheck = () => request(health, host);
    const open = () => openRaw(fixture.server.port);
    /** The response to a request. */
    const respond = (...lines: readonly string[]) =>
      exchange(fixture.server.port, request(...lines), { toHead: lines[0]?.startsWith("HEAD") ?? false });
    const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/);

    test.each(rows)("%s results in %p", async (_, expected, ...lines) => {
      const answer = await respond(...lines);
      expect(answer?.status ?? "closed").toBe(expected);
      if (expected === 404) expect(answer?.headers.get("x-request-id")).toEqual(requestId);
    });

    test.each(methods)("%s answers %p with Allow: %s to methods %s", async (path, status, allow, all) => {
      for (const method of listed(all)) {
        const answer = await respond(`${method} ${path} HTTP/1.1`, host, authorization, "Content-Length: 0");
        expect([method, answer?.status, answer?.headers.get("allow")]).toEqual([method, status, allow]);
        expect(answer?.headers.get("x-request-id")).toEqual(requestId);
      }
    });

    test.each([
      ["smuggled", 400, 0, ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
      ["the rest of a body that was too large", 413, 1, ["Content-Length: 20000"], ""],
    ] as const)(
      "a request that is %s gets no response: the connection closes after a %i",
      async (_, status, counted, framing, start) => {
        const raw = await open();
        const before = await countedRequests(fixture.org);
        raw.write(request(post, host, authorization, ...framing, "", start + validation()));
        expect((await raw.answer())?.status).toBe(status);
        expect(await raw.answer()).toBeNull();
        expect(await countedRequests(fixture.org)).toBe(before + counted);
      },
    );

    test("the rest of a body is not parsed as a request when a forwarded request was refused before it", async () => {
      const raw = await open();
      const before = await countedRequests(fixture.org);
      const rest = validation();
      raw.write(request("POST /nothing HTTP/1.1", host, `Content-Length: ${rest.length + 2}`, "", "{}"));
      expect((await raw.answer())?.status).toBe(404);
      raw.write(rest + healthCheck());
      expect((await raw.answer())?.body).toBe("ok\n");
      expect(await countedRequests(fixture.org)).toBe(before);
      raw.close();
    });

    test("a connection serves several requests, and pipelined ones in order if each is answered at once", async () => {
      const raw = await open();
      for (let round = 0; round < 5; round++) {
        raw.write(validation());
        expect((await raw.answer())?.body).toContain('"valid":true');
        raw.write(lookup());
        expect((await raw.answer())?.body).toContain(`"license_key":"${fixture.license}"`);
      }
      raw.write(healthCheck() + request(look.replace("GET", "PUT"), host) + healthCheck() + validation());
      for (const status of [200, 405, 200, 200]) expect((await raw.answer())?.status).toBe(status);
      raw.close();
    });

    // The runtime closes the connection when a second request arrives while the first waits for the database
    // (oven-sh/bun#38128).
    test("a pipelined request never gets the response to the one before it", async () => {
      for (const [sent, expected] of [
        [validation() + lookup(), '"valid":true'],
        [lookup() + validation(), '"license_key"'],
      ] as const) {
        const first = await exchange(fixture.server.port, sent);
        if (first !== null) expect(first.body).toContain(expected);
      }
      expect((await fixture.api.validate({ license_key: fixture.license })).status).toBe(200);
    });

    test("a caller that sends Expect gets 100 before it sends its body", async () => {
      const raw = await open();
      raw.write(request(post, host, authorization, "Content-Length: <length>", "Expect: 100-continue"));
      expect((await raw.answer())?.status).toBe(100);
      raw.write(body());
      expect((await raw.answer())?.body).toContain('"valid":true');
      raw.close();
    });

    test.each([
      [200, post, [authorization, "Connection: close", ...withBody]],
      [200, "GET /problems HTTP/1.1", ["Connection: close"]],
      [200, "GET /problems HTTP/1.0", []],
      [401, "GET /api/manage/v1/me HTTP/1.1", ["Connection: close"]],
      [401, "GET /api/manage/v1/me HTTP/1.0", []],
    ])(
      "the connection closes after a %i of a request that does not keep it alive: %s",
      async (status, line, rest) => {
        const raw = await open();
        raw.write(request(line, host, ...rest));
        expect((await raw.answer())?.status).toBe(status);
        await within(5_000, "the connection ends", raw.closed);
      },
    );

    test("bytes that arrive one at a time form one request", async () => {
      const raw = await open();
      for (const byte of validation()) {
        raw.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await raw.answer())?.body).toContain('"valid":true');
      raw.close();
    });
  },
);
