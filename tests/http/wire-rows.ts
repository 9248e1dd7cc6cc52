/** Placeholders for a real secret and license in the rows below. */
export const apiKeyMark = "<api key>";
export const licenseMark = "<license>";
export const bodyMark = "<body>";

/** `closed` means that the runtime closes the connection without a response. */
type Expected = number | "closed";

export interface WireRow {
  readonly what: string;
  /** The request line and headers. The blank line is added. */
  readonly head: readonly string[];
  readonly body?: string;
  readonly expected: Expected;
  readonly allow?: string;
}

export const authorization = `Authorization: Bearer ${apiKeyMark}`;
export const post = "POST /api/v1/validate HTTP/1.1";
export const look = `GET /api/v1/license/${licenseMark} HTTP/1.1`;
export const host = "Host: license.example.com";
export const length = `Content-Length: ${bodyMark}`;

export const wireRows: readonly WireRow[] = [
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
    (method): WireRow => ({
      what: `${method} of validate`,
      head: [`${method} /api/v1/validate HTTP/1.1`, host, authorization],
      expected: 405,
      allow: "POST, OPTIONS",
    }),
  ),
  ...["POST", "PUT", "PATCH", "DELETE"].map(
    (method): WireRow => ({
      what: `${method} of a license`,
      head: [`${method} /api/v1/license/a HTTP/1.1`, host, authorization, "Content-Length: 0"],
      expected: 405,
      allow: "GET, HEAD, OPTIONS",
    }),
  ),
  ...["/healthz", "/readyz", "/metrics", "/openapi.json"].map(
    (path): WireRow => ({
      what: `POST of ${path}`,
      head: [`POST ${path} HTTP/1.1`, host, "Content-Length: 0"],
      expected: 405,
      allow: "GET, HEAD, OPTIONS",
    }),
  ),
  ...[
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
  ].map((path): WireRow => ({ what: `path ${path}`, head: [`GET ${path} HTTP/1.1`, host], expected: 404 })),
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
  // The server never uses the Host header, so odd or repeated values are harmless.
  {
    what: "two Hosts",
    head: [post, host, "Host: other.example", authorization, length],
    body: bodyMark,
    expected: 200,
  },
  {
    what: "an invalid Host",
    head: [post, "Host: a b/c?<>[::", authorization, length],
    body: bodyMark,
    expected: 200,
  },
  {
    what: "an invalid Host, on an unknown path",
    head: ["GET /nothing HTTP/1.1", "Host: [::"],
    expected: 404,
  },
  {
    what: "a target with a scheme and a host",
    head: ["POST http://other.example/api/v1/validate HTTP/1.1", host, authorization, length],
    body: bodyMark,
    expected: 200,
  },
  { what: "HTTP/1.0", head: ["GET /healthz HTTP/1.0"], expected: 200 },
  // RFC 9110 prescribes this 5xx for an unsupported version, although it is the caller's fault.
  { what: "HTTP/3.0 in text", head: ["GET /healthz HTTP/3.0", host], expected: 505 },
  { what: "the HTTP/2 preface", head: ["PRI * HTTP/2.0"], body: "SM\r\n\r\n", expected: 400 },
  { what: "a TLS client hello", head: ["\x16\x03\x01\x02\x00\x01\x00"], expected: 400 },
  { what: "a single word", head: ["hello"], expected: 400 },
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
    ["a length, then chunks", "Content-Length: 5", "Transfer-Encoding: chunked"],
    ["chunks, then a length", "Transfer-Encoding: chunked", "Content-Length: 5"],
    ["two lengths", "Content-Length: 5", "Content-Length: 6"],
    ["a list of lengths", "Content-Length: 5, 5"],
    ["a length with a sign", "Content-Length: +5"],
    ["a negative length", "Content-Length: -1"],
    ["an overflowing length", "Content-Length: 99999999999999999999999"],
    ["a hexadecimal length", "Content-Length: 0x5"],
    ["an unknown transfer coding", "Transfer-Encoding: xchunked"],
    ["chunked before another coding", "Transfer-Encoding: chunked, identity"],
    ["transfer codings on two lines", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    ["a space before the colon", "Transfer-Encoding : chunked"],
    ["a chunk without a size", "Transfer-Encoding: chunked"],
  ].map(
    ([what = "", ...framing]): WireRow => ({
      what: `smuggling with ${what}`,
      head: [post, host, authorization, ...framing],
      body: "zz\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
      expected: 400,
    }),
  ),
  {
    what: "an unknown expectation",
    head: [post, host, authorization, length, "Expect: magic"],
    body: bodyMark,
    expected: 200,
  },
  {
    what: "a WebSocket upgrade",
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
