import { Countersign, type CustomResponse } from "@countersign/node";
import { decidedLicense, LicenseDecider, type RequestLicense, refusalOf } from "@countersign/node/http";
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  InternalServerErrorException,
} from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { exceptionFor } from "./license.exception.ts";
import { nestLogger } from "./nest-logger.ts";
import { type AnyRequest, type CountersignModuleOptions, optionsToken } from "./options.ts";
import { userAgent } from "./version.ts";

export interface RequireLicenseOptions {
  /** The licensed app's version. */
  readonly version?: string;
}

export const requiredKey = Symbol("a license is required");
export const skippedKey = Symbol("no license is required");

/**
 * Accepts requests with a valid license. As a global guard, it requires a license everywhere except with
 * `@SkipLicense()`; `@RequireLicense()` applies it to a class or method.
 */
@Injectable()
export class LicenseGuard implements CanActivate {
  readonly #licenses: LicenseDecider<unknown, AnyRequest>;
  readonly #reflector: Reflector;

  constructor(
    @Inject(Countersign) client: Countersign<unknown>,
    @Inject(optionsToken) options: CountersignModuleOptions,
    @Inject(Reflector) reflector: Reflector,
  ) {
    const { key, address, unknownKeysPerMinute, logger = nestLogger } = options;
    this.#licenses = new LicenseDecider({ client, key, address, unknownKeysPerMinute, logger, userAgent });
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
    const http = context.switchToHttp();
    const version = required?.version;
    const overrides = version === undefined ? {} : { version };
    const license = await this.#licenses.decide(http.getRequest<AnyRequest>(), overrides);
    if (license.allowed) return true;
    const refusal = refusalOf(license);
    // Exceptions have no headers. Express and Fastify set one in the same way.
    const response = http.getResponse<{ header(name: string, value: string): unknown }>();
    for (const [name, value] of Object.entries(refusal.headers)) response.header(name, value);
    throw exceptionFor(refusal);
  }

  /** The nearest decorator wins: a skipped method in a class that requires a license, and vice versa. */
  #isSkipped(context: ExecutionContext): boolean {
    for (const target of [context.getHandler(), context.getClass()]) {
      if (this.#reflector.get(skippedKey, target) === true) return true;
      if (this.#reflector.get(requiredKey, target) !== undefined) return false;
    }
    return false;
  }
}

/**
 * The guard's result for a request; null if it has not run. An exception filter uses it, for example to respond with the
 * client's `portalUrl(key)`.
 */
export function licenseOf<Custom = CustomResponse>(request: object): RequestLicense<Custom> | null {
  return decidedLicense(request);
}
