import * as contract from "@countersign/contract/manage/billing";
import { auditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { billingOf, countVersionChecks } from "@countersign/store/queries/billing/billing";
import { type BoundRoute, bind } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { limitsInUse, planOf } from "../plans/limits.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
import { showSubscription } from "./show-subscription.ts";

export const billingRoutes: readonly BoundRoute[] = [
  bind(contract.getBilling, async (context) => {
    const db = context.store.reads;
    const { organization } = context;
    const billing = await billingOf(db, organization.id);
    const plan = await planOf(db, organization);
    const takesPayments = context.config.stripe !== null;
    return {
      plan: plan.id,
      plan_name: plan.name,
      plan_set_by: billing?.plan_set_by ?? "default",
      plan_ends_at: iso(organization.plan_ends_at),
      billing_state: organization.billing_state,
      grace_ends_at: iso(organization.grace_ends_at),
      subscription: showSubscription(billing),
      payments_available: takesPayments,
      can_manage_payments: takesPayments && (billing?.stripe_customer_id ?? null) !== null,
      contact: (await paymentSettings(db)).contact,
      limits: await limitsInUse(db, organization),
      request_log_days: organization.request_log_days_override ?? plan.request_log_days,
      audit_log_days: auditLogDays({
        ofOrganization: organization.audit_log_days_override,
        ofPlan: plan.audit_log_days,
      }),
      version_checks: {
        included: plan.version_module === 1,
        product_count: await countVersionChecks(db, organization.id),
        on_downgrade: organization.version_checks_on_downgrade,
      },
    };
  }),
];
