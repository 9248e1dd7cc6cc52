import { lookup } from "node:dns/promises";
import type { Config } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { ownIp } from "../base/own-ip.ts";
import type { Metrics, MetricsGate } from "../features/health/metrics.ts";
import type { Readiness } from "../features/health/readiness.ts";
import { newRequestId, type PublicApi } from "../features/validate/public-api.ts";
import { broken, metricsTokenMissing, options, unavailable, wrongMethod } from "../http/answers.ts";
import { problemOf } from "../http/problem.ts";
import { isRead } from "../http/request.ts";
import { noSniffing } from "../http/response.ts";
import type { Forwarder } from "./forward.ts";

/** What the validating thread answers itself; everything else is forwarded to the management worker. */
export interface PublicParts {
  readonly publicApi: PublicApi;
  readonly metrics: Metrics;
  readonly metricsGate: MetricsGate;
  readonly readiness: Readiness;
  readonly forwarder: Forwarder;
  readonly log: Log;
}

export interface Listener {
  readonly port: number;
  /** Accepts no new connections. Existing ones can finish. */
  stopAccepting(): void;
  /** Closes what is still open. */
  cut(): Promise<void>;
  pendingRequests(): number;
}

/** Listens, or says what to set instead. */
export async function openPort(
  { port, host }: Pick<Config, "port" | "host">,
  parts: PublicParts,
): Promise<Listener> {
  try {
    return listen(host, port, parts);
  } catch (cause) {
    throw new OperatorProblem(await portProblem(host, port, cause), { cause });
  }
}

async function portProblem(host: string, port: number, cause: unknown): Promise<string> {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  const closed = `Port ${port} on ${host} cannot be opened`;
  // The runtime gives any reason for a host name that does not exist.
  const exists = await lookup(host).then(
    () => true,
    () => false,
  );
  if (exists && code === "EADDRINUSE")
    return `${closed}: another program is using it. Set PORT to another one, such as ${port === 8080 ? 8081 : 8080}.`;
  if (exists && code === "EACCES")
    return `${closed}: this user is not allowed to open it. Set PORT to 1024 or higher, such as 8080.`;
  if (!exists || code === "EADDRNOTAVAIL" || code === "EINVAL")
    return `HOST is ${host}, which is not an IP address of this machine. Set HOST to one that is, such as 127.0.0.1${suggestion()}, or to 0.0.0.0 for all of them.`;
  return `${closed}: ${cause instanceof Error ? cause.message : String(cause)}. Set HOST or PORT to another one.`;
}

function suggestion(): string {
  const ip = ownIp();
  return ip === null ? "" : ` or ${ip}`;
}

/**
 * The routes of the validating thread; `worker-site.ts` has all others. Only this file and `serve-sandbox.ts` know
 * the runtime: beyond them, requests are web-standard `Request`s.
 */
function listen(host: string, port: number, parts: PublicParts): Listener {
  const { publicApi, metrics, metricsGate, readiness, forwarder } = parts;
  const server = Bun.serve({
    hostname: host,
    port,
    // Seconds of inactivity, and for all headers of a request, after which a connection is closed. The runtime counts
    // in steps of four and can be that much early, and a late body must get its 408 first.
    idleTimeout: 14,
    development: false,
    // By default, the runtime silently shares the port with another server that listens on it.
    reusePort: false,
    routes: {
      "/api/v1/validate": (request, server) => {
        if (request.method !== "POST") return otherMethod(request, "POST");
        return publicApi.validate(request, server.requestIP(request)?.address ?? null);
      },
      "/api/v1/license/:key": (request, server) => {
        if (!isRead(request)) return otherMethod(request, "GET, HEAD");
        return publicApi.lookup(request, server.requestIP(request)?.address ?? null, request.params.key);
      },
      "/healthz": (request) => read(request, () => text("ok\n")),
      "/readyz": (request) =>
        read(request, () => (readiness.isReady ? text("ready\n") : text("not ready\n", 503))),
      "/metrics": (request) =>
        read(request, async () =>
          metricsGate.admits(request)
            ? text(await metrics.text(), 200, metrics.contentType)
            : metricsTokenMissing(newRequestId()),
        ),
    },
    fetch: (request, server) =>
      forwarder.forward(
        request,
        {
          peer: server.requestIP(request)?.address ?? null,
          setIdleLimit: (seconds) => server.timeout(request, seconds),
        },
        newRequestId(),
      ),
    error: errorResponder(parts.log),
  });
  return {
    port: server.port ?? port,
    stopAccepting: () => void server.stop(false),
    cut: () => server.stop(true),
    pendingRequests: () => server.pendingRequests,
  };
}

/** For errors outside of the APIs, which answer theirs in their own format. */
export function errorResponder(log: Log): (error: Error) => Response {
  return (error) => {
    const requestId = newRequestId();
    const { code } = problemOf(error, log, requestId);
    return code === "database_unavailable" ? unavailable(requestId) : broken(requestId);
  };
}

export function read(
  request: Request,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  return isRead(request) ? answer() : otherMethod(request, "GET, HEAD");
}

function otherMethod(request: Request, allowed: string): Response {
  const allow = `${allowed}, OPTIONS`;
  return request.method === "OPTIONS" ? options(newRequestId(), allow) : wrongMethod(newRequestId(), allow);
}

function text(body: string, status = 200, contentType = "text/plain; charset=utf-8"): Response {
  return new Response(body, {
    status,
    headers: {
      ...noSniffing,
      "content-type": contentType,
      "cache-control": "no-store",
      "x-request-id": newRequestId(),
    },
  });
}
