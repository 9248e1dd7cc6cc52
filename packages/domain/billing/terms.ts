import { dayMs } from "../dates/lengths.ts";
import type { BillingState, Plan } from "../quota/limit.ts";
import { type PlanSource, paymentOf, type Subscription } from "./subscription.ts";

export const graceDays = 7;
/** On which days of the grace period its emails are written, the first when it starts. */
const noticeDays = [0, 3, 6] as const;
/** How long before the end of a plan its email is written. */
const planEndNoticeDays = 3;

/** An organization's plan and payment state, and the times at which the clock changes them. */
export interface BillingTerms {
  readonly plan: Plan;
  readonly planSetBy: PlanSource;
  /** When the plan that the operator set ends; null for never. */
  readonly planEndsAtMs: number | null;
  readonly state: BillingState;
  /** Not null while the state is `grace`. */
  readonly graceStartedAtMs: number | null;
  readonly graceEndsAtMs: number | null;
  /** How many emails of the grace period were written or are no longer due. */
  readonly noticesSent: number;
  /** The end of the plan that an email was written about before; another end gets another email. Null for none. */
  readonly endNoticeForMs: number | null;
}

/** The same terms in another state. A grace period that goes on keeps its end. */
export function inState(terms: BillingTerms, state: BillingState, nowMs: number): BillingTerms {
  if (state === terms.state) return terms;
  const isGrace = state === "grace";
  return {
    ...terms,
    state,
    graceStartedAtMs: isGrace ? nowMs : null,
    graceEndsAtMs: isGrace ? nowMs + graceDays * dayMs : null,
    noticesSent: 0,
  };
}

/**
 * The terms that follow from the subscription as it is now. A plan that the operator set stays until it ends. An overdue
 * payment starts a grace period, or lets the current one or the suspension go on.
 */
export function withSubscription(
  terms: BillingTerms,
  subscription: Subscription | null,
  nowMs: number,
): BillingTerms {
  if (holdsPlan(terms)) return terms;
  const payment = subscription === null ? "none" : paymentOf(subscription.status);
  const plan = subscription?.plan ?? null;
  if (plan === null || payment === "none") return ended(terms, nowMs);
  const subscribed = { ...terms, plan, planSetBy: "subscription", planEndsAtMs: null } as const;
  if (payment === "paid") return inState(subscribed, "active", nowMs);
  // A plan that was never paid for is not granted because a payment for it failed.
  if (terms.planSetBy !== "subscription") return terms;
  return terms.state === "suspended" ? subscribed : inState(subscribed, "grace", nowMs);
}

/** Without a subscription, an organization that had one is on Free. */
function ended(terms: BillingTerms, nowMs: number): BillingTerms {
  if (terms.planSetBy !== "subscription") return terms;
  return inState({ ...terms, plan: "free", planSetBy: "default" }, "cancelled", nowMs);
}

/** Whether the operator set a plan by hand, which no subscription changes. Free by hand is as good as none. */
export function holdsPlan({ planSetBy, plan }: Pick<BillingTerms, "planSetBy" | "plan">): boolean {
  return planSetBy === "operator" && plan !== "free";
}

/** What the clock does at a time: everything that is due, in one step, also after a downtime. */
export interface ClockStep {
  readonly terms: BillingTerms;
  /** Which email of the grace period to write, counted from 0: only the latest that is due. Null for none. */
  readonly notice: number | null;
  readonly wasSuspended: boolean;
  /** The end of the plan to write an email about before; null for none. */
  readonly endingAtMs: number | null;
  readonly planEnded: boolean;
}

/** After a plan that the operator set, a subscription that was paid all the while takes over; otherwise Free. */
export function clockStep(
  terms: BillingTerms,
  nowMs: number,
  subscription: Subscription | null = null,
): ClockStep {
  const { planEndsAtMs } = terms;
  const planEnded = planEndsAtMs !== null && planEndsAtMs <= nowMs;
  const noticeAtMs = planEndNoticeAt(terms, subscription);
  const isNoticeDue = !planEnded && noticeAtMs !== null && noticeAtMs <= nowMs;
  const endsAtMs = isNoticeDue ? planEndOf(terms, subscription) : null;
  const afterPlan = planEnded
    ? withSubscription(withoutOperatorsPlan(terms), subscription, nowMs)
    : { ...terms, endNoticeForMs: endsAtMs ?? terms.endNoticeForMs };
  // Too late for an email about an end that is over.
  const endingAtMs = endsAtMs !== null && endsAtMs > nowMs ? endsAtMs : null;
  return { ...graceStep(afterPlan, nowMs), endingAtMs, planEnded };
}

/** The terms once the plan has ended, if nothing changes until then. */
export function afterPlanEnd(
  terms: BillingTerms,
  subscription: Subscription | null,
  endsAtMs: number,
): BillingTerms {
  return terms.planEndsAtMs === null
    ? withSubscription(terms, null, endsAtMs)
    : clockStep(terms, endsAtMs, subscription).terms;
}

function withoutOperatorsPlan(terms: BillingTerms): BillingTerms {
  return { ...terms, plan: "free", planSetBy: "default", planEndsAtMs: null, endNoticeForMs: null };
}

function graceStep(terms: BillingTerms, nowMs: number): Pick<ClockStep, "terms" | "notice" | "wasSuspended"> {
  const { state, graceStartedAtMs, graceEndsAtMs } = terms;
  const nothing = { terms, notice: null, wasSuspended: false };
  if (state !== "grace" || graceStartedAtMs === null || graceEndsAtMs === null) return nothing;
  if (graceEndsAtMs <= nowMs)
    return { terms: inState(terms, "suspended", nowMs), notice: null, wasSuspended: true };
  const due = noticeDays.filter((day) => graceStartedAtMs + day * dayMs <= nowMs).length;
  if (due <= terms.noticesSent) return nothing;
  return { terms: { ...terms, noticesSent: due }, notice: due - 1, wasSuspended: false };
}

/** When the plan ends: one that the operator set, or a subscription that was cancelled. Null if it does not. */
function planEndOf(terms: BillingTerms, subscription: Subscription | null): number | null {
  if (terms.planSetBy !== "subscription") return terms.planEndsAtMs;
  if (subscription === null || paymentOf(subscription.status) === "none") return null;
  return subscription.cancelsAtMs;
}

/** Null if the plan does not end, or its email was written. */
function planEndNoticeAt(terms: BillingTerms, subscription: Subscription | null): number | null {
  const endsAtMs = planEndOf(terms, subscription);
  if (endsAtMs === null || endsAtMs === terms.endNoticeForMs) return null;
  return endsAtMs - planEndNoticeDays * dayMs;
}

/** When the clock has to look at these terms next; null for never. Stripe ends a subscription that was cancelled. */
export function nextDueAt(terms: BillingTerms, subscription: Subscription | null = null): number | null {
  const times = [planEndNoticeAt(terms, subscription), terms.planEndsAtMs, graceStepAt(terms)].filter(
    (at) => at !== null,
  );
  return times.length === 0 ? null : Math.min(...times);
}

function graceStepAt(terms: BillingTerms): number | null {
  const { state, graceStartedAtMs, graceEndsAtMs } = terms;
  if (state !== "grace" || graceStartedAtMs === null || graceEndsAtMs === null) return null;
  const day = noticeDays[terms.noticesSent];
  return day === undefined ? graceEndsAtMs : graceStartedAtMs + day * dayMs;
}
