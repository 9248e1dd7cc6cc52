/** Any reason for having no verdict. A rejected license is a result, never an error. */
export class CountersignError extends Error {
  override readonly name: string = "CountersignError";
  /** The server's `X-Request-Id`, by which the seller finds the request in the log. Null if there was no response. */
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.requestId = requestId;
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

  constructor(message: string, retryAfterSeconds: number, resetAt: Date, requestId: string | null) {
    super(message, requestId);
    this.retryAfterSeconds = retryAfterSeconds;
    this.resetAt = resetAt;
  }
}

/** The server's response was unusable. */
export class ServerError extends CountersignError {
  override readonly name = "ServerError";
  readonly status: number;

  constructor(message: string, status: number, requestId: string | null) {
    super(message, requestId);
    this.status = status;
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

  constructor(message: string, requestId: string | null) {
    super(`${message} Set allowSandbox to true in tests only.`, requestId);
  }
}

export type SignatureProblem = "missing" | "malformed" | "stale" | "nonce" | "mismatch";

/** The response was not signed with this product's secret, or not for this request. It must not be trusted. */
export class SignatureError extends CountersignError {
  override readonly name = "SignatureError";
  readonly reason: SignatureProblem;

  constructor(reason: SignatureProblem, requestId: string | null) {
    super(`The response has no valid signature (${reason}), so it is not trusted.`, requestId);
    this.reason = reason;
  }
}
