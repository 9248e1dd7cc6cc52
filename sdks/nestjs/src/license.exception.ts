import type { Refusal } from "@countersign/node/http";
import {
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from "@nestjs/common";

/** NestJS has no exception for 429. */
class TooManyRequestsException extends HttpException {
  constructor(body: object, options: { readonly cause?: unknown }) {
    super(body, 429, options);
  }
}

const exceptions = {
  401: UnauthorizedException,
  403: ForbiddenException,
  429: TooManyRequestsException,
  500: InternalServerErrorException,
  503: ServiceUnavailableException,
};

/** Its `cause` is the reason for having no verdict. */
export function exceptionFor({ status, body, cause }: Refusal<unknown>): HttpException {
  return new exceptions[status](body, cause === null ? {} : { cause });
}
