import { parseTraceParent } from "@countersign/domain/traces/traceparent";
import type { Api, AttemptResult, WorkerMetrics } from "../features/health/worker-metrics.ts";
import type { MailTransport } from "../features/mail/mailer.ts";
import type { Span, Tracer } from "../features/traces/tracer.ts";
import { succeeded } from "../features/webhooks/delivery/results.ts";
import type { Answer, Sender } from "../features/webhooks/delivery/send.ts";
import type { RequestObserver } from "../http/observer.ts";
import type { JobName } from "../jobs/job-runs.ts";

/** Where the management worker reports what it does. */
export interface Insight {
  readonly metrics: WorkerMetrics;
  /** Null if no traces are configured. */
  readonly tracer: Tracer | null;
}

/** Counts, times and traces the requests of an API. */
export function requestObserver({ metrics, tracer }: Insight, api: Api): RequestObserver {
  return (request, requestId) => {
    const startedMs = performance.now();
    const { method } = request;
    const span =
      tracer?.start(`${method} ${api}`, "server", parseTraceParent(request.headers.get("traceparent")), {
        "http.request.method": method,
        "countersign.api": api,
        "countersign.request_id": requestId,
      }) ?? null;
    return {
      routed: (id, path) => {
        if (span === null) return;
        span.name = `${method} ${path}`;
        span.attributes["http.route"] = path;
        span.attributes["countersign.route"] = id;
      },
      done: (status) => {
        // Such a request takes as long as it takes until something happens.
        const waits = request.url.includes("wait_seconds=");
        metrics.requestDone(api, status, waits ? null : performance.now() - startedMs);
        if (span === null) return;
        span.attributes["http.response.status_code"] = status;
        span.end(status >= 500);
      },
    };
  };
}

/** Counts, times and traces the deliveries of webhooks. Receivers get the position in the trace as `traceparent`. */
export function observedSender(sender: Sender, { metrics, tracer }: Insight): Sender {
  return async (outgoing, broken) => {
    const startedMs = performance.now();
    const span =
      tracer?.start("POST webhook", "client", null, {
        "http.request.method": "POST",
        "countersign.webhook_id": outgoing.headers["webhook-id"] ?? "",
      }) ?? null;
    metrics.attemptBegins();
    let result: AttemptResult | null = null;
    try {
      const answer = await sender(span === null ? outgoing : traced(outgoing, span), broken);
      result = resultOf(answer);
      if (span !== null) describe(span, answer);
      return answer;
    } finally {
      metrics.attemptDone(result, performance.now() - startedMs);
      span?.end(result !== "delivered");
    }
  };
}

/** Counts emails. */
export function observedTransport(transport: MailTransport, { metrics }: Insight): MailTransport {
  return {
    send: async (message) => {
      try {
        await transport.send(message);
      } catch (error) {
        metrics.emailDone("failed");
        throw error;
      }
      metrics.emailDone("sent");
    },
    close: () => transport.close(),
  };
}

/** The span of a run of a job; null if it is not sampled. */
export function jobSpan(tracer: Tracer | null, { name }: JobName): Span | null {
  return tracer?.start(`job ${name}`, "internal", null, { "countersign.job": name }) ?? null;
}

function traced<T extends { readonly headers: Readonly<Record<string, string>> }>(
  outgoing: T,
  span: Span,
): T {
  // A header that the seller has set wins.
  return { ...outgoing, headers: { traceparent: span.traceParent, ...outgoing.headers } };
}

function resultOf(answer: Answer): AttemptResult {
  if (succeeded(answer)) return "delivered";
  return answer.status === null ? "unanswered" : "refused";
}

function describe(span: Span, { status, failure }: Answer): void {
  if (status !== null) span.attributes["http.response.status_code"] = status;
  if (failure !== null) span.attributes["error.type"] = failure.code;
}
