import type { CustomResponse } from "@countersign/node";
import {
  type AnyRequest,
  decidedLicense,
  errorFrom,
  LicenseDecider,
  type LicenseDeciderOptions,
  log,
  type Refusal,
  type RequestLicense,
  refusalOf,
} from "@countersign/node/http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { userAgent } from "./version.ts";

export interface LicenseOptions<Custom = CustomResponse>
  extends Omit<LicenseDeciderOptions<Custom, Request>, "userAgent"> {
  /**
   * Responds to rejected requests. Defaults to `refusal.body` as JSON. For rejections that customers solve themselves,
   * respond with `client.portalUrl(refusal.key)`. If it fails, the error reaches the app's error handler.
   */
  readonly onRefused?:
    | ((refusal: Refusal<Custom>, request: Request, response: Response, next: NextFunction) => unknown)
    | undefined;
}

/** Validates each request's license and lets every request continue: `getLicense(request)` returns the result. */
export function licenseMiddleware<Custom>(options: LicenseOptions<Custom>): RequestHandler {
  const licenses = new LicenseDecider({ ...options, userAgent });
  return (request, _response, next) => {
    licenses.decide(request).then(() => next(), fail(next));
  };
}

/** Lets only requests with a valid license continue. */
export function requireLicense<Custom>(options: LicenseOptions<Custom>): RequestHandler {
  const licenses = new LicenseDecider({ ...options, userAgent });
  return (request, response, next) => {
    licenses
      .decide(request)
      .then((license) => (license.allowed ? next() : refuse(license, options, request, response, next)))
      .catch(fail(next));
  };
}

/** The result of the middleware. Null if none has run. `Custom` is the type of the product's custom response. */
export function getLicense<Custom = CustomResponse>(request: AnyRequest): RequestLicense<Custom> | null {
  return decidedLicense(request);
}

async function refuse<Custom>(
  license: RequestLicense<Custom>,
  { onRefused = sendRefusal, logger = console }: LicenseOptions<Custom>,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  let hasContinued = false;
  const nextOnce: NextFunction = (argument?: unknown) => {
    hasContinued = true;
    next(argument);
  };
  try {
    await onRefused(refusalOf(license), request, response, nextOnce);
  } catch (thrown) {
    const error = errorFrom(thrown, "onRefused");
    // The app already continues with this request, which must not happen twice.
    if (hasContinued) log(logger, "error", "onRefused failed after it had called next().", { error });
    else next(error);
  }
}

/** Never calls `next` without an error: that would let the request in. */
function fail(next: NextFunction): (thrown: unknown) => void {
  return (thrown) => next(errorFrom(thrown, "The validation of the license"));
}

function sendRefusal(
  { status, headers, body }: Refusal<unknown>,
  _request: Request,
  response: Response,
): void {
  response.status(status).set(headers).json(body);
}
