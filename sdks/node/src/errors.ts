/** What an error tells about the response. The API key and the license key are removed from it. */
export interface ErrorDetails {
  readonly requestId?: string | null | undefined;
  readonly status?: number | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | null | undefined;
  readonly cause?: unknown;
}

/** Any reason for having no verdict. A rejected license is a result, never an error. */
export class CountersignError extends Error {
  override readonly name: string = "CountersignError";
  /** The server's `X-Request-Id`, by which the seller finds the request in the log. Null if there was no response. */
  readonly requestId: string | null;
  /** The HTTP status of the response; null if there was none. */
  readonly status: number | null;
  /** The headers of the response, with names in lower case; empty if there was none. */
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the response's body, at most 4 KiB; null if there was no response. */
  readonly body: string | null;

  constructor(message: string, { requestId, status, headers, body, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.requestId = requestId ?? null;
    this.status = status ?? null;
    this.headers = headers ?? {};
    this.body = body ?? null;
  }
}

/** The API key is missing, wrong or was rotated: fix the app's configuration. */
export class AuthenticationError extends CountersignError {
  override readonly name = "AuthenticationError";
}

/** Only thrown by `lookup`: the product has no such license. */
export class NotFoundError extends CountersignError {
  override readonly name = "NotFoundError";
}

/** The product's daily limit is used up. This process sends no further request until `resetAt`. */
export class RateLimitError extends CountersignError {
  override readonly name = "RateLimitError";
  readonly retryAfterSeconds: number;
  readonly resetAt: Date;

  constructor(message: string, retryAfterSeconds: number, resetAt: Date, details: ErrorDetails = {}) {
    super(message, details);
    this.retryAfterSeconds = retryAfterSeconds;
    this.resetAt = resetAt;
  }
}

/** The server's response was unusable. `status` is 0 for a redirect in a browser. */
export class ServerError extends CountersignError {
  override readonly name = "ServerError";
  declare readonly status: number;
  /** How long to wait before the next attempt, if the server says so. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, status: number, retryAfterSeconds: number | null, details: ErrorDetails = {}) {
    super(message, { ...details, status });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No response: no network, an unknown host name, a connection that was cut. */
export class ConnectionError extends CountersignError {
  override readonly name: string = "ConnectionError";
}

/** No response in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** The sandbox responded, or would have, but `allowSandbox` is not set. */
export class SandboxError extends CountersignError {
  override readonly name = "SandboxError";
  readonly code = "sandbox_not_allowed";

  constructor(message: string, details: ErrorDetails = {}) {
    super(`${message} Set allowSandbox to true in tests only.`, details);
  }
}

export type SignatureProblem = "missing" | "malformed" | "stale" | "nonce" | "mismatch";

/** The response was not signed with this product's secret, or not for this request. It must not be trusted. */
export class SignatureError extends CountersignError {
  override readonly name = "SignatureError";
  readonly reason: SignatureProblem;

  constructor(reason: SignatureProblem, details: ErrorDetails = {}) {
    super(`The response has no valid signature (${reason}), so it is not trusted.`, details);
    this.reason = reason;
  }
}
