import { portalBase } from "@countersign/contract/api/bases";
import { builtFolder } from "@countersign/store/built";
import { openInWorker } from "@countersign/store/databases/open";
import { exportSlots } from "../api/download.ts";
import { managementSite, RoutedApi } from "../api/routed-api.ts";
import { type Config, readConfig } from "../base/config.ts";
import { type Log, type LogLevel, reasonOf } from "../base/log.ts";
import { runWorker, type ThreadCalls } from "../base/worker-thread.ts";
import { paymentCalls } from "../features/billing/routes.ts";
import { StripeWebhook } from "../features/billing/webhook.ts";
import { DashboardPages } from "../features/dashboard/pages.ts";
import { DocsSite } from "../features/docs/site.ts";
import { eventPolls, stopWaiting } from "../features/events/routes.ts";
import { slowQueriesTo } from "../features/health/slow-queries.ts";
import { WaitingWork } from "../features/health/waiting-work.ts";
import { WorkerMetrics } from "../features/health/worker-metrics.ts";
import { LazyIdentity } from "../features/identity/sign-in/lazy-identity.ts";
import { customerOf } from "../features/portal/session.ts";
import type { CustomerOfOrganization } from "../features/requests/journal-thread.ts";
import { stopStreams } from "../features/requests/live.ts";
import { liveViews } from "../features/requests/stream.ts";
import type { WorkerTraces } from "../features/traces/worker-traces.ts";
import { jobRunsOf } from "../jobs/job-runs.ts";
import { startBackground } from "./background.ts";
import type { MainThreadCalls, WorkerCalls, WorkerSettings } from "./messages.ts";
import { requestObserver } from "./observe.ts";
import { RequestReceiver } from "./request-receiver.ts";
import { manageRoutes, portalRoutes } from "./routes.ts";
import { workerSite } from "./worker-site.ts";

/**
 * The thread that does everything but validate: the management API, sign-in, the dashboard, imports, webhooks and
 * periodic jobs. Whatever a request costs here, validations do not wait for it.
 */
async function start(
  { environment, database }: WorkerSettings,
  creator: ThreadCalls<MainThreadCalls>,
): Promise<WorkerCalls> {
  const log = logTo(creator);
  survive(log);
  const config = readConfig(environment);
  const metrics = new WorkerMetrics();
  const store = await openInWorker(database, slowQueriesTo(log, metrics));
  const journal = {
    deleteOrganization: (organizationId: string) => creator.request("deleteOrganization", organizationId),
    eraseCustomer: (customer: CustomerOfOrganization) => creator.request("eraseCustomer", customer),
  };
  const identity = await LazyIdentity.prepare(store, config, log);
  const runs = jobRunsOf(store);
  const traces = await openTraces(config, runs.node, log);
  const insight = { metrics, tracer: traces?.tracer ?? null };
  const waiting = new WaitingWork(store, config.mail !== null);
  const background = startBackground(store, journal, config, log, insight);
  const parts = { store, config, log, signIn: identity };
  const stripeWebhook =
    config.stripe === null
      ? null
      : new StripeWebhook({ store, settings: config.stripe, url: config.url }, log);
  const site = workerSite({
    manageApi: new RoutedApi(parts, manageRoutes, managementSite(parts), requestObserver(insight, "manage")),
    portalApi: new RoutedApi(
      parts,
      portalRoutes,
      {
        base: portalBase,
        url: config.portalUrl,
        acceptsAnonymousFromAnywhere: false,
        authenticate: (request, nowMs) => customerOf(request, config.portalUrl, store, nowMs),
      },
      requestObserver(insight, "portal"),
    ),
    authApi: identity,
    authObserver: requestObserver(insight, "auth"),
    stripeWebhook,
    stripeObserver: requestObserver(insight, "stripe"),
    pages: new DashboardPages(builtFolder("dashboard", import.meta.url), {
      portalUrl: config.portalHasOwnHost ? config.portalUrl : null,
    }),
    docs: new DocsSite(builtFolder("docs", import.meta.url)),
    log,
  });
  const requests = new RequestReceiver((message) => creator.notify("exchange", message), site);
  return {
    exchange: (message) => requests.receive(message),
    drain: () => {
      stopWaiting(store);
      stopStreams(store);
    },
    metrics: () => ({
      text: metrics.text(runs.states(Date.now()), waiting.counts),
      spans: traces?.counts ?? null,
      budgets: {
        live_views: liveViews.use,
        event_polls: eventPolls.use,
        exports: exportSlots.use,
        payment_calls: paymentCalls.use,
        payment_events: stripeWebhook?.use ?? unusedBudget,
      },
    }),
    exportSpans: (json) => traces?.add(json),
    stop: async () => {
      requests.cut();
      await background.stop();
      await Promise.all([traces?.close(), waiting.close()]);
      await store.close();
    },
  };
}

/** Without payments. */
const unusedBudget = { inUse: 0, limit: 0, refused: 0 };

/** Nothing of it is loaded unless traces are configured. */
async function openTraces({ traces }: Config, node: string, log: Log): Promise<WorkerTraces | null> {
  if (traces === null) return null;
  const { openWorkerTraces } = await import("../features/traces/worker-traces.ts");
  return openWorkerTraces(traces, node, log);
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
