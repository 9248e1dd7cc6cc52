import { join } from "node:path";
import { portalBase } from "@countersign/contract/portal/base";
import { openInWorker } from "@countersign/store/open";
import { readConfig } from "../config.ts";
import { StripeWebhook } from "../features/billing/webhook.ts";
import { DashboardPages } from "../features/dashboard/pages.ts";
import { stopWaiting } from "../features/events/waiting.ts";
import { LazyIdentity } from "../features/identity/lazy-identity.ts";
import { customerOf } from "../features/portal/session.ts";
import { stopStreams } from "../features/requests/live.ts";
import { listenOnSocket } from "../http/listen-on-socket.ts";
import { RoutedApi } from "../http/manage/routed-api.ts";
import { manageRoutes, portalRoutes } from "../http/manage/routes.ts";
import { startBackground } from "../jobs/background.ts";
import { type Log, type LogLevel, reasonOf } from "../log.ts";
import { runWorker, type ThreadCalls } from "../worker-thread.ts";
import type { MainThreadCalls, WorkerCalls, WorkerSettings } from "./messages.ts";

/** Where the build puts it, relative to this file or to the built server. */
const dashboardFolder = join(import.meta.dirname, "../..", "web", "dist");

/**
 * The thread that does everything but validate: the management API, sign-in, the dashboard, imports, webhooks and
 * periodic jobs. Whatever a request costs here, validations do not wait for it.
 */
async function start(
  { environment, database, socket }: WorkerSettings,
  creator: ThreadCalls<MainThreadCalls>,
): Promise<WorkerCalls> {
  const log = logTo(creator);
  survive(log);
  const config = readConfig(environment);
  const store = await openInWorker(database);
  const journal = {
    deleteOrganization: (organizationId: string) => creator.request("deleteOrganization", organizationId),
  };
  const identity = await LazyIdentity.prepare(store, config, log);
  const background = startBackground(store, journal, config, log);
  const parts = { store, config, log, signIn: identity };
  const listener = listenOnSocket(socket, {
    manageApi: new RoutedApi(parts, manageRoutes),
    portalApi: new RoutedApi(parts, portalRoutes, {
      base: portalBase,
      url: config.portalUrl,
      acceptsAnonymousFromAnywhere: false,
      authenticate: (request, nowMs) => customerOf(request, config.portalUrl, store, nowMs),
    }),
    authApi: identity,
    stripeWebhook:
      config.stripe === null
        ? null
        : new StripeWebhook({ store, settings: config.stripe, url: config.url }, log),
    pages: new DashboardPages(dashboardFolder, {
      portalUrl: config.portalHasOwnHost ? config.portalUrl : null,
    }),
    log,
  });
  return {
    drain: () => {
      stopWaiting(store);
      stopStreams(store);
    },
    stop: async () => {
      await listener.cut();
      await background.stop();
      await store.close();
    },
  };
}

/** One thread writes the log, so that lines do not mix. */
function logTo(creator: ThreadCalls<MainThreadCalls>): Log {
  const logAt =
    (level: LogLevel): Log["info"] =>
    (message, fields) =>
      creator.notify("log", { level, message, fields });
  return { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };
}

/** A bug in one request must not end the thread that serves all others. */
function survive(log: Log): void {
  process.on("uncaughtException", (error) =>
    log.error("Uncaught exception.", { reason: reasonOf(error), stack: error.stack }),
  );
  process.on("unhandledRejection", (error) =>
    log.error("Unhandled promise rejection.", {
      reason: reasonOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    }),
  );
}

await runWorker(start);
