import type { RequestLicense } from "@countersign/node/http";
import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  UseGuards,
} from "@nestjs/common";
import {
  LicenseGuard,
  licenseOf,
  type RequireLicenseOptions,
  requiredKey,
  skippedKey,
} from "./license.guard.ts";

/** Requires a valid license: on a method, or on a class for all of its methods. */
export function RequireLicense(options: RequireLicenseOptions = {}): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(requiredKey, options), UseGuards(LicenseGuard));
}

/** Requires no license, if a guard applies to the whole class or app. */
export function SkipLicense(): ClassDecorator & MethodDecorator {
  return SetMetadata(skippedKey, true);
}

/** The request's license, as found by the guard. */
export const License: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext): RequestLicense | null =>
    licenseOf(context.switchToHttp().getRequest<object>()),
);
