import type { Clock } from "./clock.ts";
import { ConnectionError, TimeoutError } from "./errors.ts";
import { type Redact, redactedCause } from "./redaction.ts";
import type { Reporter } from "./reporter.ts";
import { type ApiResponse, retryAfterOf } from "./response.ts";
import { readBody } from "./response-body.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The path without the license key, for hooks and logs. */
  readonly shownPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Transport {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly fetchOptions: Readonly<Record<string, unknown>>;
  readonly random: () => number;
  readonly reporter: Reporter;
}

/** How one call is sent. */
export interface Delivery {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal: AbortSignal | null;
}

const pauseMs = { min: 100, max: 400 };

/**
 * Sends a request, and again if the connection failed or the server responded 5xx. All attempts share the timeout. A 429
 * is never retried: the limit is a daily one. Rejects with the signal's reason if it aborts.
 */
export async function send(
  request: ApiRequest,
  transport: Transport,
  delivery: Delivery,
  redact: Redact,
): Promise<ApiResponse> {
  const { clock, reporter } = transport;
  const endMs = clock.steadyMs() + delivery.timeoutMs;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(request, transport, delivery, { attempt, endMs, redact });
    const isFinal = outcome instanceof TimeoutError || (!(outcome instanceof Error) && outcome.status < 500);
    const waitMs = waitBefore(outcome, transport);
    if (isFinal || attempt > delivery.retries || clock.steadyMs() + waitMs >= endMs) {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
    const status = outcome instanceof Error ? null : outcome.status;
    const details = { method: request.method, path: request.shownPath, attempt, status, waitMs };
    reporter.log("debug", "The request is sent again.", details);
    await orAborted(clock.sleep(waitMs), delivery.signal);
  }
}

/** Random, so that apps do not send their retries together; at least what a 503 asks for. */
function waitBefore(outcome: ApiResponse | ConnectionError, { clock, random }: Transport): number {
  const pause = pauseMs.min + random() * (pauseMs.max - pauseMs.min);
  if (outcome instanceof Error || outcome.status !== 503) return pause;
  return Math.max(pause, (retryAfterOf(outcome, clock.wallMs()) ?? 0) * 1_000);
}

async function attemptOnce(
  request: ApiRequest,
  transport: Transport,
  delivery: Delivery,
  { attempt, endMs, redact }: { readonly attempt: number; readonly endMs: number; readonly redact: Redact },
): Promise<ApiResponse | ConnectionError> {
  const { clock, reporter } = transport;
  const info = { method: request.method, path: request.shownPath, attempt };
  const startedMs = clock.steadyMs();
  reporter.request(info);
  const done = (status: number | null, requestId: string | null, error: Error | null) =>
    reporter.response({ ...info, status, durationMs: clock.steadyMs() - startedMs, requestId, error });
  const limit = timeLimit(Math.ceil(Math.max(1, endMs - startedMs)), delivery.signal);
  try {
    const response = await fetchOnce(request, transport, limit.signal);
    done(response.status, response.requestId, null);
    return response;
  } catch (failure) {
    const { signal } = delivery;
    if (signal?.aborted === true) {
      done(null, null, signal.reason instanceof Error ? signal.reason : new Error("The call was aborted."));
      throw signal.reason;
    }
    const error = connectionError(failure, transport, redact, limit.isOver() ? delivery.timeoutMs : null);
    done(null, null, error);
    return error;
  } finally {
    limit.end();
  }
}

async function fetchOnce(
  request: ApiRequest,
  transport: Transport,
  signal: AbortSignal,
): Promise<ApiResponse> {
  // Not called as a method of an object: browsers and edge runtimes reject that.
  const { fetch, fetchOptions, baseUrl } = transport;
  const response = await fetch(baseUrl + request.path, {
    ...fetchOptions,
    method: request.method,
    headers: { ...(fetchOptions.headers as Record<string, string>), ...request.headers },
    // Redirects are rejected: the API key must not be sent elsewhere.
    redirect: "manual",
    signal,
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const { status, headers } = response;
  return { status, headers, body: await readBody(response), requestId: headers.get("x-request-id") };
}

/** A signal that aborts after this time, or with the given signal. */
function timeLimit(ms: number, outer: AbortSignal | null) {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, ms);
  const abort = () => controller.abort();
  outer?.addEventListener("abort", abort);
  if (outer?.aborted === true) abort();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    },
  };
}

function connectionError(
  failure: unknown,
  { baseUrl }: Transport,
  redact: Redact,
  timeoutMs: number | null,
): ConnectionError {
  if (failure instanceof ConnectionError) return failure;
  const { host } = new URL(baseUrl);
  const cause = redactedCause(failure, redact);
  if (timeoutMs !== null)
    return new TimeoutError(`${host} did not respond within ${timeoutMs / 1_000} seconds.`, { cause });
  return new ConnectionError(`Cannot connect to ${host}: ${reason(cause)}.`, { cause });
}

/** The reason for "fetch failed" is in the error's cause. */
function reason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return String(inner);
  return "code" in inner && typeof inner.code === "string" ? inner.code : inner.message;
}

/** The result of the work, or a rejection with the signal's reason as soon as it aborts. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (signal === null) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
