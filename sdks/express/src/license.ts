import type { Countersign, CountersignError, Decision, ValidateResult } from "@countersign/node";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { type KeySource, keyOf, usualSource } from "./key-source.ts";

export interface LicenseOptions {
  readonly client: Countersign;
  /** Where the key is. The header `X-License-Key` when left out. */
  readonly key?: KeySource;
  /** The version of the app that is licensed, or how a request tells it. */
  readonly version?: string | ((request: Request) => string | undefined);
  readonly deviceId?: (request: Request) => string | undefined;
  /** Answers those who are not let in. A JSON problem when left out. */
  readonly onRefused?: (refusal: Refusal, request: Request, response: Response, next: NextFunction) => void;
}

/** What a request's license was found to be. */
export interface RequestLicense {
  readonly key: string | null;
  readonly allowed: boolean;
  /** Null when there was no key, or no verdict. */
  readonly result: ValidateResult | null;
  readonly error: CountersignError | null;
}

export interface Refusal extends RequestLicense {
  /** 401 without a key, 403 for a license that is refused, 503 when no verdict could be had. */
  readonly status: 401 | 403 | 503;
  /** `license_missing`, the verdict's status, or `license_unverified`. */
  readonly code: string;
  readonly message: string;
}

interface Found {
  readonly license: RequestLicense;
  readonly asked: string;
  readonly client: Countersign;
}

const licenses = new WeakMap<Request, Found>();

/** Finds out about each request's license and lets every request go on: `getLicense(request)` tells what was found. */
export function licenseMiddleware(options: LicenseOptions): RequestHandler {
  return (request, _response, next) => {
    attach(request, options).then(() => next(), next);
  };
}

/** Lets only those go on who come with a valid license. */
export function requireLicense(options: LicenseOptions): RequestHandler {
  return (request, response, next) => {
    attach(request, options).then((license) => {
      if (license.allowed) return next();
      const refusal = refusalOf(license);
      if (options.onRefused !== undefined) return options.onRefused(refusal, request, response, next);
      response.status(refusal.status).json({ error: refusal.code, message: refusal.message });
    }, next);
  };
}

/** What the middleware found. Null where none has looked. */
export function getLicense(request: Request): RequestLicense | null {
  return licenses.get(request)?.license ?? null;
}

async function attach(request: Request, options: LicenseOptions): Promise<RequestLicense> {
  const key = await keyOf(request, options.key ?? usualSource);
  const details = about(request, options);
  // One that was found a moment ago, by a middleware before this one, need not be asked for again.
  const asked = JSON.stringify([key, details]);
  const known = licenses.get(request);
  if (known?.asked === asked && known.client === options.client) return known.license;
  const decision: Decision =
    key === null ? { allowed: false, result: null, error: null } : await options.client.check(key, details);
  const license = { key, ...decision };
  licenses.set(request, { license, asked, client: options.client });
  return license;
}

function about(request: Request, { version, deviceId }: LicenseOptions) {
  const told = typeof version === "function" ? version(request) : version;
  const device = deviceId?.(request);
  return {
    ...(told === undefined ? {} : { version: told }),
    ...(device === undefined ? {} : { deviceId: device }),
  };
}

function refusalOf(license: RequestLicense): Refusal {
  const { key, result } = license;
  if (key === null)
    return { ...license, status: 401, code: "license_missing", message: "A license key is needed." };
  if (result === null)
    return {
      ...license,
      status: 503,
      code: "license_unverified",
      message: "The license could not be checked. Try again later.",
    };
  return {
    ...license,
    status: 403,
    code: result.status,
    message: `The license is not accepted: ${result.status}.`,
  };
}
