import { manageBase, portalBase } from "@countersign/contract/api/bases";
import { authBase } from "@countersign/contract/auth/route";
import { stripeWebhookPath } from "@countersign/contract/openapi/stripe-webhook";
import type { RoutedApi } from "../api/routed-api.ts";
import type { Log } from "../base/log.ts";
import type { StripeWebhook } from "../features/billing/webhook.ts";
import type { DashboardPages } from "../features/dashboard/pages.ts";
import type { DocsSite } from "../features/docs/site.ts";
import type { LazyIdentity } from "../features/identity/sign-in/lazy-identity.ts";
import { docsOfProblem, docsOfProblems, openApi, publicOpenApi } from "../features/reference/answers.ts";
import { newRequestId } from "../features/validate/public-api.ts";
import { noSuchPath } from "../http/answers.ts";
import { observed, type RequestObserver } from "../http/observer.ts";
import { isForPortalHost, peerHeader, targetOf } from "../http/request.ts";
import { withoutSniffing } from "../http/response.ts";
import { errorResponder, read } from "./listen.ts";

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
  readonly docs: DocsSite;
  readonly log: Log;
}

type Handler = (request: Request) => Response | Promise<Response>;

/** Responds to every request that the validating thread forwards. */
export function workerSite(parts: WorkerParts): (request: Request) => Promise<Response> {
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
    (answer: Handler): Handler =>
    (request) =>
      isForPortalHost(request) ? pages.answer(request, newRequestId()) : answer(request);
  const docs = onMainHost((request) => read(request, () => parts.docs.answer(request, newRequestId())));
  const problem = (code: string) => docsOfProblem(code, newRequestId()) ?? noSuchPath(newRequestId());
  const paths = new Map<string, Handler>([
    [stripeWebhookPath, onMainHost(stripe)],
    ["/openapi.json", onMainHost((request) => read(request, () => openApi(request, newRequestId())))],
    ["/openapi/public.json", onMainHost((request) => read(request, () => publicOpenApi(newRequestId())))],
    ["/docs", docs],
    ["/problems", (request) => read(request, () => docsOfProblems(newRequestId()))],
  ]);
  const below: readonly (readonly [string, (request: Request, rest: string) => ReturnType<Handler>])[] = [
    [manageBase, onMainHost((request) => manageApi.handle(request, peerOf(request), newRequestId()))],
    [portalBase, (request) => portalApi.handle(request, peerOf(request), newRequestId())],
    [authBase, onMainHost(auth)],
    ["/docs", docs],
    ["/problems", (request, code) => read(request, () => problem(code))],
  ];
  const answer = (request: Request) => {
    const { pathname } = targetOf(request);
    const handler = paths.get(pathname);
    if (handler !== undefined) return handler(request);
    for (const [base, handle] of below)
      if (pathname.startsWith(`${base}/`)) return handle(request, pathname.slice(base.length + 1));
    return pages.answer(request, newRequestId());
  };
  const failed = errorResponder(parts.log);
  return async (request) => {
    try {
      return withoutSniffing(await answer(request));
    } catch (error) {
      return failed(error as Error);
    }
  };
}

function peerOf(request: Request): string | null {
  return request.headers.get(peerHeader);
}
