import { openStore } from "@countersign/store/databases/open";
import type { MainStore } from "@countersign/store/threads/worker-store";
import type { Config } from "../base/config.ts";
import type { Environment } from "../base/environment.ts";
import type { Log } from "../base/log.ts";
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
import { type Listener, openPort } from "./listen.ts";
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
  const store = await openMeasuredStore(config, metrics, reports);
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
  const parts = { config, store, metrics, reports, recorder, apiKeyUse, readiness, traces };
  const { publicApi, queues } = openPublicApi(parts);
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
  const forwarder = new Forwarder({
    worker: management,
    failed: reports.notForwarded,
    portalHost: portalHost(config),
    trustedProxies: config.trustedProxies,
  });
  addWorkerMetrics(metrics, { management, traces, forwarder });
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
        await drain(listener, queues);
        await close();
        return true;
      };
      return Promise.race([stopping(), deadline]);
    },
  };
}

type Reports = ReturnType<typeof reportsTo>;

async function openMeasuredStore(config: Config, metrics: Metrics, reports: Reports): Promise<MainStore> {
  let migrationWaits = 0;
  const store = await openStore(config.database, {
    ...config,
    soleServer: true,
    journalSetAside: reports.journalSetAside,
    migrationPostponed: reports.migrationPostponed,
    backedUp: reports.backedUp,
    migrationWaits: (wait) => {
      migrationWaits += 1;
      reports.migrationWaits(wait);
    },
  });
  const { writeHolds } = store;
  if (writeHolds !== null) metrics.add(() => writeLockMetrics(store.writeHolds ?? writeHolds));
  metrics.add(() => migrationMetrics(migrationWaits));
  return store;
}

interface PublicApiParts {
  readonly config: Config;
  readonly store: MainStore;
  readonly metrics: Metrics;
  readonly reports: Reports;
  readonly recorder: Recorder;
  readonly apiKeyUse: ApiKeyUse;
  readonly readiness: Readiness;
  readonly traces: RequestTraces | null;
}

/** The API that validates, and its queues of calls: of API keys, and of test API keys. */
function openPublicApi({
  config,
  store,
  metrics,
  reports,
  recorder,
  apiKeyUse,
  readiness,
  traces,
}: PublicApiParts): { publicApi: PublicApi; queues: readonly CallQueue[] } {
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
  return { publicApi, queues: [batcher, sandbox] };
}

interface MeasuredWorker {
  readonly management: ManagementWorker;
  readonly traces: RequestTraces | null;
  readonly forwarder: Forwarder;
}

function addWorkerMetrics(metrics: Metrics, { management, traces, forwarder }: MeasuredWorker): void {
  const workerPart = new WorkerPart(() => management.metrics());
  metrics.addWorkerPart(() => workerPart.text());
  metrics.add(() => workerStateMetrics(workerPart.hasAnswered, management.restarts));
  if (traces !== null)
    metrics.add(() => {
      const { exported, dropped } = workerPart.spans;
      return traceMetrics(exported, dropped + traces.dropped);
    });
  metrics.add(() => budgetMetrics({ ...forwarder.budgets, ...workerPart.budgets }));
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
