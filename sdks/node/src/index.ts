export { Countersign, type Decision, type ValidateOptions } from "./client.ts";
export type { Clock } from "./clock.ts";
export { deviceId } from "./device.ts";
export {
  AuthenticationError,
  ConnectionError,
  CountersignError,
  NotFoundError,
  RateLimitError,
  SandboxError,
  ServerError,
  SignatureError,
  type SignatureProblem,
  TimeoutError,
} from "./errors.ts";
export { FileGraceStore } from "./file-grace-store.ts";
export type { GraceStore } from "./grace.ts";
export type { LicenseRecord } from "./license.ts";
export type { CountersignOptions, SigningOptions } from "./options.ts";
export type { KnownStatus, ValidateResult, ValidateStatus } from "./result.ts";
export { type SignedRequest, signatureProblem } from "./signature.ts";
export { Watch, type WatchOptions } from "./watch.ts";
export {
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookOptions,
  type WebhookProblem,
} from "./webhooks.ts";
