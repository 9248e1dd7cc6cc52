/** Every value of `status` in a response, in order of precedence. */
export const validateStatuses = [
  "invalid_api_key",
  "rate_limit_exceeded",
  "product_not_found",
  "org_suspended",
  "billing_suspended",
  "product_archived",
  "product_disabled",
  "license_not_found",
  "revoked",
  "expired",
  "ip_blocked",
  "ip_not_registered",
  "ip_limit_reached",
  "version_not_allowed",
  "active",
] as const;

export type ValidateStatus = (typeof validateStatuses)[number];

/** The outcomes of `decide`; the other two end a request before it is decided. */
export type Outcome = Exclude<ValidateStatus, "invalid_api_key" | "rate_limit_exceeded">;
