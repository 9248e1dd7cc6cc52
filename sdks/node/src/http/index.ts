export { log } from "./failure-log.ts";
export type { AnyRequest, KeySource } from "./key-source.ts";
export {
  decidedLicense,
  type LicenseClient,
  LicenseDecider,
  type LicenseDeciderOptions,
} from "./license-decider.ts";
export { type GateResult, licenseGate, type WebRequest, type WebResponse } from "./license-gate.ts";
export { type Refusal, type RefusalBody, refusalOf } from "./refusal.ts";
export type { RequestLicense } from "./request-license.ts";
export { errorFrom } from "./thrown.ts";
export { TooManyUnknownKeysError } from "./unknown-key-limit.ts";
export {
  maxWebhookBytes,
  readDelivery,
  type WebhookDelivery,
  type WebhookRefusal,
} from "./webhook-delivery.ts";
export { type WebhookRequest, webhookRoute } from "./webhook-route.ts";
