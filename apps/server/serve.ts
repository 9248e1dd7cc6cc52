import { openStore } from "@countersign/store/open";
import type { Config } from "./config.ts";
import { Metrics } from "./features/health/metrics.ts";
import { Readiness } from "./features/health/readiness.ts";
import { Recorder } from "./features/requests/recorder.ts";
import { Batcher } from "./features/validate/batch.ts";
import { type Listener, listen } from "./http/listen.ts";
import { PublicApi } from "./http/public.ts";
import { type Log, reasonOf } from "./log.ts";
import { OperatorProblem } from "./problem.ts";

export interface RunningServer {
  readonly port: number;
  /** Finishes what was accepted, writes down what is left to write, and lets go of everything. */
  stop(): Promise<void>;
}

const longestDrainMs = 8_000;

/** Puts the server together from its settings and starts it. */
export async function startServer(config: Config, log: Log): Promise<RunningServer> {
  const store = await openStore(config.database, { ...config, soleServer: true });
  const metrics = new Metrics();
  const readiness = new Readiness(store);
  const recorder = new Recorder(config.database, config.requestLogDays, {
    entriesDropped: (count) => {
      metrics.entriesDropped(count);
      log.warn("The request log cannot keep up, and entries were dropped.", { count });
    },
    journalFailed: (reason) => {
      metrics.journalFailed();
      log.warn("The request log could not be written. It will be tried again.", { reason });
    },
  });
  const batcher = new Batcher(store, {
    batchDone: (calls, seconds) => metrics.batchDone(calls, seconds),
    batchFailed: (calls, cause) => {
      metrics.batchFailed();
      log.error("Storage did not answer. Requests were refused with 503.", { calls, reason: reasonOf(cause) });
    },
  });
  const publicApi = new PublicApi(
    {
      batcher,
      record: (entry) => recorder.record(entry),
      count: (endpoint, outcome) => metrics.countRequest(endpoint, outcome),
    },
    config.trustedProxies,
  );
  const listener = openPort(config, () =>
    listen(config.host, config.port, {
      publicApi,
      metrics,
      readiness,
      failed: (error) => log.error("A request failed in a way it should not.", { reason: reasonOf(error) }),
    }),
  );
  return {
    port: listener.port,
    stop: async () => {
      readiness.drain();
      publicApi.drain();
      await drain(listener, batcher);
      await recorder.close();
      await store.close();
    },
  };
}

function openPort(config: Config, open: () => Listener): Listener {
  try {
    return open();
  } catch (cause) {
    const { port, host } = config;
    throw new OperatorProblem(`Port ${port} on ${host} cannot be opened: ${portReason(cause)} Set PORT to another one.`, { cause });
  }
}

function portReason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (code === "EADDRINUSE") return "another program is using it.";
  if (code === "EACCES") return "this user may not open it.";
  return `${cause instanceof Error ? cause.message : String(cause)}.`;
}

async function drain(listener: Listener, batcher: Batcher): Promise<void> {
  const deadlineMs = performance.now() + longestDrainMs;
  listener.stopAccepting();
  while ((listener.pendingRequests() > 0 || batcher.size > 0) && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await listener.cut();
}
