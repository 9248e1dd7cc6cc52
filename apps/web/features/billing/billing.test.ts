import { describe, expect, test } from "bun:test";
import { onFree as free, onPro as pro, subscription } from "../../../../tests/browser/billing-answers.ts";
import type { Plan } from "../../session/plan.ts";
import {
  type Billing,
  contactHref,
  isPaid,
  isUnlimited,
  nextDateOf,
  noticeOf,
  offerOf,
  planActionOf,
  yearlySaving,
} from "./billing.ts";

const at = subscription.period_ends_at;
const later = "2026-12-24T00:00:00.000Z";
const canceled: Billing = { ...pro, subscription: { ...subscription, cancels_at: at } };
const withStatus = (status: "active" | "past_due" | "canceled" | "incomplete" | "trialing"): Billing => ({
  ...pro,
  subscription: { ...subscription, status, trial_ends_at: status === "trialing" ? later : null },
});

const overdue = { ...canceled, billing_state: "grace" } as const;
const missing = { ...free, subscription: withStatus("incomplete").subscription };
test.each([
  ["nothing, if all is well", pro, null],
  ["an overdue payment, before that it was canceled", overdue, "grace"],
  ["a suspension", { ...pro, billing_state: "suspended" as const }, "suspended"],
  ["a first payment that is missing", missing, "incomplete"],
  ["a cancellation", canceled, "cancels"],
  ["a plan of the operator that ends", { ...free, plan: "pro" as const, plan_ends_at: at }, "planEnds"],
  ["a subscription that has ended", { ...free, billing_state: "cancelled" as const }, "ended"],
] as const)("the first notice is %s", (_, billing, notice) => expect(noticeOf(billing)).toBe(notice));

test.each([
  ["none without a subscription", free, null],
  ["the next payment", pro, { what: "nextPayment", at }],
  ["the end of the trial", withStatus("trialing"), { what: "trialEnds", at: later }],
  ["the end, if it was canceled", canceled, { what: "ends", at }],
  ["none while a payment is overdue", withStatus("past_due"), null],
  ["none after the end", withStatus("canceled"), null],
] as const)("the date shown is %s", (_, billing, next) => expect(nextDateOf(billing)).toEqual(next));

test("a checkout has succeeded when the subscription is paid and decides on the plan", () => {
  expect([free, withStatus("incomplete")].map(isPaid)).toEqual([false, false]);
  expect([withStatus("trialing"), pro].map(isPaid)).toEqual([true, true]);
});

test("an organization without any limit has nothing to buy", () => {
  const enterprise: Billing = {
    ...free,
    plan: "enterprise",
    limits: [{ name: "products", used: 9, limit: null }],
    version_checks: { ...free.version_checks, included: true },
  };
  expect([isUnlimited(enterprise, null), isUnlimited(enterprise, 100)]).toEqual([true, false]);
  const limits: Partial<Billing>[] = [{ limits: free.limits }, { plan_ends_at: at }, { subscription }];
  for (const limited of [...limits, { billing_state: "grace" } as const, free])
    expect(isUnlimited({ ...enterprise, ...limited }, null)).toBe(false);
});

describe("prices", () => {
  test("a price is that of the interval, or of the only one that there is", () => {
    const both = { monthly_price: 2_900, yearly_price: 29_000 };
    const month = { interval: "month", price: 2_900 } as const;
    const year = { interval: "year", price: 29_000 } as const;
    expect([offerOf(both, "month"), offerOf(both, "year")]).toEqual([month, year]);
    expect(offerOf({ ...both, yearly_price: null }, "year")).toEqual(month);
    expect(offerOf({ ...both, monthly_price: null }, "month")).toEqual(year);
    expect(offerOf({ monthly_price: null, yearly_price: null }, "month")).toBeNull();
  });

  test("a year saves money only if it costs less than twelve months", () => {
    const saving = (yearly_price: number) => yearlySaving({ monthly_price: 2_900, yearly_price });
    expect([29_000, 34_800, 40_000].map(saving)).toEqual([5_800, 0, 0]);
    expect(yearlySaving({ monthly_price: null, yearly_price: 29_000 })).toBe(0);
  });
});

const plans = [
  { plan: "free", can_be_bought: false },
  { plan: "pro", can_be_bought: true },
  { plan: "enterprise", can_be_bought: false },
] as Plan[];
const actions = (billing: Billing) => plans.map((plan) => planActionOf(plan, plans, billing));
test.each([
  ["on Free", free, [null, "upgrade", "ask"]],
  ["with a subscription", pro, ["switch", null, "ask"]],
  ["with an overdue payment", withStatus("past_due"), ["switch", null, "ask"]],
  ["on Pro by default", { ...free, plan: "pro" as const }, [null, null, "ask"]],
  ["after a subscription", { ...withStatus("canceled"), plan: "free" as const }, [null, "upgrade", "ask"]],
] as const)("each plan has the right button %s", (_, billing, expected) =>
  expect(actions(billing)).toEqual([...expected]),
);

test.each([
  [null, null],
  ["billing@example.com", "mailto:billing@example.com"],
  ["https://example.com/plans", "https://example.com/plans"],
  ["http://intranet/plans", "http://intranet/plans"],
  ["javascript:alert(1)", null],
  ["javascript:alert(1)//a@b", null],
  ["ask Kim", null],
])("the link to the contact %p is %p", (contact, href) => expect(contactHref(contact)).toBe(href));
