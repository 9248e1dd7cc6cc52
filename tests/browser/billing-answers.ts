import type { getBilling } from "@countersign/contract/manage/billing";
import type { Page } from "playwright-core";
import type { z } from "zod";

export type Billing = z.input<typeof getBilling.answer>;

/** What a server with payments answers, which needs an account at the payment provider. */
export const onFree: Billing = {
  plan: "free",
  plan_name: "Free",
  plan_set_by: "default",
  plan_ends_at: null,
  billing_state: "active",
  grace_ends_at: null,
  subscription: null,
  payments_available: true,
  can_manage_payments: false,
  contact: "billing@example.com",
  limits: [
    { name: "products", used: 3, limit: 3 },
    { name: "licenses", used: 412, limit: 500 },
    { name: "members", used: 2, limit: 5 },
    { name: "webhooks", used: 1, limit: null },
  ],
  request_log_days: 7,
  audit_log_days: null,
  version_checks: { included: false, product_count: 0, on_downgrade: "enforce" },
};

export const subscription = {
  status: "active",
  plan: "pro",
  interval: "month",
  amount: 2_900,
  currency: "usd",
  period_ends_at: "2026-12-17T10:00:00.000Z",
  cancels_at: null,
  trial_ends_at: null,
} as const;

export const onPro: Billing = {
  ...onFree,
  plan: "pro",
  plan_name: "Pro",
  plan_set_by: "subscription",
  can_manage_payments: true,
  subscription,
  limits: onFree.limits.map((limit) => ({ ...limit, limit: limit.limit === null ? null : limit.limit * 20 })),
  request_log_days: 30,
  version_checks: { included: true, product_count: 2, on_downgrade: "enforce" },
};

/** Answers requests of the page in place of the server. The answer can change while the page is open. */
export async function answers(page: Page, path: string, answer: () => unknown): Promise<void> {
  await page.route(`**/api/manage/v1${path}`, (route) => route.fulfill({ json: answer() }));
}
