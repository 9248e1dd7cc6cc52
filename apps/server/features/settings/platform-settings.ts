import { stateOf } from "@countersign/store/queries/admin/platform-state";
import type { Database } from "@countersign/store/store";

/** What the operator sets for payments. Read whenever it is needed, so that a change applies without a restart. */
export interface PaymentSettings {
  /** The ISO 4217 code of the currency of prices, in lower case. */
  readonly currency: string;
  /** Whom organizations ask about plans: an email address or a URL. */
  readonly contact: string | null;
  /** Whether Stripe calculates taxes. */
  readonly automaticTax: boolean;
}

export async function paymentSettings(db: Database): Promise<PaymentSettings> {
  return {
    currency: (await stateOf(db, "currency")) ?? "usd",
    contact: await stateOf(db, "billing_contact"),
    automaticTax: (await stateOf(db, "automatic_tax")) === "true",
  };
}
