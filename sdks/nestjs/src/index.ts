export type { Refusal, RefusalBody, RequestLicense } from "@countersign/node/http";
export { CountersignModule } from "./countersign.module.ts";
export { License, RequireLicense, SkipLicense } from "./decorators.ts";
export { LicenseGuard, licenseOf, type RequireLicenseOptions } from "./license.guard.ts";
export type {
  AnyRequest,
  CountersignModuleAsyncOptions,
  CountersignModuleOptions,
  KeySource,
} from "./options.ts";
export { Webhook, WebhookGuard } from "./webhook.guard.ts";
