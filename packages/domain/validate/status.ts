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

/** Every outcome in the request log: those of validations, then those of lookups, then requests that were not read. */
export const requestOutcomes = [
  ...validateStatuses.filter((status) => status !== "invalid_api_key"),
  "found",
  "not_found",
  "body_too_large",
  "body_timeout",
] as const;

export type RequestOutcome = (typeof requestOutcomes)[number];

/** Whether a request with this outcome was refused: neither an active license nor a lookup that found one. */
export function isRefused(outcome: string): boolean {
  return outcome !== "active" && outcome !== "found";
}
