import type {
  BillingInterval,
  PlanSource,
  SubscriptionStatus,
} from "@countersign/domain/billing/subscription";
import type { Plan } from "@countersign/domain/quota/limit";
import type { Flag, WithDefaults } from "./columns.ts";

/** Plans and payments. */
export interface BillingTables {
  plans: PlanRow;
  organization_billing: WithDefaults<
    OrganizationBillingRow,
    "plan_set_by" | "had_trial" | "notices_sent" | "sync_started" | "sync_applied"
  >;
  stripe_prices: StripePriceRow;
  stripe_events: StripeEventRow;
}

/** A plan, as the operator set it. Null limits do not apply. */
export interface PlanRow {
  id: Plan;
  name: string;
  /** Requests per product and day. */
  daily_limit: number | null;
  version_module: Flag;
  /** How many organizations a user can own, if this is the best plan of those. */
  organizations_per_user: number | null;
  max_products: number | null;
  max_licenses: number | null;
  max_members: number | null;
  max_webhooks: number | null;
  request_log_days: number | null;
  /** How long the audit log is kept; null for ever. */
  audit_log_days: number | null;
  /** In the smallest unit of the platform's currency; null if it is not sold by the month. */
  monthly_price: number | null;
  yearly_price: number | null;
  trial_days: number;
  updated_at: number;
}

/** How an organization pays. Without a row it never has. */
export interface OrganizationBillingRow {
  organization_id: string;
  plan_set_by: PlanSource;
  /** The operator's note about a plan that they set. */
  plan_note: string | null;
  stripe_customer_id: string | null;
  /** The subscription as it was last fetched from Stripe; all null without one. */
  subscription_id: string | null;
  subscription_status: SubscriptionStatus | null;
  subscription_plan: Plan | null;
  subscription_interval: BillingInterval | null;
  subscription_amount: number | null;
  subscription_currency: string | null;
  period_ends_at: number | null;
  /** When it ends because it was cancelled; null if it renews. */
  cancels_at: number | null;
  trial_ends_at: number | null;
  had_trial: Flag;
  grace_started_at: number | null;
  /** How many emails of the grace period were written. */
  notices_sent: number;
  /** The end of the plan that the email before it was about; null for none. */
  end_notice_for: number | null;
  /** When the billing clock has to do something next; null for never. */
  due_at: number | null;
  /** How many fetches from Stripe were started, and the last of them that was stored: an older one is discarded. */
  sync_started: number;
  sync_applied: number;
  synced_at: number | null;
  /** When to compare with Stripe next; null without a customer. */
  sync_due_at: number | null;
  updated_at: number;
}

/** A price in Stripe for a plan. */
export interface StripePriceRow {
  mode: "test" | "live";
  plan: Plan;
  interval_unit: BillingInterval;
  currency: string;
  amount: number;
  price_id: string;
}

/** An event from Stripe that was processed. */
export interface StripeEventRow {
  id: string;
  type: string;
  organization_id: string | null;
  received_at: number;
}
