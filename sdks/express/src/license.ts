import type { Countersign, CountersignError, Decision, ValidateResult } from "@countersign/node";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { defaultSource, type KeySource, keyOf } from "./key-source.ts";

export interface LicenseOptions {
  readonly client: Countersign;
  /** Where to find the key. Defaults to the `X-License-Key` header. */
  readonly key?: KeySource;
  /** The licensed app's version, or how to get it from a request. */
  readonly version?: string | ((request: Request) => string | undefined);
  readonly deviceId?: (request: Request) => string | undefined;
  /**
   * Responds to rejected requests. Defaults to a JSON problem. For rejections that customers solve themselves, respond
   * with `client.portalUrl(refusal.key)`.
   */
  readonly onRefused?: (refusal: Refusal, request: Request, response: Response, next: NextFunction) => void;
}

/** The result for a request's license. */
export interface RequestLicense {
  readonly key: string | null;
  readonly allowed: boolean;
  /** Null if there was no key, or no verdict. */
  readonly result: ValidateResult | null;
  readonly error: CountersignError | null;
}

export interface Refusal extends RequestLicense {
  /** 401 without a key, 403 for a rejected license, 503 without a verdict. */
  readonly status: 401 | 403 | 503;
  /** `license_missing`, the verdict's status, or `license_unverified`. */
  readonly code: string;
  readonly message: string;
}

interface CheckedLicense {
  readonly license: RequestLicense;
  readonly requestKey: string;
  readonly client: Countersign;
}

const licenses = new WeakMap<Request, CheckedLicense>();

/** Validates each request's license and lets every request continue: `getLicense(request)` returns the result. */
export function licenseMiddleware(options: LicenseOptions): RequestHandler {
  return (request, _response, next) => {
    attach(request, options).then(() => next(), next);
  };
}

/** Lets only requests with a valid license continue. */
export function requireLicense(options: LicenseOptions): RequestHandler {
  return (request, response, next) => {
    attach(request, options)
      .then((license) => {
        if (license.allowed) return next();
        const refusal = refusalOf(license);
        if (options.onRefused !== undefined) return options.onRefused(refusal, request, response, next);
        response.status(refusal.status).json({ error: refusal.code, message: refusal.message });
      })
      // Also errors of onRefused, which would otherwise end the process.
      .catch(next);
  };
}

/** The result of the middleware. Null if none has run. */
export function getLicense(request: Request): RequestLicense | null {
  return licenses.get(request)?.license ?? null;
}

async function attach(request: Request, options: LicenseOptions): Promise<RequestLicense> {
  const key = await keyOf(request, options.key ?? defaultSource);
  const details = validateOptions(request, options);
  // A result from an earlier middleware is reused.
  const requestKey = JSON.stringify([key, details]);
  const known = licenses.get(request);
  if (known?.requestKey === requestKey && known.client === options.client) return known.license;
  const decision: Decision =
    key === null ? { allowed: false, result: null, error: null } : await options.client.check(key, details);
  const license = { key, ...decision };
  licenses.set(request, { license, requestKey, client: options.client });
  return license;
}

function validateOptions(request: Request, { version, deviceId }: LicenseOptions) {
  const appVersion = typeof version === "function" ? version(request) : version;
  const device = deviceId?.(request);
  return {
    ...(appVersion === undefined ? {} : { version: appVersion }),
    ...(device === undefined ? {} : { deviceId: device }),
  };
}

function refusalOf(license: RequestLicense): Refusal {
  const { key, result } = license;
  if (key === null)
    return {
      ...license,
      status: 401,
      code: "license_missing",
      message: "This request requires a license key.",
    };
  if (result === null)
    return {
      ...license,
      status: 503,
      code: "license_unverified",
      message: "The license could not be validated. Try again later.",
    };
  return {
    ...license,
    status: 403,
    code: result.status,
    message: `The license was rejected: ${result.status}.`,
  };
}
