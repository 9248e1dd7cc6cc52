import type { updatePlatformOrganization } from "@countersign/contract/manage/admin-organizations";
import { fieldFault } from "@countersign/contract/problems/problems";
import { type BillingTerms, inState } from "@countersign/domain/billing/terms";
import { type LockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import { asColumns } from "../../api/columns.ts";
import { type Context, nextUpdatedAt } from "../../api/context.ts";
import { invalidField } from "../../http/problem.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";
import { changeTerms, termsOf } from "../billing/change-terms.ts";
import { termsChanged } from "../events/quota-check.ts";

type Changes = Omit<z.output<(typeof updatePlatformOrganization)["body"]>, "updated_at">;

/** What the operator sets for one organization: its limits, its plan and its payment state. */
export async function changeByHand(
  db: Database,
  context: Context,
  { organization, billing }: LockedBilling,
  changes: Changes,
): Promise<void> {
  const { plan, plan_ends_at: planEndsAt, plan_note: planNote, billing_state: state, ...limits } = changes;
  const changed = await changeLimits(db, context, organization, asColumns(limits));
  if (planNote !== undefined && planNote !== billing.plan_note) {
    await updateBilling(db, organization.id, { plan_note: planNote });
    await auditTerms(db, context, organization, {
      before: { plan_note: billing.plan_note },
      after: { plan_note: planNote },
    });
  }
  const before = termsOf(changed, billing);
  const planned = withPlan(before, plan, planEndsAt, context.nowMs);
  const next = state === undefined ? planned : inState(planned, state, context.nowMs);
  const { url } = context.config;
  await changeTerms(
    db,
    { organization: changed, billing, next, actor: asPlatform(context), url },
    context.nowMs,
  );
}

async function changeLimits(
  db: Database,
  context: Context,
  organization: OrganizationRow,
  limits: Partial<OrganizationRow>,
): Promise<OrganizationRow> {
  const changed = difference(organization, limits);
  if (Object.keys(changed.after).length === 0) return organization;
  const columns = { ...limits, updated_at: nextUpdatedAt(context, organization.updated_at) };
  await updateOrganization(db, organization.id, columns);
  const after = { ...organization, ...columns };
  await termsChanged(db, organization.id, organization, after, context.nowMs);
  await auditTerms(db, context, organization, changed);
  return after;
}

/** A plan that is set by hand stays until it ends. Free never ends. */
function withPlan(
  terms: BillingTerms,
  plan: BillingTerms["plan"] = terms.plan,
  endsAt: string | null | undefined,
  nowMs: number,
): BillingTerms {
  const endsAtMs = endsAt === undefined || endsAt === null ? null : Date.parse(endsAt);
  if (endsAtMs !== null && endsAtMs <= nowMs)
    throw invalidField("plan_ends_at", fieldFault("plan_end_not_future"));
  const isOtherPlan = plan !== terms.plan;
  if (!isOtherPlan && endsAt === undefined) return terms;
  if (!isOtherPlan && endsAtMs === terms.planEndsAtMs) return terms;
  const set = {
    ...terms,
    plan,
    planSetBy: "operator",
    planEndsAtMs: plan === "free" ? null : endsAtMs,
  } as const;
  // An organization whose subscription ended has the limits of Free, whatever its plan.
  return plan !== "free" && terms.state === "cancelled" ? inState(set, "active", nowMs) : set;
}

async function auditTerms(
  db: Database,
  context: Context,
  { id, name }: OrganizationRow,
  change: { before: object; after: object },
): Promise<void> {
  await audit(db, asPlatform(context), {
    action: "organization.terms_changed",
    subject: { kind: "organization", id, name },
    ...change,
    organizationId: id,
  });
}
