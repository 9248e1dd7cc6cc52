import { lookup } from "node:dns/promises";
import { openStore } from "@countersign/store/databases/open";
import type { Config } from "../base/config.ts";
import type { Environment } from "../base/environment.ts";
import type { Log } from "../base/log.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { ownIp } from "../base/own-ip.ts";
import { release } from "../base/release.ts";
import { Metrics, MetricsGate } from "../features/health/metrics.ts";
import { Readiness } from "../features/health/readiness.ts";
import {
  budgetMetrics,
  migrationMetrics,
  requestLogMetrics,
  serverMetrics,
  traceMetrics,
  workerStateMetrics,
  writeLockMetrics,
} from "../features/health/server-metrics.ts";
import { createSetupToken } from "../features/identity/account/setup-link.ts";
import { ApiKeyUse } from "../features/products/api-key-use.ts";
import { Recorder } from "../features/requests/recorder.ts";
import { SandboxBatcher, sandboxObservers, storedCallers } from "../features/sandbox/batch.ts";
import type { RequestTraces } from "../features/traces/request-traces.ts";
import { Batcher, type CallQueue } from "../features/validate/batch.ts";
import { PublicApi } from "../features/validate/public-api.ts";
import type { RequestObservers } from "../features/validate/public-call.ts";
import { Forwarder } from "./forward.ts";
import { type Listener, listen, type PublicParts } from "./listen.ts";
import { reportsTo } from "./reports.ts";
import { ManagementWorker, WorkerPart } from "./worker-handle.ts";

export interface RunningServer {
  readonly port: number;
  /** For the link that creates the first account; null if there is one. */
  readonly setupToken: string | null;
  /**
   * Finishes accepted requests, writes what is left and releases everything. False if a database that does not respond
   * prevented that: the process can exit anyway.
   */
  stop(): Promise<boolean>;
}

const drainTimeoutMs = 8_000;
/** Including the drain, but not the time in which load balancers notice it. */
const stopTimeoutMs = 9_500;
const maxKeepServingMs = 1_000;
const flushTimeoutMs = 200;
const quietMs = 100;

/**
 * Creates the server from its settings and starts it. This thread validates; everything else runs in the management
 * worker, which reads the same settings from the environment.
 */
export async function startServer(
  config: Config,
  environment: Environment,
  log: Log,
): Promise<RunningServer> {
  const metrics = new Metrics();
  const reports = reportsTo(log);
  let migrationWaits = 0;
  const store = await openStore(config.database, {
    ...config,
    soleServer: true,
    journalSetAside: reports.journalSetAside,
    migrationWaits: (wait) => {
      migrationWaits += 1;
      reports.migrationWaits(wait);
    },
  });
  const { writeHolds } = store;
  if (writeHolds !== null) metrics.add(() => writeLockMetrics(store.writeHolds ?? writeHolds));
  metrics.add(() => migrationMetrics(migrationWaits));
  const { database, requestLogDays, requestLogMegabytes, geoipFile } = config;
  const recorder = new Recorder({ database, requestLogDays, requestLogMegabytes, geoipFile }, reports);
  metrics.add(() => requestLogMetrics(recorder.state));
  const apiKeyUse = new ApiKeyUse(store, reports.keyUseFailed);
  const readiness = new Readiness({
    probe: (needsSpace) => store.ping({ needsSpace }),
    changed: reports.readinessChanged,
  });
  let worker: ManagementWorker | null = null;
  const traces = await openTraces(config, async (json) => worker?.exportSpans(json));
  const batcher = new Batcher(
    store,
    {
      keyUsed: (publicId, atMs) => apiKeyUse.note(publicId, atMs),
      batchDone: (calls, seconds) => {
        metrics.batchDone(calls, seconds);
        readiness.batchDone();
      },
      batchFailed: (calls, cause) => {
        readiness.batchFailed(cause);
        metrics.batchFailed(cause);
        reports.batchFailed(calls, cause);
      },
    },
    traces?.spans,
  );
  metrics.add(() =>
    serverMetrics({
      version: release,
      database: store.kind,
      isReady: readiness.isReady,
      waitingCalls: batcher.size,
      clockMs: Date.now(),
    }),
  );
  const observers: RequestObservers = {
    count: (endpoint, outcome) => metrics.countRequest(endpoint, outcome),
    took: (endpoint, ms) => metrics.requestTook(endpoint, ms),
    record: (entry) => recorder.record(entry),
  };
  const sandbox = new SandboxBatcher(storedCallers(store), reports.batchFailed);
  const publicApi = new PublicApi(
    { queue: batcher, observers },
    { queue: sandbox, observers: sandboxObservers(observers) },
    config.trustedProxies,
    traces?.spans,
  );
  const close = async () => {
    // The worker exports them, so they must arrive before it stops.
    await Promise.race([traces?.flush(), soon(flushTimeoutMs)]);
    await worker?.stop();
    await recorder.close();
    await apiKeyUse.close();
    await store.close();
  };
  const undoIfFailed = async <T>(start: () => Promise<T>): Promise<T> => {
    try {
      return await start();
    } catch (error) {
      await close();
      throw error;
    }
  };
  const management = await undoIfFailed(() =>
    ManagementWorker.start({ store, environment, journal: recorder, log }),
  );
  worker = management;
  const workerPart = new WorkerPart(() => management.metrics());
  metrics.addWorkerPart(() => workerPart.text());
  metrics.add(() => workerStateMetrics(workerPart.hasAnswered, management.restarts));
  if (traces !== null)
    metrics.add(() => {
      const { exported, dropped } = workerPart.spans;
      return traceMetrics(exported, dropped + traces.dropped);
    });
  const forwarder = new Forwarder({
    worker: management,
    failed: reports.notForwarded,
    portalHost: portalHost(config),
    trustedProxies: config.trustedProxies,
  });
  metrics.add(() => budgetMetrics({ ...forwarder.budgets, ...workerPart.budgets }));
  const listener = await undoIfFailed(async () =>
    openPort(config, {
      publicApi,
      metrics,
      metricsGate: new MetricsGate(config.metricsToken),
      readiness,
      forwarder,
      log,
    }),
  );
  await readiness.observed;
  return {
    port: listener.port,
    setupToken: await createSetupToken(store, await store.clock()),
    stop: async () => {
      readiness.drain();
      await soon(config.drainSeconds * 1_000);
      const deadline = new Promise<boolean>((resolve) => setTimeout(resolve, stopTimeoutMs, false).unref());
      const stopping = async () => {
        publicApi.drain();
        management.drain();
        await drain(listener, [batcher, sandbox]);
        await close();
        return true;
      };
      return Promise.race([stopping(), deadline]);
    },
  };
}

/** Nothing of it is loaded unless traces are configured. */
async function openTraces(
  { traces, database }: Config,
  send: (json: string) => Promise<void>,
): Promise<RequestTraces | null> {
  if (traces === null) return null;
  const { openRequestTraces } = await import("../features/traces/request-traces.ts");
  return openRequestTraces(traces, database.kind, send);
}

async function openPort({ port, host }: Config, parts: PublicParts): Promise<Listener> {
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
    return `${closed}: another program is using it. Set PORT to another one.`;
  if (exists && code === "EACCES")
    return `${closed}: this user is not allowed to open it. Set PORT to another one.`;
  if (!exists || code === "EADDRNOTAVAIL" || code === "EINVAL")
    return `HOST is ${host}, which is not an IP address of this machine. Set HOST to one that is, such as 127.0.0.1${suggestion()}, or to 0.0.0.0 for all of them.`;
  return `${closed}: ${cause instanceof Error ? cause.message : String(cause)}. Set HOST or PORT to another one.`;
}

function suggestion(): string {
  const ip = ownIp();
  return ip === null ? "" : ` or ${ip}`;
}

async function drain(listener: Listener, queues: readonly CallQueue[]): Promise<void> {
  const deadlineMs = performance.now() + drainTimeoutMs;
  const isBusy = () => listener.pendingRequests() > 0 || queues.some((queue) => queue.size > 0);
  await serveUntilIdle(isBusy);
  listener.stopAccepting();
  while (isBusy() && performance.now() < deadlineMs) await nextCheck();
  await listener.cut();
}

/**
 * Keeps serving until it is idle, or for a moment: every response now asks its caller to close the connection. The
 * runtime closes kept-alive connections as soon as it stops accepting, and a request already on its way would be lost.
 */
async function serveUntilIdle(isBusy: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + maxKeepServingMs;
  let quietSinceMs = performance.now();
  while (performance.now() < deadlineMs && performance.now() - quietSinceMs < quietMs) {
    await nextCheck();
    if (isBusy()) quietSinceMs = performance.now();
  }
}

function nextCheck(): Promise<void> {
  return soon(20);
}

function soon(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function portalHost({ portalUrl, portalHasOwnHost }: Config): string | null {
  return portalHasOwnHost ? new URL(portalUrl).host : null;
}
