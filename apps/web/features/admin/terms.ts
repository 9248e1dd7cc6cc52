export const plans = ["free", "pro", "enterprise"] as const;
export const billingStates = ["active", "grace", "suspended", "cancelled"] as const;
export const suspensionStates = ["suspended", "notSuspended"] as const;
/** The limits of a plan that a platform admin can change for one organization. */
export const overrides = [
  "max_products_override",
  "max_licenses_override",
  "max_members_override",
  "max_webhooks_override",
  "request_log_days_override",
  "audit_log_days_override",
] as const;
export type Override = (typeof overrides)[number];
