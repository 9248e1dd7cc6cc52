import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { openInWorker } from "@countersign/store/open";
import { readConfig } from "../config.ts";
import { DashboardPages } from "../features/dashboard/pages.ts";
import { stopWaiting } from "../features/events/waiting.ts";
import { LateIdentity } from "../features/identity/late-identity.ts";
import { listenOnSocket } from "../http/listen-on-socket.ts";
import { ManageApi } from "../http/manage/manage-api.ts";
import { manageRoutes } from "../http/manage/routes.ts";
import { startBackground } from "../jobs/background.ts";
import { type Log, type LogLevel, reasonOf } from "../log.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "./messages.ts";

/** Where the build puts it, relative to this file or to the built server. */
const dashboardFolder = join(import.meta.dirname, "../..", "web", "dist");

/**
 * The thread that does everything but validate: the management API, sign-in, the dashboard, imports, webhooks and
 * periodic jobs. Whatever a request costs here, validations do not wait for it.
 */
async function run({ environment, database, socket }: WorkerSettings): Promise<void> {
  const config = readConfig(environment);
  const store = await openInWorker(database);
  const forgetting = new Map<string, PromiseWithResolvers<void>>();
  const journal = {
    forget: (organizationId: string) => {
      const known = forgetting.get(organizationId);
      if (known !== undefined) return known.promise;
      const outcome = Promise.withResolvers<void>();
      forgetting.set(organizationId, outcome);
      post({ kind: "forget", organizationId });
      return outcome.promise;
    },
  };
  const identity = await LateIdentity.prepare(store, config, log);
  const background = startBackground(store, journal, config, log);
  const listener = listenOnSocket(socket, {
    manageApi: new ManageApi({ store, config, log, signIn: identity }, manageRoutes),
    authApi: identity,
    pages: new DashboardPages(dashboardFolder),
    failed: (error) => log.error("A request failed unexpectedly.", { reason: reasonOf(error) }),
  });
  const stop = async () => {
    await listener.cut();
    for (const outcome of forgetting.values()) outcome.reject(new Error("The server stops."));
    await background.stop();
    await store.close();
    post({ kind: "stopped" });
  };
  parentPort?.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "drain":
        stopWaiting(store);
        break;
      case "stop":
        stop().catch((error) => post({ kind: "failed", reason: reasonOf(error) }));
        break;
      case "forgotten": {
        const outcome = forgetting.get(message.organizationId);
        forgetting.delete(message.organizationId);
        if (message.problem === null) outcome?.resolve();
        else outcome?.reject(new Error(message.problem));
        break;
      }
    }
  });
  post({ kind: "ready" });
}

/** One thread writes the log, so that lines do not mix. */
const logAt =
  (level: LogLevel): Log["info"] =>
  (message, fields) =>
    post({ kind: "log", level, message, fields });
const log: Log = { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

// A bug in one request must not end the thread that serves all others.
process.on("uncaughtException", (error) =>
  log.error("Uncaught exception.", { reason: reasonOf(error), stack: error.stack }),
);
process.on("unhandledRejection", (error) =>
  log.error("Unhandled promise rejection.", {
    reason: reasonOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  }),
);

await run(workerData).catch((error) => post({ kind: "failed", reason: reasonOf(error) }));
