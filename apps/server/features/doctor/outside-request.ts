import { connect, isIP, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from "node:tls";
import { release } from "../../base/release.ts";

interface OutsideRequest {
  readonly method?: "GET" | "POST";
  /** A list, because forged headers can occur twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array | string;
  /** Sends only the headers, with this length of a body. Any first line of a response is its end. */
  readonly announcedBytes?: number;
}

export interface OutsideResponse {
  readonly status: number;
  /** Repeated headers are joined by commas. */
  readonly headers: Headers;
  readonly body: Buffer;
  /** When this text of the body had arrived, in milliseconds since the request; null if it is not in it. */
  arrivalMs(text: string): number | null;
  readonly connection: OutsideConnection;
}

interface OutsideConnection {
  /** This machine's IP address, and that of what it is connected to. */
  readonly localIp: string;
  readonly remoteIp: string;
  /** Null without TLS. */
  readonly tls: {
    readonly protocol: string;
    readonly certificate: PeerCertificate;
    /** Why browsers would refuse it; null if they would not. */
    readonly refusal: string | null;
  } | null;
}

const timeoutMs = 10_000;
const maxBytes = 4_000_000;

/**
 * Sends a request and reads the response byte for byte. A certificate that browsers refuse is accepted, because the
 * checks send no secret and the rest is worth knowing. Follows no redirect. Rejects if there is no response.
 */
export function requestOutside(url: URL, request: OutsideRequest = {}): Promise<OutsideResponse> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const pieces: { atMs: number; length: number }[] = [];
    let received = Buffer.alloc(0);
    let connection: OutsideConnection | null = null;
    const socket = open(url, () => {
      connection = describe(url, socket);
      socket.write(headOf(url, request));
      if (request.body !== undefined) socket.write(request.body);
    });
    const arrivalMs = (text: string) => {
      const at = received.indexOf(text);
      const piece = pieces.find(({ length }) => at >= 0 && length >= at + text.length);
      return piece?.atMs ?? null;
    };
    const end = (error: Error | null) => {
      clearTimeout(timer);
      socket.destroy();
      const parsed = parse(received);
      if (parsed === null || connection === null) reject(error ?? new Error("The connection was closed."));
      else resolve({ ...parsed, arrivalMs, connection });
    };
    const timer = setTimeout(() => end(new Error("There was no response in time.")), timeoutMs);
    socket.on("data", (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      pieces.push({ atMs: performance.now() - startedMs, length: received.length });
      const parsed = parse(received);
      const isEnough = parsed !== null && (request.announcedBytes !== undefined || parsed.isComplete);
      if (isEnough || received.length > maxBytes) end(null);
    });
    socket.on("error", end);
    socket.on("close", () => end(null));
  });
}

function open(url: URL, connected: () => void): Socket {
  const host = hostOf(url);
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  if (url.protocol === "http:") return connect({ host, port }, connected);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...servername, rejectUnauthorized: false }, connected);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function describe(url: URL, socket: Socket): OutsideConnection {
  const { localAddress: localIp = "", remoteAddress: remoteIp = "" } = socket;
  if (url.protocol === "http:") return { localIp, remoteIp, tls: null };
  const secure = socket as TLSSocket;
  const certificate = secure.getPeerCertificate();
  const wrongName = checkServerIdentity(hostOf(url), certificate);
  const untrusted = secure.authorized ? null : String(secure.authorizationError ?? "it is not trusted");
  const refusal = wrongName?.message ?? untrusted;
  return { localIp, remoteIp, tls: { protocol: secure.getProtocol() ?? "", certificate, refusal } };
}

function headOf(url: URL, { method = "GET", headers = [], body, announcedBytes }: OutsideRequest): string {
  const length = announcedBytes ?? (body === undefined ? null : Buffer.byteLength(body));
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `User-Agent: countersign-doctor/${release}`,
    // A header that names itself in `Connection` is one of the forgeries.
    ...(headers.some(([name]) => name === "Connection") ? [] : ["Connection: close"]),
    ...(headers.some(([name]) => name === "Accept") ? [] : ["Accept: */*"]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(length === null ? [] : [`Content-Length: ${length}`]),
    ...(announcedBytes === undefined ? [] : ["Expect: 100-continue"]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Null as long as the headers are not complete. */
function parse(bytes: Buffer) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (/^[\w-]+$/.test(name))
      headers.append(
        name,
        line
          .slice(colon + 1)
          .replace(/[^\t\x20-\xff]/g, "")
          .trim(),
      );
  }
  const rest = bytes.subarray(end + 4);
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked")
    return { status, headers, ...unchunked(rest) };
  const length = headers.get("content-length");
  const isComplete = length !== null && rest.length >= Number(length);
  return { status, headers, body: rest, isComplete };
}

function unchunked(bytes: Buffer): { body: Buffer; isComplete: boolean } {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size =
      lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size;
    const isLast = size === 0;
    if (Number.isNaN(size) || isLast || end > bytes.length)
      return { body: Buffer.concat(parts), isComplete: isLast };
    parts.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
