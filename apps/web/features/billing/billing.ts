import { paymentOf } from "@countersign/domain/billing/subscription";
import type { Answer } from "../../api/client.ts";
import type { Plan, PlanId } from "../../session/plan.ts";

export type Billing = Answer<"getBilling">;
export type Interval = "month" | "year";

/** Whether a subscription is paid or overdue. Otherwise there is none, or it has ended. */
export function isSubscribed({ subscription }: Pick<Billing, "subscription">): boolean {
  return subscription !== null && paymentOf(subscription.status) !== "none";
}

/** Whether the plan of a subscription is paid for, so that a checkout has succeeded. */
export function isPaid({ subscription, plan_set_by }: Billing): boolean {
  return subscription !== null && paymentOf(subscription.status) === "paid" && plan_set_by === "subscription";
}

/** Whether nothing is limited and no subscription can change that, as for users who run the server for themselves. */
export function isUnlimited(billing: Billing, dailyLimit: number | null): boolean {
  return (
    dailyLimit === null &&
    billing.version_checks.included &&
    billing.limits.every(({ limit }) => limit === null) &&
    !isSubscribed(billing) &&
    billing.plan_ends_at === null &&
    billing.billing_state === "active"
  );
}

/** Whether the operator decides on the plan. Free by hand does not prevent a subscription. */
export function isSetByOperator({ plan_set_by, plan }: Pick<Billing, "plan_set_by" | "plan">): boolean {
  return plan_set_by === "operator" && plan !== "free";
}

/** What there is to say first, the most urgent alone. Null if all is well. */
type BillingNotice = "suspended" | "grace" | "incomplete" | "cancels" | "planEnds" | "ended";

export function noticeOf(billing: Billing): BillingNotice | null {
  const { billing_state: state, subscription } = billing;
  if (state === "suspended" || state === "grace") return state;
  if (subscription?.status === "incomplete") return "incomplete";
  if (isSubscribed(billing) && subscription?.cancels_at != null) return "cancels";
  if (billing.plan_ends_at !== null) return "planEnds";
  return state === "cancelled" ? "ended" : null;
}

/** Which date of the subscription matters next. Null if there is none. */
export function nextDateOf(
  billing: Billing,
): { readonly what: "ends" | "trialEnds" | "nextPayment"; readonly at: string } | null {
  const { subscription } = billing;
  if (subscription === null || !isSubscribed(billing)) return null;
  if (subscription.cancels_at !== null) return { what: "ends", at: subscription.cancels_at };
  if (subscription.status === "trialing" && subscription.trial_ends_at !== null)
    return { what: "trialEnds", at: subscription.trial_ends_at };
  // An overdue payment is not a next one.
  if (subscription.period_ends_at === null || subscription.status !== "active") return null;
  return { what: "nextPayment", at: subscription.period_ends_at };
}

/** The price of a plan for an interval, or else for the only one that it is sold for. */
export function offerOf(
  plan: Pick<Plan, "monthly_price" | "yearly_price">,
  wanted: Interval,
): { readonly interval: Interval; readonly price: number } | null {
  const prices = { month: plan.monthly_price, year: plan.yearly_price };
  const interval = prices[wanted] !== null ? wanted : wanted === "year" ? "month" : "year";
  const price = prices[interval];
  return price === null ? null : { interval, price };
}

/** How much a year costs less than twelve months. 0 if it does not. */
export function yearlySaving({
  monthly_price: monthly,
  yearly_price: yearly,
}: Pick<Plan, "monthly_price" | "yearly_price">): number {
  return monthly === null || yearly === null ? 0 : Math.max(0, monthly * 12 - yearly);
}

/** What the button of a plan does. Null for none. */
type PlanAction = "upgrade" | "switch" | "ask" | null;

/** Plans are in ascending order. */
export function planActionOf(plan: Plan, plans: readonly Plan[], billing: Billing): PlanAction {
  const rank = (id: PlanId) => plans.findIndex((one) => one.plan === id);
  if (plan.plan === billing.plan) return null;
  const isHigher = rank(plan.plan) > rank(billing.plan);
  // In the payment account, a subscription can be changed to any plan that is sold, or canceled.
  if (isSubscribed(billing)) return plan.can_be_bought || !isHigher ? "switch" : "ask";
  if (!isHigher) return null;
  return plan.can_be_bought ? "upgrade" : "ask";
}

/** A link to the operator's contact, which is an email address or a URL. Null for anything else. */
export function contactHref(contact: string | null): string | null {
  if (contact === null) return null;
  if (/^https?:\/\//i.test(contact)) return contact;
  return /^[^\s@/]+@[^\s@/]+$/.test(contact) ? `mailto:${contact}` : null;
}
