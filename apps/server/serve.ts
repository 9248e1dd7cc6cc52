import type { Config } from "./config.ts";
import { Metrics } from "./features/health/metrics.ts";
import { Readiness } from "./features/health/readiness.ts";
import { Recorder } from "./features/requests/recorder.ts";
import { type Decider, startDecider } from "./features/validate/decider.ts";
import type { DeciderSettings } from "./features/validate/decider-thread.ts";
import { type Listener, listen, type ServerParts } from "./http/listen.ts";
import { PublicApi } from "./http/public.ts";
import { inBursts, type Log, reasonOf } from "./log.ts";
import { OperatorProblem } from "./problem.ts";

export interface RunningServer {
  readonly port: number;
  /** Finishes what was accepted, writes down what is left to write, and lets go of everything. */
  stop(): Promise<void>;
}

const longestDrainMs = 8_000;
const longestFarewellMs = 1_000;
const quietMs = 100;
const logEveryMs = 1_000;

/** Puts the server together from its settings and starts it. */
export async function startServer(config: Config, log: Log): Promise<RunningServer> {
  const metrics = new Metrics();
  const tellFailed = inBursts<string>(logEveryMs, (calls, reason) =>
    log.error("Storage did not answer. Requests were refused with 503.", { calls, reason }),
  );
  const tellDropped = inBursts<null>(logEveryMs, (count) =>
    log.warn("The request log cannot keep up, and entries were dropped.", { count }),
  );
  const decider = await startDecider(deciderSettings(config), {
    batchDone: (calls, seconds) => metrics.batchDone(calls, seconds),
    batchFailed: (calls, reason) => {
      metrics.batchFailed();
      tellFailed(calls, reason);
    },
    entries: (json, count) => recorder.record(json, count),
    died: (reason) => {
      log.error("The deciding thread ended unexpectedly; so does the server.", { reason });
      process.exit(1);
    },
  });
  const { database, requestLogDays } = config;
  const recorder = new Recorder(
    { database, requestLogDays },
    {
      journalFailed: (reason) => {
        metrics.journalFailed();
        log.warn("The request log could not be written. It will be tried again.", { reason });
      },
      entriesDropped: (count) => {
        metrics.entriesDropped(count);
        tellDropped(count, null);
      },
    },
  );
  const readiness = new Readiness(() => decider.ping());
  const publicApi = new PublicApi(decider, config.trustedProxies, (endpoint, outcome) =>
    metrics.countRequest(endpoint, outcome),
  );
  const closeThreads = async () => {
    await decider.close();
    await recorder.close();
  };
  const listener = await openPort(
    config,
    {
      publicApi,
      metrics,
      readiness,
      failed: (error) => log.error("A request failed in a way it should not.", { reason: reasonOf(error) }),
    },
    closeThreads,
  );
  return {
    port: listener.port,
    stop: async () => {
      readiness.drain();
      publicApi.drain();
      await drain(listener, decider);
      await closeThreads();
    },
  };
}

function deciderSettings({ database, encryptionKey, durability }: Config): DeciderSettings {
  return { database, encryptionKey, durability };
}

async function openPort(config: Config, parts: ServerParts, giveUp: () => Promise<void>): Promise<Listener> {
  const { port, host } = config;
  try {
    return listen(host, port, parts);
  } catch (cause) {
    await giveUp();
    throw new OperatorProblem(
      `Port ${port} on ${host} cannot be opened: ${portReason(cause)} Set PORT to another one.`,
      { cause },
    );
  }
}

function portReason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (code === "EADDRINUSE") return "another program is using it.";
  if (code === "EACCES") return "this user may not open it.";
  return `${cause instanceof Error ? cause.message : String(cause)}.`;
}

async function drain(listener: Listener, decider: Decider): Promise<void> {
  const deadlineMs = performance.now() + longestDrainMs;
  const isBusy = () => listener.pendingRequests() > 0 || decider.size > 0;
  await farewell(isBusy);
  listener.stopAccepting();
  while (isBusy() && performance.now() < deadlineMs) await nextLook();
  await listener.cut();
}

/**
 * Goes on serving until it is quiet, or for a moment: every answer now asks its caller to leave the connection. The
 * runtime closes kept connections as soon as it stops accepting, and a request already on its way there would be lost.
 */
async function farewell(isBusy: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + longestFarewellMs;
  let quietSinceMs = performance.now();
  while (performance.now() < deadlineMs && performance.now() - quietSinceMs < quietMs) {
    await nextLook();
    if (isBusy()) quietSinceMs = performance.now();
  }
}

function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
