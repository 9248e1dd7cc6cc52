import { authBase } from "@countersign/contract/auth/route";
import type { DashboardPages } from "../features/dashboard/pages.ts";
import type { Metrics } from "../features/health/metrics.ts";
import type { Readiness } from "../features/health/readiness.ts";
import type { LateIdentity } from "../features/identity/late-identity.ts";
import { docs, docsScript, docsStyle, openApi, problemText } from "../features/reference/answers.ts";
import { broken, noSuchPath, options, wrongMethod } from "./answers.ts";
import { type ManageApi, manageBase } from "./manage/manage-api.ts";
import { newRequestId, type PublicApi } from "./public.ts";

export interface ServerParts {
  readonly publicApi: PublicApi;
  readonly manageApi: ManageApi;
  readonly authApi: Pick<LateIdentity, "handle">;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly pages: DashboardPages;
  readonly failed: (error: Error) => void;
}

export interface Listener {
  readonly port: number;
  /** Takes no new connections. Those that exist may finish. */
  stopAccepting(): void;
  /** Closes what is still open. */
  cut(): Promise<void>;
  pendingRequests(): number;
}

/**
 * The one file that knows which runtime serves. Requests come in here and go on as web-standard `Request`s; every
 * route of the server is on this screen.
 */
export function listen(host: string, port: number, parts: ServerParts): Listener {
  const { publicApi, manageApi, authApi, metrics, readiness, pages } = parts;
  const server = Bun.serve({
    hostname: host,
    port,
    // Seconds without a byte, and for the whole of a request's headers, after which a connection is closed. The
    // runtime counts them four at a time and may be that much early, and a body that is late must get its 408 first.
    idleTimeout: 14,
    development: false,
    routes: {
      "/api/v1/validate": (request, server) => {
        if (request.method !== "POST") return otherMethod(request, "POST");
        return publicApi.validate(request, server.requestIP(request)?.address ?? null);
      },
      "/api/v1/license/:key": (request, server) => {
        if (!isRead(request)) return otherMethod(request, "GET, HEAD");
        return publicApi.lookup(request, server.requestIP(request)?.address ?? null, request.params.key);
      },
      [`${manageBase}/*`]: (request, server) => {
        // Who asks to wait for events hears nothing for longer than a connection may be silent.
        if (request.url.includes("wait_seconds=")) server.timeout(request, longestWaitSeconds);
        return manageApi.handle(request, server.requestIP(request)?.address ?? null, newRequestId());
      },
      [`${authBase}/*`]: (request, server) =>
        authApi.handle(request, server.requestIP(request)?.address ?? null, newRequestId()),
      "/healthz": (request) => read(request, () => text("ok\n")),
      "/readyz": (request) =>
        read(request, async () => ((await readiness.isReady()) ? text("ready\n") : text("not ready\n", 503))),
      "/metrics": (request) =>
        read(request, async () => text(await metrics.text(), 200, metrics.contentType)),
      "/openapi.json": (request) => read(request, () => openApi(newRequestId())),
      "/docs": (request) => read(request, () => docs(newRequestId())),
      "/docs/reference.css": (request) => read(request, () => docsStyle(newRequestId())),
      "/docs/reference.js": (request) => read(request, () => docsScript(newRequestId())),
      "/problems/:kind": (request) =>
        read(request, () => problemText(request.params.kind, newRequestId()) ?? noSuchPath(newRequestId())),
    },
    fetch: (request) => pages.answer(request, newRequestId()),
    error: (error) => {
      parts.failed(error);
      return broken(newRequestId());
    },
  });
  return {
    port: server.port ?? port,
    stopAccepting: () => void server.stop(false),
    cut: () => server.stop(true),
    pendingRequests: () => server.pendingRequests,
  };
}

const longestWaitSeconds = 30;

function isRead(request: Request): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

function read(request: Request, answer: () => Response | Promise<Response>): Response | Promise<Response> {
  return isRead(request) ? answer() : otherMethod(request, "GET, HEAD");
}

function otherMethod(request: Request, allowed: string): Response {
  const allow = `${allowed}, OPTIONS`;
  return request.method === "OPTIONS" ? options(newRequestId(), allow) : wrongMethod(newRequestId(), allow);
}

function text(body: string, status = 200, contentType = "text/plain; charset=utf-8"): Response {
  return new Response(body, {
    status,
    headers: { "content-type": contentType, "cache-control": "no-store", "x-request-id": newRequestId() },
  });
}
