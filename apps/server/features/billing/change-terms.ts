import { type BillingTerms, clockStep, nextDueAt } from "@countersign/domain/billing/terms";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dueBillings, lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { planById } from "@countersign/store/queries/plans/plans";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationBillingRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import {
  type AuditContext,
  audit,
  auditWithoutRequest,
  type Change,
  difference,
} from "../audit-log/record.ts";
import { termsChanged } from "../events/quota-check.ts";
import { notifyOfTerms } from "./notify.ts";
import { storedSubscription } from "./stored-subscription.ts";

/** An organization's plan and payment state as they are stored. */
export function termsOf(
  organization: OrganizationRow,
  billing: OrganizationBillingRow | undefined,
): BillingTerms {
  return {
    plan: organization.plan,
    planSetBy: billing?.plan_set_by ?? "default",
    planEndsAtMs: organization.plan_ends_at,
    state: organization.billing_state,
    graceStartedAtMs: billing?.grace_started_at ?? null,
    graceEndsAtMs: organization.grace_ends_at,
    noticesSent: billing?.notices_sent ?? 0,
    endNoticeForMs: billing?.end_notice_for ?? null,
  };
}

/** Who changes the terms: the caller of a request, or the server itself. */
type TermsActor = AuditContext | { readonly kind: "system"; readonly name: string };

interface TermsChange {
  /** Both locked by `lockedBilling`, and as they are stored now. */
  readonly organization: OrganizationRow;
  readonly billing: OrganizationBillingRow;
  readonly next: BillingTerms;
  readonly actor: TermsActor;
  /** The URL of this server, for emails. */
  readonly url: string;
}

/**
 * Changes an organization's plan and payment state, and does what is due at that time: the emails of a grace period and
 * of a suspension, and the audit log entry. Returns the organization as it is now. Without a change it does nothing.
 */
export async function changeTerms(
  db: Database,
  { organization, billing, next, actor, url }: TermsChange,
  nowMs: number,
): Promise<OrganizationRow> {
  const before = termsOf(organization, billing);
  const step = clockStep(next, nowMs, storedSubscription(billing));
  const { terms } = step;
  const dueAt = nextDueAt(terms, storedSubscription(billing));
  if (isSame(before, terms) && billing.due_at === dueAt) return organization;
  const changes = await organizationColumns(db, organization, terms, nowMs);
  const changed = { ...organization, ...changes };
  await updateOrganization(db, organization.id, changes);
  await updateBilling(db, organization.id, {
    plan_set_by: terms.planSetBy,
    grace_started_at: terms.graceStartedAtMs,
    notices_sent: terms.noticesSent,
    end_notice_for: terms.endNoticeForMs,
    due_at: dueAt,
    updated_at: nowMs,
  });
  await termsChanged(db, organization.id, organization, changed, nowMs);
  await record(db, actor, organization, { before, after: terms }, nowMs);
  await notifyOfTerms(db, { organization, billing, before, step, url }, nowMs);
  return changed;
}

function isSame(a: BillingTerms, b: BillingTerms): boolean {
  return (Object.keys(a) as (keyof BillingTerms)[]).every((key) => a[key] === b[key]);
}

async function organizationColumns(
  db: Database,
  organization: OrganizationRow,
  terms: BillingTerms,
  nowMs: number,
): Promise<Partial<OrganizationRow>> {
  // The old plan may have got the module after the organization got the plan.
  const hadVersionModule =
    organization.had_version_module === 1 ||
    (await planById(db, organization.plan)).version_module === 1 ||
    (await planById(db, terms.plan)).version_module === 1;
  return {
    plan: terms.plan,
    billing_state: terms.state,
    grace_ends_at: terms.graceEndsAtMs,
    plan_ends_at: terms.planEndsAtMs,
    had_version_module: hadVersionModule ? 1 : 0,
    updated_at: Math.max(nowMs, organization.updated_at + 1),
  };
}

/** One entry for a change. That an email was written is none. */
async function record(
  db: Database,
  actor: TermsActor,
  organization: OrganizationRow,
  { before, after }: { readonly before: BillingTerms; readonly after: BillingTerms },
  nowMs: number,
): Promise<void> {
  const changed = difference(recorded(before), recorded(after));
  const names = Object.keys(changed.after);
  if (names.length === 0) return;
  const isAboutPlan = names.some((name) => name.startsWith("plan"));
  const change: Change = {
    action: isAboutPlan ? "organization.plan_changed" : "organization.billing_changed",
    subject: { kind: "organization", id: organization.id, name: organization.name },
    ...changed,
    organizationId: organization.id,
  };
  if ("kind" in actor) await auditWithoutRequest(db, actor, nowMs, change);
  else await audit(db, actor, change);
}

function recorded(terms: BillingTerms) {
  return {
    plan: terms.plan,
    plan_set_by: terms.planSetBy,
    plan_ends_at: isoTime(terms.planEndsAtMs),
    billing_state: terms.state,
    grace_ends_at: isoTime(terms.graceEndsAtMs),
  };
}

const organizationsAtOnce = 100;
const server = { kind: "system", name: "Countersign" } as const;

/**
 * Writes the emails of grace periods, suspends organizations at their end, and ends plans that were set until a date.
 * When an organization is due next is stored, so one indexed read finds all of them. The node that locks an organization
 * first does what is due, all of it, and stores when the next is due; others then find nothing to do.
 */
export function billingClock(
  store: Store,
  url: string,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const nowMs = await clock();
    const next = () => dueBillings(store.reads, nowMs, organizationsAtOnce);
    for await (const due of slicesOf(organizationsAtOnce, stopping, next)) {
      const failures: unknown[] = [];
      for (const organizationId of due) {
        if (stopping.aborted) return;
        try {
          await store.transaction((db) => runClock(db, organizationId, url, nowMs));
        } catch (error) {
          // One organization that cannot be changed does not stop the others.
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    }
  };
  return { name: "billing clock", everyMs: 1_000, run };
}

/** Does what is due for an organization, unless another node has. */
export async function runClock(
  db: Database,
  organizationId: string,
  url: string,
  nowMs: number,
): Promise<void> {
  const locked = await lockedBilling(db, organizationId);
  if (locked === undefined) return;
  const { organization, billing } = locked;
  if (billing.due_at === null || billing.due_at > nowMs) return;
  if (organization.deleted_at !== null) {
    await updateBilling(db, organizationId, { due_at: null, updated_at: nowMs });
    return;
  }
  const next = termsOf(organization, billing);
  await changeTerms(db, { organization, billing, next, actor: server, url }, nowMs);
}
