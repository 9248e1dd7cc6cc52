export const checkoutResults = ["done", "cancelled"] as const;

export interface BillingSearch {
  /** How the user came back from the payment page. */
  readonly checkout?: (typeof checkoutResults)[number] | undefined;
}
