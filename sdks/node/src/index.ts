export { type CallOptions, Countersign, type Decision, type ValidateOptions } from "./client.ts";
export type { Clock } from "./clock.ts";
export {
  AuthenticationError,
  ConnectionError,
  CountersignError,
  type ErrorDetails,
  NotFoundError,
  RateLimitError,
  SandboxError,
  ServerError,
  SignatureError,
  type SignatureProblem,
  TimeoutError,
} from "./errors.ts";
export type { GraceStore, Release } from "./grace-store.ts";
export type { LicenseRecord } from "./license.ts";
export type { CountersignOptions, SigningOptions } from "./options.ts";
export type { RateLimit } from "./rate-limit.ts";
export type { Logger, RequestInfo, ResponseInfo } from "./reporter.ts";
export type {
  ActiveResult,
  CustomResponse,
  KnownStatus,
  OtherResult,
  OtherStatus,
  RejectedResult,
  RejectedStatus,
  ResultMembers,
  ValidateResult,
  ValidateStatus,
} from "./result.ts";
export { type SignedWebhook, type SignWebhookOptions, signWebhook, type TestEvent } from "./sign-webhook.ts";
export { type SignedRequest, signatureProblem } from "./signature.ts";
export { sdkVersion } from "./version.ts";
export { Watch, type WatchOptions } from "./watch.ts";
export type {
  ApprovedTransfer,
  CancelledTransfer,
  EndpointTest,
  EndpointTestData,
  EventLicense,
  EventOf,
  EventSummary,
  LicenseBulkRevoked,
  LicenseBulkRevokedData,
  LicenseCreated,
  LicenseCreatedData,
  LicenseDeleted,
  LicenseExpired,
  LicenseExpiringSoon,
  LicenseIpBlocked,
  LicenseIpLimitReached,
  LicenseIpRegistered,
  LicenseIpRegisteredData,
  LicenseIpRemoved,
  LicenseIpRemovedData,
  LicenseIpsReset,
  LicenseIpsResetData,
  LicenseReinstated,
  LicenseRenewed,
  LicenseRevoked,
  LicenseRevokedData,
  LicenseTransferCancelled,
  LicenseTransferCancelledData,
  LicenseTransferRejected,
  LicenseTransferRejectedData,
  LicenseTransferRequested,
  LicenseTransferRequestedData,
  LicenseTransferred,
  LicenseTransferredData,
  LicenseUpdated,
  LicenseUpdatedData,
  OtherEvent,
  OtherEventType,
  PendingTransfer,
  QuotaExhausted,
  QuotaWarning,
  QuotaWarningData,
  RejectedTransfer,
  TransferHolder,
  WebhookEvent,
  WebhookEventType,
} from "./webhook-events.ts";
export {
  type RawBody,
  type RequestHeaders,
  verifyWebhook,
  WebhookError,
  type WebhookOptions,
  type WebhookProblem,
} from "./webhooks.ts";
