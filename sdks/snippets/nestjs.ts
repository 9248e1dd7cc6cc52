import { CountersignModule, RequireLicense } from "@countersign/nestjs";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";

@Controller("reports")
class ReportsController {
  // The key is in the X-License-Key header of each request.
  @Get()
  @RequireLicense({ version: "1.0.0" })
  list() {
    return "Licensed.";
  }
}

@Module({
  imports: [
    CountersignModule.forRoot({
      apiKey: process.env.COUNTERSIGN_API_KEY,
      baseUrl: "https://license.example.com",
    }),
  ],
  controllers: [ReportsController],
})
class AppModule {}

const app = await NestFactory.create(AppModule);
await app.listen(process.env.PORT ?? 8080);
