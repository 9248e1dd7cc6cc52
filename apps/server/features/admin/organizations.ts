import * as contract from "@countersign/contract/manage/admin-organizations";
import { fieldFault } from "@countersign/contract/problems/problems";
import { type BillingTerms, inState } from "@countersign/domain/billing/terms";
import { quotaDay } from "@countersign/domain/quota/day";
import {
  allOrganizations,
  countIn,
  type OrganizationWithOwner,
  organizationsStartingWith,
  organizationWithOwner,
} from "@countersign/store/queries/admin/platform";
import {
  billingOf,
  type LockedBilling,
  lockedBilling,
  updateBilling,
} from "@countersign/store/queries/billing/billing";
import { billingsOf, usageOfDay } from "@countersign/store/queries/billing/platform";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import { storedCount } from "@countersign/store/queries/licenses/stored-counts";
import {
  lockedOrganization,
  updateOrganization,
} from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import type { OrganizationBillingRow, PlanRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

import type { z } from "zod";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { asColumns } from "../../api/columns.ts";
import { type Context, checkUnchanged, nextUpdatedAt, type PersonContext } from "../../api/context.ts";
import { invalidField, Problem } from "../../http/problem.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";
import { changeTerms, termsOf } from "../billing/change-terms.ts";
import { showSubscription } from "../billing/stored-subscription.ts";
import { termsChanged } from "../events/quota-check.ts";
import { impersonatedUntil } from "../impersonations/routes.ts";
import { showOrganization } from "../organizations/show.ts";
import { limitsInUse } from "../plans/limits.ts";
import {
  changeSuspendable,
  listSuspendable,
  noSuspension,
  type SuspendableKind,
  suspension,
} from "./suspendable.ts";

const maxCounted = 100_000;

export const platformOrganizationRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformOrganizations, async (context, { query }) => {
    const db = context.store.reads;
    const { rows, next_cursor } = await listSuspendable<OrganizationWithOwner>(
      query,
      {
        kindOfTime: "number",
        startingWith: (text, after, limit) => organizationsStartingWith(db, text, after, limit),
        newest: (after, limit) => allOrganizations(db, { after, limit }),
        textOf: (row) => row.slug,
        textsOf: (row) => [row.name, row.slug, row.owner_email],
      },
      [
        { wanted: query.plan, of: (row) => row.plan },
        { wanted: query.billing_state, of: (row) => row.billing_state },
      ],
    );
    const ids = rows.map(({ id }) => id);
    const billings = await billingsOf(db, ids);
    const usage = await usageOfDay(db, ids, quotaDay(context.nowMs));
    const data = [];
    const plans = await allPlans(db);
    for (const row of rows)
      data.push({
        ...showListed(row, plans, billings.get(row.id), usage.get(row.id) ?? 0),
        ...(await counts(db, row.id)),
      });
    return { data, next_cursor };
  }),

  bind(contract.getPlatformOrganization, async (context, input) =>
    details(context.store.reads, input.params.organization_id, context),
  ),

  bind(contract.updatePlatformOrganization, async (context, input) => {
    const { updated_at: guard, ...body } = input.body;
    const id = input.params.organization_id;
    return context.transaction(async (db) => {
      const locked = await lockedBilling(db, id);
      if (locked === undefined) throw new Problem("organization_not_found");
      checkUnchanged(context, locked.organization.updated_at, guard);
      await changeByHand(db, context, locked, body);
      return details(db, id, context);
    });
  }),

  bind(contract.suspendPlatformOrganization, async (context, input) => {
    const id = input.params.organization_id;
    return changeSuspendable(context, organization, id, "organization.suspended", (row) =>
      suspension(row, context, input.body.reason),
    );
  }),

  bind(contract.restorePlatformOrganization, async (context, input) => {
    const id = input.params.organization_id;
    return changeSuspendable(context, organization, id, "organization.restored", () => noSuspension);
  }),
];

const organization: SuspendableKind<OrganizationRow, Awaited<ReturnType<typeof details>>> = {
  kind: "organization",
  missing: () => new Problem("organization_not_found"),
  lock: lockedOrganization,
  write: async (db, context, row, changes) => {
    const updatedAt = nextUpdatedAt(context, row.updated_at);
    await updateOrganization(db, row.id, { ...changes, updated_at: updatedAt });
  },
  details,
};

async function details(db: Database, id: string, context: PersonContext) {
  const row = await organizationWithOwner(db, id);
  if (row === undefined) throw new Problem("organization_not_found");
  const billing = await billingOf(db, id);
  const usage = await usageOfDay(db, [id], quotaDay(context.nowMs));
  return {
    ...showListed(row, await allPlans(db), billing, usage.get(id) ?? 0),
    ...(await counts(db, id)),
    member_count: await countIn(db, "members", id, maxCounted),
    waiting_email_count: await countIn(db, "waiting_emails", id, maxCounted),
    plan_note: billing?.plan_note ?? null,
    limits: await limitsInUse(db, row),
    stripe_customer_id: billing?.stripe_customer_id ?? null,
    impersonated_until: await impersonatedUntil(db, context, id),
  };
}

function showListed(
  row: OrganizationWithOwner,
  plans: readonly PlanRow[],
  billing: OrganizationBillingRow | undefined,
  requestsToday: number,
) {
  const { owner_id: id, owner_name: name, owner_email: email } = row;
  return {
    ...showOrganization(row, plans),
    owner: id === null || name === null || email === null ? null : { id, name, email },
    requests_today: requestsToday,
    plan_set_by: billing?.plan_set_by ?? ("default" as const),
    subscription: showSubscription(billing),
    max_products_override: row.max_products_override,
    max_licenses_override: row.max_licenses_override,
    max_members_override: row.max_members_override,
    max_webhooks_override: row.max_webhooks_override,
    request_log_days_override: row.request_log_days_override,
    audit_log_days_override: row.audit_log_days_override,
  };
}

async function counts(db: Database, id: string) {
  return {
    product_count: await countIn(db, "products", id, maxCounted),
    license_count: await storedCount(db, everyLicenseOf(id), 0),
  };
}

type Changes = Omit<z.output<(typeof contract.updatePlatformOrganization)["body"]>, "updated_at">;

/** What the operator sets for one organization: its limits, its plan and its payment state. */
async function changeByHand(
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
