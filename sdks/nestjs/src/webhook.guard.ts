import type { WebhookEvent } from "@countersign/node";
import { readDelivery } from "@countersign/node/http";
import {
  BadRequestException,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  InternalServerErrorException,
} from "@nestjs/common";
import { type AnyRequest, type CountersignModuleOptions, optionsToken } from "./options.ts";

const events = new WeakMap<object, WebhookEvent>();

/**
 * Accepts only deliveries from Countersign. It needs the raw body: create the app with `{ rawBody: true }`, on Express
 * and Fastify.
 */
@Injectable()
export class WebhookGuard implements CanActivate {
  readonly #options: CountersignModuleOptions;

  constructor(@Inject(optionsToken) options: CountersignModuleOptions) {
    this.#options = options;
  }

  canActivate(context: ExecutionContext): boolean {
    const { webhook } = this.#options;
    if (webhook === undefined)
      throw new InternalServerErrorException("WebhookGuard requires the option webhook: { secret }.");
    const request = context.switchToHttp().getRequest<AnyRequest>();
    if (request.rawBody === undefined)
      throw new InternalServerErrorException(
        "WebhookGuard requires the raw body. Create the app with NestFactory.create(AppModule, { rawBody: true }).",
      );
    const { event, refusal } = readDelivery(request.rawBody, request.headers, webhook);
    if (refusal !== null) throw new BadRequestException(refusal.body);
    events.set(request, event);
    return true;
  }
}

/** The event that the guard has verified. */
export const Webhook: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext): WebhookEvent | null =>
    events.get(context.switchToHttp().getRequest<object>()) ?? null,
);
