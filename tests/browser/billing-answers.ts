import type { getBilling } from "@countersign/contract/manage/billing";
import type { planShape } from "@countersign/contract/manage/plans";
import type { Page } from "playwright-core";
import type { z } from "zod";

export type Billing = z.input<typeof getBilling.answer>;
type Plan = z.input<typeof planShape>;

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
  version_checks: { included: false, product_count: 0, on_downgrade: "enforce" },
};

export const onPro: Billing = {
  ...onFree,
  plan: "pro",
  plan_name: "Pro",
  plan_set_by: "subscription",
  can_manage_payments: true,
  subscription: {
    status: "active",
    plan: "pro",
    interval: "month",
    amount: 2_900,
    currency: "usd",
    period_ends_at: "2026-12-17T10:00:00.000Z",
    cancels_at: null,
    trial_ends_at: null,
  },
  limits: onFree.limits.map((limit) => ({ ...limit, limit: limit.limit === null ? null : limit.limit * 20 })),
  request_log_days: 30,
  version_checks: { included: true, product_count: 2, on_downgrade: "enforce" },
};

const plan: Plan = {
  plan: "free",
  name: "Free",
  daily_limit: 10_000,
  version_module: false,
  organizations_per_user: 2,
  max_products: 3,
  max_licenses: 500,
  max_members: 5,
  max_webhooks: null,
  request_log_days: 7,
  monthly_price: null,
  yearly_price: null,
  trial_days: 0,
  currency: "usd",
  can_be_bought: false,
  updated_at: "2026-11-01T00:00:00.000Z",
};

const plans: readonly Plan[] = [
  plan,
  {
    ...plan,
    plan: "pro",
    name: "Pro",
    daily_limit: 100_000,
    version_module: true,
    max_products: 60,
    max_licenses: 10_000,
    max_members: 100,
    request_log_days: 30,
    monthly_price: 2_900,
    yearly_price: 29_000,
    trial_days: 14,
    can_be_bought: true,
  },
  {
    ...plan,
    plan: "enterprise",
    name: "Enterprise",
    daily_limit: null,
    version_module: true,
    organizations_per_user: null,
    max_products: null,
    max_licenses: null,
    max_members: null,
    request_log_days: null,
  },
];

const invoices = {
  data: [
    { number: "A1B2-0002", status: "open" },
    { number: "A1B2-0001", status: "paid" },
  ].map((invoice) => ({
    ...invoice,
    id: invoice.number,
    total: 2_900,
    currency: "usd",
    created_at: "2026-11-17T10:00:00.000Z",
    url: `https://invoice.example.com/${invoice.number}`,
    pdf_url: `https://invoice.example.com/${invoice.number}.pdf`,
  })),
  next_cursor: null,
};

/** Answers the page as a server with payments does. */
export async function answerBilling(page: Page, billing: () => Billing): Promise<void> {
  await answers(page, "/plans", () => ({ data: plans, next_cursor: null }));
  await answers(page, "/organizations/*/billing", billing);
  await answers(page, "/organizations/*/billing/invoices", () => invoices);
}

/** Answers requests of the page in place of the server. The answer can change while the page is open. */
export async function answers(page: Page, path: string, answer: () => unknown): Promise<void> {
  await page.route(`**/api/manage/v1${path}`, (route) => route.fulfill({ json: answer() }));
}
