import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { exchange, openRaw } from "../support/raw-http.ts";
import { countedRequests, openScene, type Scene } from "../support/scene.ts";

setDefaultTimeout(60_000);

/** What stands in for a real secret and license in the rows below. */
const apiKeyMark = "<api key>";
const licenseMark = "<license>";
const bodyMark = "<body>";

/** `closed` means that the runtime hung up without an answer, which is all it does for some. */
type Expected = number | "closed";

interface Row {
  readonly what: string;
  /** The request line and headers; the empty line is added. */
  readonly head: readonly string[];
  readonly body?: string;
  readonly expected: Expected;
  readonly allow?: string;
}

const authorization = `Authorization: Bearer ${apiKeyMark}`;
const post = "POST /api/v1/validate HTTP/1.1";
const look = `GET /api/v1/license/${licenseMark} HTTP/1.1`;
const host = "Host: license.example.com";
const length = `Content-Length: ${bodyMark}`;

const rows: readonly Row[] = [
  { what: "HEAD of a license", head: [look.replace("GET", "HEAD"), host, authorization], expected: 200 },
  { what: "HEAD of /healthz", head: ["HEAD /healthz HTTP/1.1", host], expected: 200 },
  { what: "HEAD of nothing", head: ["HEAD /nothing HTTP/1.1", host], expected: 404 },
  {
    what: "OPTIONS of validate",
    head: ["OPTIONS /api/v1/validate HTTP/1.1", host],
    expected: 204,
    allow: "POST, OPTIONS",
  },
  {
    what: "OPTIONS of a license",
    head: ["OPTIONS /api/v1/license/a HTTP/1.1", host],
    expected: 204,
    allow: "GET, HEAD, OPTIONS",
  },
  { what: "OPTIONS of everything", head: ["OPTIONS * HTTP/1.1", host], expected: 400 },
  ...["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE"].map(
    (method): Row => ({
      what: `${method} of validate`,
      head: [`${method} /api/v1/validate HTTP/1.1`, host, authorization],
      expected: 405,
      allow: "POST, OPTIONS",
    }),
  ),
  ...["POST", "PUT", "PATCH", "DELETE"].map(
    (method): Row => ({
      what: `${method} of a license`,
      head: [`${method} /api/v1/license/a HTTP/1.1`, host, authorization, "Content-Length: 0"],
      expected: 405,
      allow: "GET, HEAD, OPTIONS",
    }),
  ),
  ...["/healthz", "/readyz", "/metrics", "/openapi.json"].map(
    (path): Row => ({
      what: `POST of ${path}`,
      head: [`POST ${path} HTTP/1.1`, host, "Content-Length: 0"],
      expected: 405,
      allow: "GET, HEAD, OPTIONS",
    }),
  ),
  ...[
    "/",
    "/api/v1/",
    "/api/v1/validate/",
    "//api/v1/validate",
    "/API/v1/validate",
    "/api/v1/../v1/validate",
    "/api/v1/license/",
    "/api/v1/license",
    "/api/v1/license/a/b",
    "/api/v2/validate",
    "/.env",
  ].map((path): Row => ({ what: `path ${path}`, head: [`GET ${path} HTTP/1.1`, host], expected: 404 })),
  {
    what: "a query after the path",
    head: ["POST /api/v1/validate?a=1 HTTP/1.1", host, authorization, length],
    body: bodyMark,
    expected: 200,
  },
  { what: "an unknown method", head: ["BREW /api/v1/validate HTTP/1.1", host], expected: "closed" },
  { what: "a method in lower case", head: ["get /healthz HTTP/1.1", host], expected: "closed" },
  { what: "CONNECT", head: ["CONNECT license.example.com:443 HTTP/1.1", host], expected: 404 },
  { what: "no Host", head: ["GET /healthz HTTP/1.1"], expected: 400 },
  { what: "an empty Host", head: ["GET /healthz HTTP/1.1", "Host:"], expected: 200 },
  // The server decides nothing by the Host, so one that is odd, or two, harm nobody.
  {
    what: "two Hosts",
    head: [post, host, "Host: other.example", authorization, length],
    body: bodyMark,
    expected: 200,
  },
  {
    what: "a Host that is no host",
    head: [post, "Host: a b/c?<>[::", authorization, length],
    body: bodyMark,
    expected: 200,
  },
  { what: "a Host that is no host, elsewhere", head: ["GET /nothing HTTP/1.1", "Host: [::"], expected: 404 },
  {
    what: "a target with a scheme and a host",
    head: ["POST http://other.example/api/v1/validate HTTP/1.1", host, authorization, length],
    body: bodyMark,
    expected: 200,
  },
  { what: "HTTP/1.0", head: ["GET /healthz HTTP/1.0"], expected: 200 },
  // The one 5xx that is the caller's fault: RFC 9110 has it for a version that is not spoken here.
  { what: "HTTP/3.0 in text", head: ["GET /healthz HTTP/3.0", host], expected: 505 },
  { what: "the preface of HTTP/2", head: ["PRI * HTTP/2.0"], body: "SM\r\n\r\n", expected: 400 },
  { what: "a greeting of TLS", head: ["\x16\x03\x01\x02\x00\x01\x00"], expected: 400 },
  { what: "a word", head: ["hello"], expected: 400 },
  { what: "a folded header", head: ["GET /healthz HTTP/1.1", host, "X-A: b", " c"], expected: 400 },
  {
    what: "a header of 70 kB",
    head: ["GET /healthz HTTP/1.1", host, `X-A: ${"a".repeat(70_000)}`],
    expected: 431,
  },
  {
    what: "500 headers",
    head: ["GET /healthz HTTP/1.1", host, ...Array.from({ length: 500 }, (_, n) => `X-${n}: a`)],
    expected: 431,
  },
  { what: "a target of 70 kB", head: [`GET /${"a".repeat(70_000)} HTTP/1.1`, host], expected: 431 },
  {
    what: "an API key of 8 kB",
    head: [look, host, `Authorization: Bearer ${"a".repeat(8_000)}`],
    expected: 401,
  },
  ...[
    ["a length and chunks", "Content-Length: 5", "Transfer-Encoding: chunked"],
    ["chunks and a length", "Transfer-Encoding: chunked", "Content-Length: 5"],
    ["two lengths", "Content-Length: 5", "Content-Length: 6"],
    ["a list of lengths", "Content-Length: 5, 5"],
    ["a length with a sign", "Content-Length: +5"],
    ["a length below nothing", "Content-Length: -1"],
    ["a length beyond all numbers", "Content-Length: 99999999999999999999999"],
    ["a hexadecimal length", "Content-Length: 0x5"],
    ["an unknown coding", "Transfer-Encoding: xchunked"],
    ["chunks that are not the last coding", "Transfer-Encoding: chunked, identity"],
    ["codings on two lines", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    ["a space before the colon", "Transfer-Encoding : chunked"],
    ["a chunk without a size", "Transfer-Encoding: chunked"],
  ].map(
    ([what = "", ...framing]): Row => ({
      what: `smuggling with ${what}`,
      head: [post, host, authorization, ...framing],
      body: "zz\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
      expected: 400,
    }),
  ),
  {
    what: "an expectation that nobody knows",
    head: [post, host, authorization, length, "Expect: magic"],
    body: bodyMark,
    expected: 200,
  },
  {
    what: "an upgrade to web sockets",
    head: [
      "GET /healthz HTTP/1.1",
      host,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
    ],
    expected: 200,
  },
  {
    what: "a lookup with a body",
    head: [look, host, authorization, "Content-Length: 5"],
    body: "hello",
    expected: 200,
  },
  { what: "two API keys", head: [look, host, authorization, authorization], expected: 401 },
];

for (const { kind, make } of databases) {
  describe(`HTTP on ${kind}`, () => {
    let scene: Scene;
    let license = "";
    let body = "";
    beforeAll(async () => {
      scene = await openScene(make);
      license = (await scene.seller.license()).key;
      body = JSON.stringify({ license_key: license });
    });
    afterAll(() => scene.close());

    const fill = (text: string) =>
      text
        .replaceAll(apiKeyMark, scene.seller.apiKey)
        .replaceAll(licenseMark, license)
        .replaceAll(`Content-Length: ${bodyMark}`, `Content-Length: ${body.length}`)
        .replaceAll(bodyMark, body);
    const request = (head: readonly string[], content = "") => fill(`${head.join("\r\n")}\r\n\r\n${content}`);
    const validation = () => request([post, host, authorization, length], bodyMark);
    const lookup = () => request([look, host, authorization]);
    const health = () => request(["GET /healthz HTTP/1.1", host]);

    for (const row of rows) {
      test(`${row.what}: ${row.expected}`, async () => {
        const answer = await exchange(scene.server.port, request(row.head, row.body), {
          toHead: row.head[0]?.startsWith("HEAD") ?? false,
        });
        expect(answer?.status ?? "closed").toBe(row.expected);
        if (row.allow !== undefined) expect(answer?.headers.get("allow")).toBe(row.allow);
        const ownAnswer = row.expected === 405 || row.expected === 404 || row.expected === 204;
        if (ownAnswer) expect(answer?.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      });
    }

    test("nothing is smuggled past the first request: the connection is closed after a 400", async () => {
      const raw = await openRaw(scene.server.port);
      const before = await countedRequests(scene.seller);
      raw.write(
        request(
          [post, host, authorization, "Content-Length: 4", "Transfer-Encoding: chunked"],
          `0\r\n\r\n${validation()}`,
        ),
      );
      expect((await raw.answer())?.status).toBe(400);
      expect(await raw.answer()).toBeNull();
      expect(await countedRequests(scene.seller)).toBe(before);
    });

    test("the rest of a body that was too large is not taken for a request", async () => {
      const raw = await openRaw(scene.server.port);
      const before = await countedRequests(scene.seller);
      raw.write(request([post, host, authorization, "Content-Length: 20000"], validation()));
      expect((await raw.answer())?.status).toBe(413);
      expect(await raw.answer()).toBeNull();
      expect(await countedRequests(scene.seller)).toBe(before + 1);
    });

    test("a connection is used for one request after another", async () => {
      const raw = await openRaw(scene.server.port);
      for (let turn = 0; turn < 20; turn++) {
        raw.write(turn % 2 === 0 ? validation() : lookup());
        const answer = await raw.answer();
        expect(answer?.status).toBe(200);
        expect(answer?.body).toContain(turn % 2 === 0 ? '"valid":true' : `"license_key":"${license}"`);
      }
      raw.close();
    });

    test("requests sent without waiting are answered in order while each is answered at once", async () => {
      const raw = await openRaw(scene.server.port);
      raw.write(health() + request(["GET /nothing HTTP/1.1", host]) + health() + validation());
      const statuses = [];
      for (let turn = 0; turn < 4; turn++) statuses.push((await raw.answer())?.status);
      expect(statuses).toEqual([200, 404, 200, 200]);
      raw.close();
    });

    // The runtime hangs up when a second request comes while the first waits for the database (oven-sh/bun#38128).
    test("a request sent behind one that still waits never gets the other's answer", async () => {
      for (const sent of [validation() + lookup(), lookup() + validation()]) {
        const raw = await openRaw(scene.server.port);
        raw.write(sent);
        const first = await raw.answer();
        const expected = sent.startsWith("POST") ? '"valid":true' : '"license_key"';
        if (first !== null) expect(first.body).toContain(expected);
        raw.close();
      }
      expect((await scene.api.validate({ license_key: license })).status).toBe(200);
    });

    test("a caller that asks for it hears 100 before it sends its body", async () => {
      const raw = await openRaw(scene.server.port);
      raw.write(request([post, host, authorization, length, "Expect: 100-continue"]));
      expect((await raw.answer())?.status).toBe(100);
      raw.write(body);
      expect((await raw.answer())?.body).toContain('"valid":true');
      raw.close();
    });

    test("a caller that wants the connection closed gets it closed", async () => {
      const raw = await openRaw(scene.server.port);
      raw.write(request([post, host, authorization, length, "Connection: close"], bodyMark));
      expect((await raw.answer())?.status).toBe(200);
      expect(await raw.answer()).toBeNull();
    });

    test("bytes that come one at a time make one request", async () => {
      const raw = await openRaw(scene.server.port);
      for (const byte of validation()) {
        raw.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await raw.answer())?.body).toContain('"valid":true');
      raw.close();
    });
  });
}

test("headers that trickle in for ever are cut off", async () => {
  const [sqlite] = databases;
  if (sqlite === undefined) throw new Error("there is no database");
  const scene = await openScene(sqlite.make);
  const raw = await openRaw(scene.server.port);
  raw.write(`${post}\r\n${host}\r\n`);
  const trickle = setInterval(() => raw.write("X-A: b\r\n"), 500);
  const answer = await raw.answer({ deadlineMs: 30_000 });
  clearInterval(trickle);
  expect(answer === null || answer.status === 408).toBeTrue();
  raw.close();
  await scene.close();
});
