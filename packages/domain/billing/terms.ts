import { dayMs } from "../dates/lengths.ts";
import type { Plan } from "../quota/limit.ts";
import type { BillingState } from "../validate/facts.ts";
import { type PlanSource, paymentOf, type Subscription } from "./subscription.ts";

export const graceDays = 7;
/** On which days of the grace period its emails are written, the first when it starts. */
export const noticeDays = [0, 3, 6] as const;

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
  readonly planEnded: boolean;
}

export function clockStep(terms: BillingTerms, nowMs: number): ClockStep {
  const planEnded = terms.planEndsAtMs !== null && terms.planEndsAtMs <= nowMs;
  const afterPlan: BillingTerms = planEnded
    ? { ...terms, plan: "free", planSetBy: "default", planEndsAtMs: null }
    : terms;
  const { state, graceStartedAtMs, graceEndsAtMs } = afterPlan;
  if (state !== "grace" || graceStartedAtMs === null || graceEndsAtMs === null)
    return { terms: afterPlan, notice: null, wasSuspended: false, planEnded };
  if (graceEndsAtMs <= nowMs)
    return { terms: inState(afterPlan, "suspended", nowMs), notice: null, wasSuspended: true, planEnded };
  const due = noticeDays.filter((day) => graceStartedAtMs + day * dayMs <= nowMs).length;
  if (due <= afterPlan.noticesSent) return { terms: afterPlan, notice: null, wasSuspended: false, planEnded };
  return {
    terms: { ...afterPlan, noticesSent: due },
    notice: due - 1,
    wasSuspended: false,
    planEnded,
  };
}

/** When the clock has to look at these terms next; null for never. */
export function nextDueAt(terms: BillingTerms): number | null {
  const times: number[] = [];
  if (terms.planEndsAtMs !== null) times.push(terms.planEndsAtMs);
  if (terms.state === "grace" && terms.graceStartedAtMs !== null && terms.graceEndsAtMs !== null) {
    const day = noticeDays[terms.noticesSent];
    times.push(day === undefined ? terms.graceEndsAtMs : terms.graceStartedAtMs + day * dayMs);
  }
  return times.length === 0 ? null : Math.min(...times);
}
