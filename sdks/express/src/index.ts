export type { KeySource } from "./key-source.ts";
export {
  getLicense,
  type LicenseOptions,
  licenseMiddleware,
  type Refusal,
  type RequestLicense,
  requireLicense,
} from "./license.ts";
export { webhookHandler } from "./webhook.ts";
