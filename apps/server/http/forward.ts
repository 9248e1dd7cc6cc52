import { ConcurrencyLimit } from "@countersign/store/concurrency-limit";
import { Problem, problemResponse } from "./manage/problem.ts";
import { withoutHost } from "./target.ts";

/** The peer address of a forwarded request. Only the validating thread can set it. */
export const peerHeader = "x-countersign-peer";

/** Which site a forwarded request is for: `portal` on the portal's own host. Only the validating thread can set it. */
export const siteHeader = "x-countersign-site";

export function isForPortalHost(request: Request): boolean {
  return request.headers.get(siteHeader) === "portal";
}

/** Headers that concern a single connection and not the request. */
const connectionHeaders = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
];

/**
 * More concurrent requests than any real dashboard or script needs: each costs some memory here until it is answered.
 */
const mostAtOnce = 2_000;

/**
 * Streams requests to the management worker and its responses back. The validating thread inspects neither: the cost of
 * a request depends only on its size.
 */
export class Forwarder {
  readonly #socket: () => Promise<string>;
  readonly #failed: (error: unknown) => void;
  readonly #portalHost: string | null;
  readonly #requests = new ConcurrencyLimit(mostAtOnce);

  /** `portalHost` is the portal's own host; null if it has none. */
  constructor(socket: () => Promise<string>, failed: (error: unknown) => void, portalHost: string | null) {
    this.#socket = socket;
    this.#failed = failed;
    this.#portalHost = portalHost;
  }

  async forward(request: Request, peer: string | null, requestId: string): Promise<Response> {
    if (!this.#requests.tryAcquire()) return problemResponse(tooMany(), requestId);
    try {
      return await fetch(`http://countersign${withoutHost(request.url)}`, {
        unix: await this.#socket(),
        method: request.method,
        headers: forwardedHeaders(request.headers, peer, this.#portalHost),
        body: request.body,
        redirect: "manual",
        decompress: false,
        signal: request.signal,
        timeout: false,
      } as BunFetchRequestInit);
    } catch (error) {
      if (!request.signal.aborted) this.#failed(error);
      return problemResponse(notRunning(), requestId);
    } finally {
      this.#requests.release();
    }
  }
}

function forwardedHeaders(from: Headers, peer: string | null, portalHost: string | null): Headers {
  const headers = new Headers(from);
  for (const name of connectionHeaders) headers.delete(name);
  if (portalHost !== null && from.get("host")?.toLowerCase() === portalHost)
    headers.set(siteHeader, "portal");
  else headers.delete(siteHeader);
  // The worker is addressed by a fixed name: nothing else there may depend on the `Host` that a caller sent.
  headers.set("host", "countersign");
  if (peer === null) headers.delete(peerHeader);
  else headers.set(peerHeader, peer);
  return headers;
}

function tooMany(): Problem {
  return new Problem("server_busy", {}, soon);
}

function notRunning(): Problem {
  return new Problem("management_unavailable", {}, soon);
}

const soon = { headers: { "retry-after": "1" } };
