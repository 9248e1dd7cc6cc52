import { authBase } from "@countersign/contract/auth/route";
import { manageBase } from "@countersign/contract/manage/base";
import { portalBase } from "@countersign/contract/portal/base";
import { stripeWebhookPath } from "@countersign/contract/stripe-webhook";
import type { StripeWebhook } from "../features/billing/webhook.ts";
import type { DashboardPages } from "../features/dashboard/pages.ts";
import type { LazyIdentity } from "../features/identity/lazy-identity.ts";
import {
  docs,
  docsOfProblem,
  docsOfProblems,
  docsScript,
  docsStyle,
  openApi,
  publicOpenApi,
} from "../features/reference/answers.ts";
import type { Log } from "../log.ts";
import { noSuchPath } from "./answers.ts";
import { isForPortalHost, peerHeader } from "./forward.ts";
import { errorResponder, type Listener, listener, read } from "./listen.ts";
import type { RoutedApi } from "./manage/routed-api.ts";
import { observed, type RequestObserver } from "./observer.ts";
import { newRequestId } from "./public.ts";

/** The routes of the management worker. */
export interface WorkerParts {
  readonly manageApi: RoutedApi;
  readonly portalApi: RoutedApi;
  readonly authApi: Pick<LazyIdentity, "handle">;
  readonly authObserver: RequestObserver;
  /** Null if payments are not set up. */
  readonly stripeWebhook: StripeWebhook | null;
  readonly stripeObserver: RequestObserver;
  readonly pages: DashboardPages;
  readonly log: Log;
}

/** Listens where only the validating thread connects. */
export function listenOnSocket(path: string, parts: WorkerParts): Listener {
  const { manageApi, portalApi, authApi, stripeWebhook, pages } = parts;
  const auth = (request: Request) => {
    const requestId = newRequestId();
    return observed(parts.authObserver, request, requestId, () =>
      authApi.handle(request, peerOf(request), requestId),
    );
  };
  const stripe = (request: Request) => {
    const requestId = newRequestId();
    if (stripeWebhook === null) return pages.answer(request, requestId);
    return observed(parts.stripeObserver, request, requestId, () => stripeWebhook.handle(request, requestId));
  };
  /** On the portal's own host, it does not exist: customers' browsers have no use for it. */
  const onMainHost =
    (answer: (request: Request) => Response | Promise<Response>) =>
    (request: Request): Response | Promise<Response> =>
      isForPortalHost(request) ? pages.answer(request, newRequestId()) : answer(request);
  const server = Bun.serve({
    unix: path,
    ...neverIdle,
    development: false,
    routes: {
      [`${manageBase}/*`]: onMainHost((request) =>
        manageApi.handle(request, peerOf(request), newRequestId()),
      ),
      [`${portalBase}/*`]: (request) => portalApi.handle(request, peerOf(request), newRequestId()),
      [`${authBase}/*`]: onMainHost(auth),
      [stripeWebhookPath]: onMainHost(stripe),
      "/openapi.json": onMainHost((request) => read(request, () => openApi(newRequestId()))),
      "/openapi/public.json": onMainHost((request) => read(request, () => publicOpenApi(newRequestId()))),
      "/docs": onMainHost((request) => read(request, () => docs(newRequestId()))),
      "/docs/reference.css": (request) => read(request, () => docsStyle(newRequestId())),
      "/docs/reference.js": (request) => read(request, () => docsScript(newRequestId())),
      "/problems": (request) => read(request, () => docsOfProblems(newRequestId())),
      "/problems/:code": (request) =>
        read(request, () => docsOfProblem(request.params.code, newRequestId()) ?? noSuchPath(newRequestId())),
    },
    fetch: (request) => pages.answer(request, newRequestId()),
    error: errorResponder(parts.log),
  });
  return listener(server, 0);
}

/**
 * The validating thread closes idle connections: it knows whether it is about to use one. The runtime's types do not
 * know that this setting applies to sockets too.
 */
const neverIdle = { idleTimeout: 0 } as object;

function peerOf(request: Request): string | null {
  return request.headers.get(peerHeader);
}
