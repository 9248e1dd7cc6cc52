import type { CountersignError } from "../errors.ts";
import type { CustomResponse } from "../result.ts";
import type { RequestLicense } from "./request-license.ts";

/** How to respond to a request that is not let in. */
export interface Refusal<Custom = CustomResponse> extends RequestLicense<Custom> {
  readonly allowed: false;
  readonly status: 401 | 403 | 429 | 500 | 503;
  /** `license_missing`, the verdict's status, `too_many_unknown_keys`, `license_misconfigured` or `license_unverified`. */
  readonly code: string;
  readonly message: string;
  /** By which the seller finds the request in the log. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Why there was no verdict. The same as `error`. */
  readonly cause: CountersignError | null;
  /** The default response's JSON. */
  readonly body: RefusalBody;
  /** The default response's headers, besides the content type. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface RefusalBody {
  readonly error: string;
  readonly message: string;
  readonly request_id?: string;
  readonly retry_after?: number;
}

/** The response for a license that is not allowed. */
export function refusalOf<Custom>(license: RequestLicense<Custom>): Refusal<Custom> {
  const { status, code, message } = reasonOf(license);
  const requestId = license.result?.requestId ?? license.error?.requestId ?? null;
  const retryAfterSeconds = status === 429 || status === 503 ? retryAfterOf(license.error) : null;
  return {
    ...license,
    allowed: false,
    status,
    code,
    message,
    requestId,
    retryAfterSeconds,
    cause: license.error,
    body: {
      error: code,
      message,
      ...(requestId === null ? {} : { request_id: requestId }),
      ...(retryAfterSeconds === null ? {} : { retry_after: retryAfterSeconds }),
    },
    headers: retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) },
  };
}

/** Whether only a change of the app's configuration helps. */
export function isMisconfiguration(error: CountersignError): boolean {
  // By name, because an app can contain the package twice, as ES module and as CommonJS.
  return error.name === "AuthenticationError" || error.name === "SandboxError";
}

function reasonOf({
  key,
  result,
  error,
}: RequestLicense<unknown>): Pick<Refusal, "status" | "code" | "message"> {
  if (result !== null)
    return {
      status: 403,
      code: result.status,
      message: `The license was rejected: ${result.status}.`,
    };
  if (key === null)
    return { status: 401, code: "license_missing", message: "This request requires a license key." };
  if (error?.name === "TooManyUnknownKeysError")
    return { status: 429, code: "too_many_unknown_keys", message: error.message };
  if (error !== null && isMisconfiguration(error))
    return {
      status: 500,
      code: "license_misconfigured",
      message: "The license could not be validated, because this service is misconfigured.",
    };
  return {
    status: 503,
    code: "license_unverified",
    message: "The license could not be validated. Try again later.",
  };
}

function retryAfterOf(error: (CountersignError & { readonly retryAfterSeconds?: unknown }) | null) {
  const seconds = error?.retryAfterSeconds;
  return typeof seconds === "number" ? seconds : null;
}
