import type { Clock } from "./clock.ts";
import { ConnectionError, TimeoutError } from "./errors.ts";

export interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
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

/** Responses of the service are shorter than this; anything longer is not from it. */
const mostBytes = 1024 * 1024;
const pauseMs = { least: 100, most: 400 };

/**
 * Sends a request, and retries once if the connection failed or the server responded 5xx. Both attempts share the
 * timeout. A 429 is never retried: the limit is a daily one.
 */
export async function ask(question: Question, options: TransportOptions): Promise<Reply> {
  const endMs = options.clock.steadyMs() + options.timeoutMs;
  const first = await attempt(question, options, endMs).catch((error: unknown) => {
    if (error instanceof TimeoutError || !(error instanceof ConnectionError)) throw error;
    return error;
  });
  if (!(first instanceof ConnectionError) && first.status < 500) return first;
  const waitMs = pauseMs.least + options.random() * (pauseMs.most - pauseMs.least);
  if (options.clock.steadyMs() + waitMs < endMs) {
    await options.clock.sleep(waitMs);
    return attempt(question, options, endMs);
  }
  if (first instanceof ConnectionError) throw first;
  return first;
}

async function attempt(question: Question, options: TransportOptions, endMs: number): Promise<Reply> {
  const leftMs = Math.max(1, endMs - options.clock.steadyMs());
  const signal = AbortSignal.timeout(Math.ceil(leftMs));
  try {
    const response = await options.fetch(options.baseUrl + question.path, {
      method: question.method,
      headers: question.headers,
      // Redirects are rejected: the API key must not be sent elsewhere.
      redirect: "manual",
      signal,
      ...(question.body === undefined ? {} : { body: question.body }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: await wholeBody(response),
      requestId: response.headers.get("x-request-id"),
    };
  } catch (cause) {
    if (cause instanceof ConnectionError) throw cause;
    const to = new URL(options.baseUrl).host;
    if (signal.aborted) {
      const seconds = options.timeoutMs / 1_000;
      throw new TimeoutError(`No answer from ${to} within ${seconds} seconds.`, null, { cause });
    }
    throw new ConnectionError(`${to} cannot be reached: ${reason(cause)}.`, null, { cause });
  }
}

async function wholeBody(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > mostBytes) throw new ConnectionError("The answer is longer than any of this service.");
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
