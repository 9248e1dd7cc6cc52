import type { Clock } from "./clock.ts";
import { ConnectionError, TimeoutError } from "./errors.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly requestId: string | null;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly random: () => number;
}

/** No Countersign response is longer than this. */
const maxBytes = 1024 * 1024;
const retryDelayMs = { min: 100, max: 400 };

/**
 * Sends a request, and retries once if the connection failed or the server responded 5xx. Both attempts share the
 * timeout. A 429 is never retried: the limit is a daily one.
 */
export async function send(request: ApiRequest, options: TransportOptions): Promise<ApiResponse> {
  const endMs = options.clock.steadyMs() + options.timeoutMs;
  const first = await attempt(request, options, endMs).catch((error: unknown) => {
    if (error instanceof TimeoutError || !(error instanceof ConnectionError)) throw error;
    return error;
  });
  if (!(first instanceof ConnectionError) && first.status < 500) return first;
  const waitMs = retryDelayMs.min + options.random() * (retryDelayMs.max - retryDelayMs.min);
  if (options.clock.steadyMs() + waitMs < endMs) {
    await options.clock.sleep(waitMs);
    return attempt(request, options, endMs);
  }
  if (first instanceof ConnectionError) throw first;
  return first;
}

async function attempt(request: ApiRequest, options: TransportOptions, endMs: number): Promise<ApiResponse> {
  const leftMs = Math.max(1, endMs - options.clock.steadyMs());
  const signal = AbortSignal.timeout(Math.ceil(leftMs));
  try {
    const response = await options.fetch(options.baseUrl + request.path, {
      method: request.method,
      headers: request.headers,
      // Redirects are rejected: the API key must not be sent elsewhere.
      redirect: "manual",
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: await readBody(response),
      requestId: response.headers.get("x-request-id"),
    };
  } catch (cause) {
    if (cause instanceof ConnectionError) throw cause;
    const host = new URL(options.baseUrl).host;
    if (signal.aborted) {
      const seconds = options.timeoutMs / 1_000;
      throw new TimeoutError(`${host} did not respond within ${seconds} seconds.`, null, { cause });
    }
    throw new ConnectionError(`Cannot connect to ${host}: ${reason(cause)}.`, null, { cause });
  }
}

async function readBody(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > maxBytes)
      throw new ConnectionError(
        `The response is larger than ${maxBytes} bytes, so it is not from a Countersign server.`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The reason for "fetch failed" is in the error's cause. */
function reason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return String(inner);
  const code = (inner as NodeJS.ErrnoException).code;
  return code ?? inner.message;
}
