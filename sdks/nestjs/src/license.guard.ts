import { Countersign, type Decision } from "@countersign/node";
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { keyOf } from "./key-of.ts";
import { type AnyRequest, type CountersignModuleOptions, optionsToken } from "./options.ts";

/** The result for a request's license. */
export interface RequestLicense extends Decision {
  readonly key: string | null;
}

export interface RequireLicenseOptions {
  /** The licensed app's version. */
  readonly version?: string;
}

export const requiredKey = Symbol("a license is required");
export const skippedKey = Symbol("no license is required");

interface CheckedLicense {
  readonly license: RequestLicense;
  readonly requestKey: string;
}

const licenses = new WeakMap<object, CheckedLicense>();

/**
 * Accepts requests with a valid license. As a global guard, it requires a license everywhere except with
 * `@SkipLicense()`; `@RequireLicense()` applies it to a class or method.
 */
@Injectable()
export class LicenseGuard implements CanActivate {
  readonly #client: Countersign;
  readonly #options: CountersignModuleOptions;
  readonly #reflector: Reflector;

  constructor(
    @Inject(Countersign) client: Countersign,
    @Inject(optionsToken) options: CountersignModuleOptions,
    @Inject(Reflector) reflector: Reflector,
  ) {
    this.#client = client;
    this.#options = options;
    this.#reflector = reflector;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const required = this.#reflector.getAllAndOverride<RequireLicenseOptions>(requiredKey, targets);
    if (this.#isSkipped(context)) return true;
    if (context.getType() !== "http")
      throw new InternalServerErrorException(
        "LicenseGuard reads keys from HTTP requests. Add @SkipLicense() to handlers of other transports.",
      );
    const request = context.switchToHttp().getRequest<AnyRequest>();
    const { key, allowed, result } = await this.#license(request, required?.version);
    if (allowed) return true;
    if (key === null)
      throw new UnauthorizedException({
        error: "license_missing",
        message: "This request requires a license key.",
      });
    if (result === null)
      throw new ServiceUnavailableException({
        error: "license_unverified",
        message: "The license could not be validated. Try again later.",
      });
    throw new ForbiddenException({
      error: result.status,
      message: `The license was rejected: ${result.status}.`,
    });
  }

  /** The nearest decorator wins: a skipped method in a class that requires a license, and vice versa. */
  #isSkipped(context: ExecutionContext): boolean {
    for (const target of [context.getHandler(), context.getClass()]) {
      if (this.#reflector.get(skippedKey, target) === true) return true;
      if (this.#reflector.get(requiredKey, target) !== undefined) return false;
    }
    return false;
  }

  async #license(request: AnyRequest, version: string | undefined): Promise<RequestLicense> {
    const key = await keyOf(request, this.#options.key);
    // Guards of the app, the class and the method can all apply to one request.
    const requestKey = JSON.stringify([key, version]);
    const known = licenses.get(request);
    if (known?.requestKey === requestKey) return known.license;
    const decision: Decision =
      key === null
        ? { allowed: false, result: null, error: null }
        : await this.#client.check(key, version === undefined ? {} : { version });
    const license = { key, ...decision };
    licenses.set(request, { license, requestKey });
    return license;
  }
}

/**
 * The guard's result for a request; null if it has not run. An exception filter uses it, for example to respond with the
 * client's `portalUrl(key)`.
 */
export function licenseOf(request: object): RequestLicense | null {
  return licenses.get(request)?.license ?? null;
}
