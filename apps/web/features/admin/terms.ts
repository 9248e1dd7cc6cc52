export const plans = ["free", "pro", "enterprise"] as const;
export const billingStates = ["active", "grace", "suspended", "cancelled"] as const;
