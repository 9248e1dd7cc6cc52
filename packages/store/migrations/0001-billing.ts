import { minAuditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import type { Statement } from "./migration.ts";

/** Plans and payments. */
export const billing: readonly Statement[] = [
  // A limit that is null does not apply. Prices are in the smallest unit of the platform's currency; a plan without a
  // price cannot be bought.
  `create table plans (
    id text primary key check (id in ('free', 'pro', 'enterprise')),
    name text not null,
    daily_limit bigint check (daily_limit >= 0),
    version_module integer not null,
    organizations_per_user integer check (organizations_per_user >= 0),
    max_products bigint check (max_products >= 0),
    max_licenses bigint check (max_licenses >= 0),
    max_members bigint check (max_members >= 0),
    max_webhooks bigint check (max_webhooks >= 0),
    request_log_days integer check (request_log_days >= 1),
    monthly_price bigint check (monthly_price >= 1),
    yearly_price bigint check (yearly_price >= 1),
    trial_days integer not null default 0 check (trial_days >= 0),
    updated_at bigint not null default 0,
    audit_log_days integer check (audit_log_days >= ${minAuditLogDays})
  )`,
  // The prices are examples, which sell nothing in Stripe's live mode before the operator has saved the plan.
  `insert into plans
    (id, name, daily_limit, version_module, organizations_per_user, monthly_price, yearly_price) values
    ('free', 'Free', 10000, 0, 2, null, null),
    ('pro', 'Pro', 100000, 1, 2, 2900, 29000),
    ('enterprise', 'Enterprise', null, 1, null, null, null)`,
  // Without a row, an organization has the plan that it was created with, and has never paid.
  `create table organization_billing (
    organization_id text primary key references organizations (id),
    plan_set_by text not null default 'default' check (plan_set_by in ('default', 'operator', 'subscription')),
    plan_note text,
    stripe_customer_id text,
    subscription_id text,
    subscription_status text,
    subscription_plan text,
    subscription_interval text check (subscription_interval in ('month', 'year')),
    subscription_amount bigint,
    subscription_currency text,
    period_ends_at bigint,
    cancels_at bigint,
    trial_ends_at bigint,
    had_trial integer not null default 0,
    grace_started_at bigint,
    notices_sent integer not null default 0,
    end_notice_for bigint,
    due_at bigint,
    sync_started bigint not null default 0,
    sync_applied bigint not null default 0,
    synced_at bigint,
    sync_due_at bigint,
    updated_at bigint not null
  )`,
  // Not unique: in Stripe's test server every customer has the same ID.
  `create index organization_billing_by_customer on organization_billing (stripe_customer_id, organization_id)
    where stripe_customer_id is not null`,
  "create index organization_billing_due on organization_billing (due_at) where due_at is not null",
  "create index organization_billing_sync on organization_billing (sync_due_at) where sync_due_at is not null",
  `create index organization_billing_subscribed on organization_billing (organization_id)
    where subscription_id is not null`,
  // Prices in Stripe never change: another amount is another price.
  `create table stripe_prices (
    mode text not null check (mode in ('test', 'live')),
    plan text not null,
    interval_unit text not null check (interval_unit in ('month', 'year')),
    currency text not null,
    amount bigint not null,
    price_id text not null,
    primary key (mode, plan, interval_unit, currency, amount)
  )`,
  "create index stripe_prices_by_id on stripe_prices (price_id)",
  `create table stripe_events (
    id text primary key,
    type text not null,
    organization_id text,
    received_at bigint not null
  )`,
  "create index stripe_events_by_age on stripe_events (received_at)",
];
