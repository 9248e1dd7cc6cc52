/** Whatever keeps the client from giving a verdict. A license that is refused is a result, never an error. */
export class CountersignError extends Error {
  override readonly name: string = "CountersignError";
  /** The server's `X-Request-Id`: the seller finds the request in the log by it. Null when no answer came. */
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.requestId = requestId;
  }
}

/** The API key is missing, wrong or was rotated: something to set right where the app is configured. */
export class AuthenticationError extends CountersignError {
  override readonly name = "AuthenticationError";
}

/** Only `lookup` throws it: there is no such license under this product. */
export class NotFoundError extends CountersignError {
  override readonly name = "NotFoundError";
}

/** The product's daily limit is used up. Until `resetAt` no further call leaves this process. */
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

/** The server answered, and not with anything that can be used. */
export class ServerError extends CountersignError {
  override readonly name = "ServerError";
  readonly status: number;

  constructor(message: string, status: number, requestId: string | null) {
    super(message, requestId);
    this.status = status;
  }
}

/** No answer came: no network, a name that is not known, a connection that was cut. */
export class ConnectionError extends CountersignError {
  override readonly name: string = "ConnectionError";
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

export type SignatureProblem = "missing" | "malformed" | "stale" | "nonce" | "mismatch";

/** The answer was not signed by this product's secret, or not for this question. It must not be trusted. */
export class SignatureError extends CountersignError {
  override readonly name = "SignatureError";
  readonly reason: SignatureProblem;

  constructor(reason: SignatureProblem, requestId: string | null) {
    super(`The answer's signature is not right (${reason}), so it is not trusted.`, requestId);
    this.reason = reason;
  }
}
