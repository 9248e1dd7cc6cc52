import { randomBytes } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { manageBase } from "@countersign/contract/api/bases";
import { connection } from "@countersign/contract/manage/connection";
import { type Check, ok, problem, warning } from "./check.ts";
import { type OutsideResponse, requestOutside } from "./outside-request.ts";

const proxies = ["nginx", "Caddy", "Traefik", "Cloudflare"] as const;
type Proxy = (typeof proxies)[number];

/** What to change in the proxy: in the one that the response names, or in each of them. */
function fixIn(
  { headers }: Pick<OutsideResponse, "headers">,
  fixes: Readonly<Record<Proxy, string>>,
): string {
  const server = `${headers.get("server") ?? ""} ${headers.get("via") ?? ""}`.toLowerCase();
  const named = (["nginx", "Caddy"] as const).filter((proxy) => server.includes(proxy.toLowerCase()));
  const found = headers.has("cf-ray") ? (["Cloudflare"] as const) : named;
  const shown = (found.length > 0 ? found : proxies).map((proxy) => `${proxy}: ${fixes[proxy]}`);
  return `${shown.join(" ")} docs/operating/proxies.md has the whole configuration.`;
}

const asSeenPath = `${manageBase}/connection`;

async function asSeen(url: URL, headers: readonly (readonly [string, string])[] = []) {
  const response = await requestOutside(new URL(asSeenPath, url), { headers });
  const seen = response.status === 200 ? connection.parse(JSON.parse(response.body.toString())) : null;
  return { response, seen };
}

/** Whether callers are told apart. Without TLS in the server, an encrypted request has passed a proxy. */
export async function checkCallerIp(url: URL): Promise<Check> {
  const { response, seen } = await asSeen(url);
  if (seen === null)
    return problem(
      "caller-ip",
      `${asSeenPath} answers with status ${response.status}.`,
      response.status === 429
        ? "Wait a minute and run doctor again."
        : "Pass every path on to Countersign, and use the same release for this command and the server.",
    );
  const { ip, forwarded_for: forwardedFor } = seen;
  const { localIp, remoteIp } = response.connection;
  const consequence = `Every caller has the IP address ${ip}, so IP limits and blocks do not work.`;
  if (forwardedFor === "ignored")
    return problem(
      "caller-ip",
      `The server does not trust the proxy that sends X-Forwarded-For. ${consequence}`,
      `Set COUNTERSIGN_TRUSTED_PROXIES=${ip}, if that is the address from which your proxy connects, and restart the server.`,
    );
  if (forwardedFor === "absent" && url.protocol === "https:")
    return problem(
      "caller-ip",
      `The proxy does not send X-Forwarded-For. ${consequence}`,
      fixIn(response, {
        nginx: "add proxy_set_header X-Forwarded-For $remote_addr;",
        Caddy: "remove header_up -X-Forwarded-For.",
        Traefik: "remove what deletes X-Forwarded-For.",
        Cloudflare: "remove the transform rule that deletes X-Forwarded-For, and check the proxy behind it.",
      }),
    );
  const edge = response.headers.has("cf-ray") ? await ipAtCloudflare(url) : null;
  if (edge !== null && edge !== ip)
    return problem(
      "caller-ip",
      `Cloudflare sees this machine as ${edge}, but the server as ${ip}, which is Cloudflare's. ${consequence}`,
      "Let the proxy behind Cloudflare read CF-Connecting-IP, with set_real_ip_from for each of Cloudflare's networks. docs/operating/proxies.md has the list.",
    );
  if (ip !== localIp && isPrivate(ip) && !isPrivate(remoteIp))
    return problem(
      "caller-ip",
      `The server sees this machine as ${ip}, which is an address of a private network. ${consequence}`,
      "List every proxy between the Internet and the server in COUNTERSIGN_TRUSTED_PROXIES, and let each of them append to X-Forwarded-For.",
    );
  const isOwn = ip === localIp;
  const reminder = isOwn
    ? ""
    : " Compare: it must be the address with which this machine reaches the Internet.";
  return ok("caller-ip", `The server sees this machine as ${ip}.${reminder}`);
}

function isPrivate(ip: string | null): boolean {
  return /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd]|fe[89ab])/i.test(
    ip ?? "",
  );
}

/** Cloudflare says on every host what it sees. */
async function ipAtCloudflare(url: URL): Promise<string | null> {
  const { body } = await requestOutside(new URL("/cdn-cgi/trace", url));
  return /^ip=(\S+)$/m.exec(body.toString())?.[1] ?? null;
}

/** For documentation, so that nobody has them. */
const pretendedIps = ["198.51.100.7", "203.0.113.77"] as const;
const [pretended, other] = pretendedIps;

const forgeries: readonly (readonly (readonly [string, string])[])[] = [
  [["X-Forwarded-For", pretended]],
  [["X-Forwarded-For", `${pretended}, 127.0.0.1`]],
  [
    ["X-Forwarded-For", other],
    ["X-Forwarded-For", `${pretended}, 127.0.0.1, ::1`],
  ],
  [
    ["Connection", "close, X-Forwarded-For"],
    ["X-Forwarded-For", pretended],
  ],
  ...["Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP", "X_Forwarded_For"].map((name) => [
    [name, name === "Forwarded" ? `for=${pretended}` : pretended] as const,
  ]),
];

/** Whether a caller can choose the IP address that limits and blocks see. A proxy that refuses such a request is right. */
export async function checkForgedIp(url: URL): Promise<Check> {
  const { seen: honest } = await asSeen(url);
  for (const headers of forgeries) {
    const { response, seen } = await asSeen(url, headers);
    if (seen === null || seen.ip === honest?.ip) continue;
    const lines = headers.map(([name, value]) => `"${name}: ${value}"`).join(" and ");
    return problem(
      "forged-ip",
      `Callers can choose their IP address: with ${lines}, the server sees this machine as ${seen.ip} instead of ${honest?.ip}.`,
      fixIn(response, {
        nginx:
          "replace the header with proxy_set_header X-Forwarded-For $remote_addr; in the outermost proxy.",
        Caddy: "remove trusted_proxies, or list only your own proxies there.",
        Traefik: "remove forwardedHeaders.insecure, and list only your own proxies in trustedIPs.",
        Cloudflare:
          "let the proxy behind it read CF-Connecting-IP, only from Cloudflare's networks, and replace X-Forwarded-For.",
      }),
    );
  }
  return ok("forged-ip", "Forged headers do not change the IP address that the server sees.");
}

/** Signatures cover the exact bytes, and SDKs read these headers. Without an API key there is a response with a known form. */
export async function checkValidate(url: URL): Promise<Check> {
  const response = await requestOutside(new URL("/api/v1/validate", url), {
    method: "POST",
    headers: [
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "gzip, br"],
    ],
    body: '{"license_key":"doctor"}',
  });
  const text = unpacked(response)?.toString() ?? "";
  const { headers, status } = response;
  const expected: Readonly<Record<string, RegExp>> = {
    "content-type": /^application\/json; charset=utf-8$/,
    "cache-control": /\bno-store\b/,
    "www-authenticate": /^Bearer$/,
    "x-request-id": /^[0-9a-f-]{36}$/,
  };
  const changed = Object.entries(expected).filter(([name, form]) => !form.test(headers.get(name) ?? ""));
  const isExact = status === 401 && text === withoutSpaces(text) && text.includes('"invalid_api_key"');
  if (isExact && changed.length === 0)
    return ok("validate", "Responses to validations arrive as the server sends them.");
  const what = isExact
    ? `arrive without these headers, or with others: ${changed.map(([name]) => name).join(", ")}`
    : `are changed on the way (status ${status})`;
  return problem(
    "validate",
    `Responses to validations ${what}. SDKs refuse a response whose signature does not match its bytes.`,
    "Turn off what caches, rewrites or answers requests below /api/v1/, such as error pages, firewall challenges and cache rules.",
  );
}

/** JSON as the server writes it. Empty if it is none. */
function withoutSpaces(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return "";
  }
}

/** Null if it cannot be read. */
function unpacked({ headers, body }: Pick<OutsideResponse, "headers" | "body">): Buffer | null {
  try {
    const packing = headers.get("content-encoding");
    if (packing === null) return body;
    if (packing === "gzip") return gunzipSync(body);
    return packing === "br" ? brotliDecompressSync(body) : null;
  } catch {
    return null;
  }
}

/** The dashboard's scripts are stored compressed. A page that loads all of them again is ten times as slow. */
export async function checkCompression(url: URL): Promise<Check> {
  const page = await requestOutside(new URL("/", url), { headers: [["Accept", "text/html"]] });
  const path = /src="(\/assets\/[^"]+\.js)"/.exec(page.body.toString())?.[1];
  if (path === undefined)
    return problem(
      "compression",
      `${url.origin}/ is not the dashboard's page (status ${page.status}).`,
      "Pass every path on to Countersign. If the log says that the dashboard is not built, build it.",
    );
  const script = new URL(path, url);
  const packed = await requestOutside(script, { headers: [["Accept-Encoding", "gzip, br"]] });
  const plain = await requestOutside(script);
  if (unpacked(packed)?.equals(unpacked(plain) ?? Buffer.alloc(0)) !== true)
    return problem(
      "compression",
      "The dashboard's scripts do not arrive as they are stored.",
      "Turn off what rewrites scripts, such as minification and bot detection, for this host.",
    );
  if (packed.headers.has("content-encoding"))
    return ok("compression", "The dashboard's scripts arrive compressed and unchanged.");
  return warning(
    "compression",
    "The dashboard's scripts arrive uncompressed, so pages load slowly.",
    fixIn(packed, {
      nginx: "pass Accept-Encoding on: remove proxy_set_header Accept-Encoding.",
      Caddy: "remove header_up -Accept-Encoding.",
      Traefik: "remove what deletes Accept-Encoding.",
      Cloudflare: "turn compression on, and check the proxy behind it.",
    }),
  );
}

/** The server waits a second between the two events. */
const minBetweenMs = 500;

export async function checkStreaming(url: URL): Promise<Check> {
  const response = await requestOutside(new URL(`${asSeenPath}/stream`, url));
  const firstMs = response.arrivalMs("event: first");
  const lastMs = response.arrivalMs("event: last");
  if (firstMs !== null && lastMs !== null && lastMs - firstMs >= minBetweenMs)
    return ok("streaming", "Events arrive at once, so the live view of requests works.");
  const what =
    firstMs === null || lastMs === null
      ? `do not arrive (status ${response.status})`
      : "arrive late and together, so the live view of requests and the progress of exports do not work";
  return problem(
    "streaming",
    `Streamed events ${what}.`,
    fixIn(response, {
      nginx: "set proxy_buffering off; and remove proxy_ignore_headers X-Accel-Buffering.",
      Caddy: "set flush_interval -1 in reverse_proxy, and leave text/event-stream out of encode.",
      Traefik: "set responseForwarding.flushInterval to -1ms, and remove the buffering middleware.",
      Cloudflare: "turn response buffering off, and check the proxy behind it.",
    }),
  );
}

/** The limit of the server for an import. */
const importBytes = 100 * 1024 * 1024;
/** More than the default limit of proxies that have one. */
const sentBytes = 2 * 1024 * 1024;

/** Announces the largest file that an import can have, and sends a smaller one. Neither is read: nobody is signed in. */
export async function checkBodySize(url: URL): Promise<Check> {
  const id = "00000000-0000-7000-8000-000000000000";
  const target = new URL(`${manageBase}/products/${id}/licenses/import`, url);
  const headers = [["Content-Type", "text/csv"]] as const;
  const announced = await requestOutside(target, { method: "POST", headers, announcedBytes: importBytes });
  const sent = await requestOutside(target, { method: "POST", headers, body: randomBytes(sentBytes) });
  const refusal = [announced, sent].find(({ status }) => status === 413);
  if (refusal === undefined && sent.status === 401)
    return ok("body-size", "Files for imports are passed on.");
  const response = refusal ?? sent;
  return problem(
    "body-size",
    `The proxy refuses files that the server would import (status ${response.status}).`,
    fixIn(response, {
      nginx: "set client_max_body_size 100m;",
      Caddy: "set max_size 100MiB in request_body.",
      Traefik: "remove maxRequestBodyBytes, or set it to 104857600.",
      Cloudflare: "split files by the limit of your Cloudflare plan, and check the proxy behind it.",
    }),
  );
}
