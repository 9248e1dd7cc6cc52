// A service in which every request requires a license key, except for the health check and the webhook. Customers can
// solve some rejections themselves, and get a link to the portal.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… COUNTERSIGN_WEBHOOK_SECRET=… PORT=8080 node service.js
import "reflect-metadata";
import {
  CountersignModule,
  License,
  LicenseGuard,
  licenseOf,
  type RequestLicense,
  SkipLicense,
  Webhook,
  WebhookGuard,
} from "@countersign/nestjs";
import { Countersign, type WebhookEvent } from "@countersign/node";
import {
  type ArgumentsHost,
  Catch,
  Controller,
  ForbiddenException,
  Get,
  HttpCode,
  Inject,
  Module,
  Post,
  UseGuards,
} from "@nestjs/common";
import { APP_FILTER, APP_GUARD, BaseExceptionFilter, NestFactory } from "@nestjs/core";

@Controller()
class ServiceController {
  constructor(@Inject(Countersign) private readonly countersign: Countersign) {}

  @Get("health")
  @SkipLicense()
  health() {
    return { healthy: true };
  }

  @Get("forecast")
  forecast(@License() license: RequestLicense) {
    const days = license.result?.custom?.plan === "pro" ? 14 : 3;
    return { days, expires: license.result?.expires ?? null };
  }

  @Post("countersign")
  @HttpCode(204)
  @SkipLicense()
  @UseGuards(WebhookGuard)
  handleEvent(@Webhook() event: WebhookEvent) {
    // Cached results may be outdated: the next request validates again.
    if (event.type.startsWith("license.")) this.countersign.forget();
  }
}

const solvedInPortal = ["expired", "ip_limit_reached", "ip_not_registered"];

/** Adds the portal's page to rejections that customers solve there. */
@Catch(ForbiddenException)
class PortalFilter extends BaseExceptionFilter<ForbiddenException> {
  constructor(@Inject(Countersign) private readonly countersign: Countersign) {
    super();
  }

  override catch(exception: ForbiddenException, host: ArgumentsHost) {
    const license = licenseOf(host.switchToHttp().getRequest());
    const status = license?.result?.status ?? "";
    if (!license?.key || !solvedInPortal.includes(status)) return super.catch(exception, host);
    // The URL contains the key: it belongs only in the response to the request that sent that key.
    const portalUrl = this.countersign.portalUrl(license.key);
    const body = { ...Object(exception.getResponse()), portal_url: portalUrl };
    super.catch(new ForbiddenException(body), host);
  }
}

@Module({
  imports: [
    // The URL and the API key come from the environment.
    CountersignModule.forRootAsync({
      useFactory: () => ({
        version: "2.0.0",
        webhook: { secret: process.env.COUNTERSIGN_WEBHOOK_SECRET },
      }),
    }),
  ],
  controllers: [ServiceController],
  providers: [
    { provide: APP_GUARD, useExisting: LicenseGuard },
    { provide: APP_FILTER, useClass: PortalFilter },
  ],
})
class ServiceModule {}

const app = await NestFactory.create(ServiceModule, { rawBody: true, logger: ["error", "warn"] });
app.enableShutdownHooks();
await app.listen(process.env.PORT ?? 8080, "127.0.0.1");
console.log(await app.getUrl());
