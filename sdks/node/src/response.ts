import { textOf } from "./bytes.ts";
import type { ErrorDetails } from "./errors.ts";
import { parsed } from "./json.ts";
import { type RateLimit, readRateLimit } from "./rate-limit.ts";
import { type Redact, shownBody } from "./redaction.ts";
import { retryAfterSeconds } from "./retry-after.ts";

/** A response of the API, completely received. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly requestId: string | null;
}

/** Why a Countersign refuses requests, by HTTP status. */
const refusals: Readonly<Record<number, string>> = { 401: "invalid_api_key", 429: "rate_limit_exceeded" };

/** Whether a 401 or 429 is from a Countersign. A proxy or firewall in front of it sends others. */
export function isRefusal({ status, body }: ApiResponse): boolean {
  const refusal = refusals[status];
  return refusal !== undefined && parsed(textOf(body))?.status === refusal;
}

export function isFromSandbox({ headers }: ApiResponse): boolean {
  return headers.get("x-countersign-sandbox") === "true";
}

export function rateLimitOf({ headers }: ApiResponse): RateLimit | null {
  return readRateLimit(headers.get("ratelimit-policy"), headers.get("ratelimit"));
}

export function retryAfterOf({ headers }: ApiResponse, nowMs: number): number | null {
  return retryAfterSeconds(headers.get("retry-after"), headers.get("date"), nowMs);
}

/** What an error shows of the response. */
export function detailsOf({ status, headers, body, requestId }: ApiResponse, redact: Redact): ErrorDetails {
  const shown: Record<string, string> = {};
  headers.forEach((value, name) => {
    shown[name.toLowerCase()] = redact(value);
  });
  return { requestId, status, headers: Object.freeze(shown), body: shownBody(textOf(body), redact) };
}
