// A service in which every request requires a license key, except for the health check and the webhook.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… COUNTERSIGN_WEBHOOK_SECRET=… PORT=8080 node service.js
import "reflect-metadata";
import {
  CountersignModule,
  License,
  LicenseGuard,
  type RequestLicense,
  SkipLicense,
  Webhook,
  WebhookGuard,
} from "@countersign/nestjs";
import { Countersign, type WebhookEvent } from "@countersign/node";
import { Controller, Get, HttpCode, Inject, Module, Post, UseGuards } from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";

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
  providers: [{ provide: APP_GUARD, useExisting: LicenseGuard }],
})
class ServiceModule {}

const app = await NestFactory.create(ServiceModule, { rawBody: true, logger: ["error", "warn"] });
app.enableShutdownHooks();
await app.listen(process.env.PORT ?? 8080, "127.0.0.1");
console.log(await app.getUrl());
