import { describe, expect, test } from "bun:test";
import { dayMs } from "../dates/lengths.ts";
import { currentSubscription, type Subscription, type SubscriptionStatus } from "./subscription.ts";
import { afterPlanEnd, type BillingTerms, clockStep, inState, nextDueAt, withSubscription } from "./terms.ts";

const now = Date.UTC(2026, 0, 1);

const noGrace = { graceStartedAtMs: null, graceEndsAtMs: null, noticesSent: 0 };
const byDefault = { planSetBy: "default", planEndsAtMs: null, endNoticeForMs: null } as const;
const free: BillingTerms = { plan: "free", ...byDefault, state: "active", ...noGrace };
const pro: BillingTerms = { ...free, plan: "pro", planSetBy: "subscription" };
const cancelled: BillingTerms = { ...free, state: "cancelled" };
const grace = inState(pro, "grace", now);
const suspended = inState(pro, "suspended", now);
const byHand: BillingTerms = { ...free, plan: "enterprise", planSetBy: "operator" };
const enterprise = { plan: "enterprise" } as const;

function subscription(status: SubscriptionStatus, changes: Partial<Subscription> = {}): Subscription {
  const price = { plan: "pro", interval: "month", amount: 2900, currency: "usd" } as const;
  const ends = { periodEndsAtMs: now + 30 * dayMs, cancelsAtMs: null, trialEndsAtMs: null };
  return { id: "sub_1", status, ...price, createdAtMs: now, ...ends, ...changes };
}

test.each<[name: string, before: BillingTerms, subscription: Subscription | null, after: BillingTerms]>([
  ["a trial grants the plan", free, subscription("trialing"), pro],
  ["a payment grants the plan", free, subscription("active"), pro],
  ["a missing first payment changes nothing", free, subscription("incomplete"), free],
  ["a failed first payment changes nothing", free, subscription("past_due"), free],
  ["an expired first payment changes nothing", free, subscription("incomplete_expired"), free],
  ["a failed renewal starts the grace period", pro, subscription("past_due"), grace],
  ["an unpaid renewal starts the grace period", pro, subscription("unpaid"), grace],
  ["a payment ends the grace period", grace, subscription("active"), pro],
  ["a payment ends the suspension", suspended, subscription("active"), pro],
  ["a suspension goes on while a payment is overdue", suspended, subscription("past_due"), suspended],
  ["a cancelled subscription falls back to Free", pro, subscription("canceled"), cancelled],
  ["a cancellation ends the suspension", suspended, subscription("canceled"), cancelled],
  ["a deleted subscription falls back to Free", grace, null, cancelled],
  ["a paused subscription falls back to Free", pro, subscription("paused"), cancelled],
  ["a cancelled subscription can be bought again", cancelled, subscription("active"), pro],
  ["a plan set by hand stays", byHand, subscription("active"), byHand],
  ["Free set by hand can be upgraded", { ...free, planSetBy: "operator" }, subscription("active"), pro],
  ["without a subscription nothing changes", free, null, free],
  ["another subscribed plan applies", pro, subscription("active", enterprise), { ...pro, ...enterprise }],
])("%s", (_, before, current, after) => expect(withSubscription(before, current, now)).toEqual(after));

test("a grace period that goes on keeps its end", () => {
  expect(withSubscription(grace, subscription("past_due"), now + 5 * dayMs)).toEqual(grace);
  expect(inState(grace, "grace", now + dayMs)).toEqual(grace);
});

describe("terms over time", () => {
  const step = (terms: BillingTerms, days: number) => clockStep(terms, now + days * dayMs);

  test("emails are due on day 0, 3 and 6 of the grace period, and the suspension after day 7", () => {
    let terms = grace;
    const happened: unknown[] = [];
    for (let due = nextDueAt(terms); due !== null; due = nextDueAt(terms)) {
      const day = (due - now) / dayMs;
      expect(clockStep(terms, due - 1)).toMatchObject({ terms, notice: null, wasSuspended: false });
      const { notice, wasSuspended, terms: next } = clockStep(terms, due);
      happened.push([day, wasSuspended ? "suspended" : notice]);
      expect(next).not.toEqual(terms);
      terms = next;
    }
    expect(happened).toEqual([
      [0, 0],
      [3, 1],
      [6, 2],
      [7, "suspended"],
    ]);
    expect(terms).toEqual(suspended);
  });

  test("after a downtime, only the latest email is written, and none before a suspension", () => {
    expect(step(grace, 4)).toMatchObject({ notice: 1, wasSuspended: false });
    expect(step(grace, 6.5)).toMatchObject({ notice: 2, wasSuspended: false });
    expect(step(step(grace, 4).terms, 4)).toMatchObject({ notice: null });
    expect(step(grace, 30)).toMatchObject({ notice: null, wasSuspended: true, terms: suspended });
  });

  const until: BillingTerms = { ...byHand, planEndsAtMs: now + 10 * dayMs };

  test("a plan that was set until a date ends then, and an email is written 3 days before", () => {
    expect(nextDueAt(until)).toBe(now + 7 * dayMs);
    expect(step(until, 6.9)).toMatchObject({ endingAtMs: null, planEnded: false, terms: until });
    const noticed = step(until, 7);
    expect(noticed).toMatchObject({ endingAtMs: now + 10 * dayMs, planEnded: false });
    expect(nextDueAt(noticed.terms)).toBe(now + 10 * dayMs);
    expect(step(noticed.terms, 9.9)).toMatchObject({ endingAtMs: null, planEnded: false });
    expect(step(noticed.terms, 10)).toMatchObject({ endingAtMs: null, planEnded: true, terms: free });
  });

  test("a plan that ended in a downtime gets no email that it will end, and another end gets another email", () => {
    expect(step(until, 30)).toMatchObject({ endingAtMs: null, planEnded: true, terms: free });
    const later = { ...step(until, 7).terms, planEndsAtMs: now + 20 * dayMs };
    expect(nextDueAt(later)).toBe(now + 17 * dayMs);
    expect(step(later, 17).endingAtMs).toBe(now + 20 * dayMs);
  });

  test("after the end of a plan that was set by hand, a paid subscription applies", () => {
    const after = (status: SubscriptionStatus) => clockStep(until, now + 10 * dayMs, subscription(status));
    expect(after("active")).toMatchObject({ planEnded: true, terms: pro });
    expect(after("past_due")).toMatchObject({ planEnded: true, terms: free });
    expect(after("canceled")).toMatchObject({ planEnded: true, terms: free });
  });

  test("the end of a cancelled subscription is announced once, and only Stripe ends it", () => {
    const cancelledLater = subscription("active", { cancelsAtMs: now + 10 * dayMs });
    const at = (terms: BillingTerms, days: number) => clockStep(terms, now + days * dayMs, cancelledLater);
    expect(nextDueAt(pro, cancelledLater)).toBe(now + 7 * dayMs);
    expect(at(pro, 6.9)).toMatchObject({ endingAtMs: null, terms: pro });
    const noticed = at(pro, 7);
    expect(noticed).toMatchObject({ endingAtMs: now + 10 * dayMs, planEnded: false });
    expect(nextDueAt(noticed.terms, cancelledLater)).toBeNull();
    expect(at(noticed.terms, 8).endingAtMs).toBeNull();
    // The event of its end is late, or was lost.
    const late = at(pro, 11);
    expect(late).toMatchObject({ endingAtMs: null, planEnded: false });
    expect(nextDueAt(late.terms, cancelledLater)).toBeNull();
    expect(afterPlanEnd(pro, cancelledLater, now + 10 * dayMs)).toMatchObject(cancelled);
    expect(nextDueAt(byHand, cancelledLater)).toBeNull();
    expect(nextDueAt(pro, subscription("canceled", { cancelsAtMs: now }))).toBeNull();
  });

  test("terms without a grace period and without an end do not change over time", () => {
    for (const terms of [free, pro, suspended, cancelled, byHand]) {
      expect(nextDueAt(terms)).toBeNull();
      expect(step(terms, 100).terms).toEqual(terms);
    }
  });
});

test("of several subscriptions a paid one counts, then an overdue one, then the newest", () => {
  const of = (id: string, status: SubscriptionStatus, createdAtMs = now, plan: "pro" | null = "pro") =>
    subscription(status, { id, createdAtMs, plan });
  const chosen = (...all: Subscription[]) => currentSubscription(all)?.id;
  expect(chosen(of("old", "active", now - 1), of("new", "canceled"))).toBe("old");
  expect(chosen(of("old", "past_due", now - 1), of("new", "incomplete"))).toBe("old");
  expect(chosen(of("old", "active", now - 1), of("new", "active"))).toBe("new");
  expect(chosen(of("other", "active", now, null), of("ours", "canceled"))).toBe("ours");
  expect(currentSubscription([])).toBeNull();
});
