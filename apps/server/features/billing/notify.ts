import { afterPlanEnd, type BillingTerms, type ClockStep } from "@countersign/domain/billing/terms";
import { effectivePlan } from "@countersign/domain/quota/limit";
import { countVersionChecks } from "@countersign/store/queries/billing/billing";
import { planById } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import type { OrganizationBillingRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { Recipient } from "../mail/compose.ts";
import { type Email, writeEmails } from "../mail/email.ts";
import { recipientsWith } from "../members/recipients.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
import {
  type BillingEmailFacts,
  graceEmail,
  type NextPlan,
  planEndedEmail,
  planEndingEmail,
  restoredEmail,
  suspendedEmail,
} from "./emails.ts";
import { storedSubscription } from "./stored-subscription.ts";

interface ChangedTerms {
  readonly organization: OrganizationRow;
  readonly billing: OrganizationBillingRow;
  readonly before: BillingTerms;
  readonly step: ClockStep;
  /** The URL of this server. */
  readonly url: string;
}

interface Message {
  /** The terms with the plan that it names. */
  readonly about: BillingTerms;
  readonly write: (to: Recipient, facts: BillingEmailFacts) => Email;
}

/**
 * Writes the emails about a change of terms, in its transaction. None about an organization that is deleted, or that
 * the operator suspended: what they say about its service would be wrong.
 */
export async function notifyOfTerms(db: Database, changed: ChangedTerms, nowMs: number): Promise<void> {
  const { organization, url } = changed;
  if (organization.deleted_at !== null || organization.suspended_at !== null) return;
  const messages = [paymentMessage(changed, nowMs), await planMessage(db, changed, nowMs)].filter(
    (message) => message !== null,
  );
  if (messages.length === 0) return;
  const recipients = await recipientsWith(db, organization, ["billing:manage"]);
  const { contact } = await paymentSettings(db);
  for (const { about, write } of messages) {
    const facts: BillingEmailFacts = {
      organizationId: organization.id,
      organization: organization.name,
      timeZone: organization.time_zone,
      plan: (await planById(db, about.plan)).name,
      isSubscribed: about.planSetBy === "subscription",
      contact,
      url: `${url}/o/${organization.slug}/settings/billing`,
    };
    const emails = recipients.map((to) => write(to, facts));
    await writeEmails(db, emails, nowMs);
  }
}

function paymentMessage({ before, step }: ChangedTerms, nowMs: number): Message | null {
  const { terms: about, notice } = step;
  const { graceStartedAtMs: startedAtMs, graceEndsAtMs: endsAtMs, state } = about;
  if (notice !== null && startedAtMs !== null && endsAtMs !== null)
    return { about, write: (to, facts) => graceEmail(to, facts, { notice, startedAtMs, endsAtMs }) };
  if (state === before.state) return null;
  if (state === "suspended") return { about, write: (to, facts) => suspendedEmail(to, facts, nowMs) };
  if (state !== "active") return null;
  if (before.state === "grace")
    return { about, write: (to, facts) => restoredEmail(to, facts, "grace", nowMs) };
  if (before.state === "suspended")
    return { about, write: (to, facts) => restoredEmail(to, facts, "suspension", nowMs) };
  return null;
}

async function planMessage(
  db: Database,
  { organization, billing, before, step }: ChangedTerms,
  nowMs: number,
): Promise<Message | null> {
  const { terms, endingAtMs, planEnded } = step;
  if (endingAtMs !== null) {
    const after = afterPlanEnd(terms, storedSubscription(billing), endingAtMs);
    const next = await nextPlan(db, organization, terms, after);
    if (next === null) return null;
    return { about: terms, write: (to, facts) => planEndingEmail(to, facts, next, endingAtMs) };
  }
  // Another plan that someone chose is no news.
  const hasEnded = planEnded || (terms.state === "cancelled" && before.state !== "cancelled");
  const next = hasEnded ? await nextPlan(db, organization, before, terms) : null;
  if (next === null) return null;
  return { about: before, write: (to, facts) => planEndedEmail(to, facts, next, nowMs) };
}

/** Null if the plan stays the same. */
async function nextPlan(
  db: Database,
  { id, version_checks_on_downgrade }: OrganizationRow,
  before: BillingTerms,
  after: BillingTerms,
): Promise<NextPlan | null> {
  const [from, to] = [effectivePlan(before.plan, before.state), effectivePlan(after.plan, after.state)];
  if (from === to) return null;
  const [old, next] = [await planById(db, from), await planById(db, to)];
  const losesChecks =
    old.version_module === 1 && next.version_module === 0 && (await countVersionChecks(db, id)) > 0;
  return { plan: next.name, versionChecks: losesChecks ? version_checks_on_downgrade : null };
}
