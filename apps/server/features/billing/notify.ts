import { afterPlanEnd, type BillingTerms, type ClockStep } from "@countersign/domain/billing/terms";
import { moment, type Sentence } from "@countersign/domain/mail/translate";
import { effectivePlan } from "@countersign/domain/quota/limit";
import { countVersionChecks } from "@countersign/store/queries/billing/billing";
import { planById } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import type { OrganizationBillingRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

import { compose } from "../mail/compose.ts";
import { type Email, type Recipient, writeEmails } from "../mail/email.ts";
import { recipientsWith } from "../members/recipients.ts";
import { paymentSettings } from "../settings/platform-settings.ts";
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

/** Emails about plans and payments, to an organization's owner and to members who manage its billing. */

/** What all of them need. */
export interface BillingEmailFacts {
  readonly organizationId: string;
  readonly organization: string;
  readonly timeZone: string;
  /** The name of the plan that is or was paid for. */
  readonly plan: string;
  /** Whether it is paid by a subscription; otherwise the operator is paid directly. */
  readonly isSubscribed: boolean;
  /** Whom to ask about payments: an email address or a URL. */
  readonly contact: string | null;
  /** The URL of the organization's billing settings. */
  readonly url: string;
}

const notices = ["billing_grace.first", "billing_grace.second", "billing_grace.last"] as const;

/** The emails during a grace period, counted from 0. */
export function graceEmail(
  to: Recipient,
  facts: BillingEmailFacts,
  { notice, startedAtMs, endsAtMs }: { notice: number; startedAtMs: number; endsAtMs: number },
): Email {
  return compose(to, "billing_grace", {
    values: { ...names(facts), when: moment(to.language, endsAtMs, facts.timeZone) },
    before: [notices[notice] ?? "billing_grace.last", "billing_grace.when"],
    action: { label: "billing_grace.action", url: facts.url },
    after: [howToPay(facts)],
    once: `billing_grace:${facts.organizationId}:${startedAtMs}:${notice}:${to.email}`,
  });
}

export function suspendedEmail(to: Recipient, facts: BillingEmailFacts, atMs: number): Email {
  return compose(to, "billing_suspended", {
    values: { ...names(facts), when: moment(to.language, atMs, facts.timeZone) },
    before: ["billing_suspended.what", "billing_suspended.kept"],
    action: { label: "billing_grace.action", url: facts.url },
    after: [howToPay(facts)],
    once: `billing_suspended:${facts.organizationId}:${atMs}:${to.email}`,
  });
}

/** After a grace period, or after a suspension. */
export function restoredEmail(
  to: Recipient,
  facts: BillingEmailFacts,
  after: "grace" | "suspension",
  atMs: number,
): Email {
  return compose(to, "billing_restored", {
    values: names(facts),
    before: [`billing_restored.after_${after}`],
    action: { label: "billing_grace.action", url: facts.url },
    after: ["billing_restored.thanks"],
    once: `billing_restored:${facts.organizationId}:${atMs}:${to.email}`,
  });
}

/** What follows the plan, for the emails about its end. */
export interface NextPlan {
  /** Its name. */
  readonly plan: string;
  /** What happens to version checks, if products have them and the next plan does not include them. */
  readonly versionChecks: "enforce" | "report" | null;
}

function howToKeep({ isSubscribed, contact }: BillingEmailFacts) {
  if (isSubscribed) return "plan_ending.resume";
  return contact === null ? "plan_ending.ask_operator" : "plan_ending.ask_contact";
}

export function planEndingEmail(
  to: Recipient,
  facts: BillingEmailFacts,
  next: NextPlan,
  endsAtMs: number,
): Email {
  return compose(to, "plan_ending", {
    values: { ...names(facts), next: next.plan, when: moment(to.language, endsAtMs, facts.timeZone) },
    before: ["plan_ending.what", ...effects(next)],
    action: { label: "billing_grace.action", url: facts.url },
    after: [howToKeep(facts)],
    once: `plan_ending:${facts.organizationId}:${endsAtMs}:${to.email}`,
  });
}

export function planEndedEmail(to: Recipient, facts: BillingEmailFacts, next: NextPlan, atMs: number): Email {
  return compose(to, "plan_ended", {
    values: { ...names(facts), next: next.plan },
    before: ["plan_ended.what", ...effects(next)],
    action: { label: "billing_grace.action", url: facts.url },
    after: ["plan_ended.choose"],
    once: `plan_ended:${facts.organizationId}:${atMs}:${to.email}`,
  });
}

function names({ organization, plan, contact }: BillingEmailFacts) {
  return { organization, plan, contact: contact ?? "" };
}

function howToPay({ isSubscribed, contact }: BillingEmailFacts): Sentence {
  if (isSubscribed) return "billing_grace.pay";
  return contact === null ? "billing_grace.ask_operator" : "billing_grace.ask_contact";
}

function effects({ versionChecks }: NextPlan): Sentence[] {
  if (versionChecks === null) return ["plan_ending.kept"];
  return ["plan_ending.kept", `plan_ending.versions_${versionChecks}`];
}
