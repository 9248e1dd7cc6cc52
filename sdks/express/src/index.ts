export type { Refusal, RefusalBody, RequestLicense } from "@countersign/node/http";
export type { KeySource } from "./key-source.ts";
export { getLicense, type LicenseOptions, licenseMiddleware, requireLicense } from "./license.ts";
export { webhookHandler } from "./webhook.ts";
