import type { QuotaState } from "@countersign/store/batches/calls";
import { memoize } from "@countersign/store/batches/revisioned";
import { noSniffing } from "./response.ts";

/** Every response of the public API, in one place. */

const everyHeader = {
  ...noSniffing,
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
};

/** A verdict or a record. `problem` says what was wrong with the request, for the caller's developer. */
export function verdictResponse(
  body: string,
  requestId: string,
  quota: QuotaState,
  problem: string | null,
): Response {
  // Copying prebuilt headers and setting the rest is much cheaper than building all of them.
  const response = new Response(body, { headers: commonHeaders(quota.limit) });
  response.headers.set("x-request-id", requestId);
  if (quota.limit !== null) response.headers.set("ratelimit", rateLimit(quota));
  if (problem !== null) response.headers.set("x-countersign-problem", problem);
  return response;
}

/** Marks a response to a request with a test API key. */
export function asSandbox(response: Response): Response {
  response.headers.set("x-countersign-sandbox", "true");
  return response;
}

export function unauthorized(requestId: string): Response {
  return new Response(
    JSON.stringify({
      valid: false,
      status: "invalid_api_key",
      message: "Send an Authorization header with a product API key: Authorization: Bearer <API key>.",
    }),
    { status: 401, headers: { ...headers(requestId, null), "www-authenticate": "Bearer" } },
  );
}

export function limitReached(requestId: string, quota: QuotaState): Response {
  const { limit, resetSeconds: retryAfter } = quota;
  return new Response(
    JSON.stringify({
      valid: false,
      status: "rate_limit_exceeded",
      message: `The daily limit of ${limit} requests for this product is used up. It resets at midnight UTC.`,
      retry_after: retryAfter,
    }),
    { status: 429, headers: { ...headers(requestId, quota), "retry-after": String(retryAfter) } },
  );
}

export function licenseMissing(requestId: string, quota: QuotaState): Response {
  return new Response(
    JSON.stringify({
      message: "This product has no license with that key.",
      error: "Not Found",
      statusCode: 404,
    }),
    { status: 404, headers: headers(requestId, quota) },
  );
}

export function bodyTooLarge(requestId: string, quota: QuotaState | null, maxBytes: number): Response {
  // What follows on this connection is the rest of a body that nobody will read.
  return refusal(413, `The body is larger than ${maxBytes} bytes.`, requestId, quota, {
    connection: "close",
  });
}

export function bodyTooSlow(requestId: string, quota: QuotaState): Response {
  return refusal(408, "The body did not arrive in time.", requestId, quota, { connection: "close" });
}

/** Storage is unavailable. Nobody is granted access, and no license is reported as invalid. */
export function unavailable(requestId: string): Response {
  return new Response(
    JSON.stringify({
      valid: false,
      status: "unavailable",
      message: "The license service is temporarily unavailable. Try again shortly.",
    }),
    { status: 503, headers: { ...headers(requestId, null), "retry-after": "1" } },
  );
}

/** An unexpected error. The details are in the log; the caller does not see them. */
export function broken(requestId: string): Response {
  return refusal(
    500,
    "An unexpected error occurred on the server. Its log has the details.",
    requestId,
    null,
    {},
  );
}

export function noSuchPath(requestId: string): Response {
  return refusal(404, "This path does not exist.", requestId, null, {});
}

export function metricsTokenMissing(requestId: string): Response {
  const message = "Send COUNTERSIGN_METRICS_TOKEN: Authorization: Bearer <token>.";
  return refusal(401, message, requestId, null, { "www-authenticate": "Bearer" });
}

export function wrongMethod(requestId: string, allow: string): Response {
  return refusal(405, `This path only supports ${allow}.`, requestId, null, { allow });
}

export function options(requestId: string, allow: string): Response {
  return new Response(null, { status: 204, headers: { ...noSniffing, allow, "x-request-id": requestId } });
}

function refusal(
  statusCode: number,
  message: string,
  requestId: string,
  quota: QuotaState | null,
  extra: Record<string, string>,
): Response {
  return new Response(JSON.stringify({ message, error: reasons[statusCode], statusCode }), {
    status: statusCode,
    headers: { ...headers(requestId, quota), ...extra },
  });
}

const reasons: Record<number, string> = {
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  500: "Internal Server Error",
};

function headers(requestId: string, quota: QuotaState | null): Record<string, string> {
  const fields = { ...everyHeader, "x-request-id": requestId };
  if (quota === null || quota.limit === null) return fields;
  return { ...fields, "ratelimit-policy": rateLimitPolicy(quota.limit), ratelimit: rateLimit(quota) };
}

function commonHeaders(limit: number | null): Headers {
  return limit === null ? unlimitedHeaders : limitedHeaders(String(limit));
}

const unlimitedHeaders = new Headers(everyHeader);

const limitedHeaders = memoize(1_000, (limit) => {
  const fields = new Headers(unlimitedHeaders);
  fields.set("ratelimit-policy", rateLimitPolicy(limit));
  return fields;
});

function rateLimitPolicy(limit: number | string): string {
  return `"daily";q=${limit};w=86400`;
}

function rateLimit({ remaining, resetSeconds }: QuotaState): string {
  return `"daily";r=${remaining};t=${resetSeconds}`;
}
