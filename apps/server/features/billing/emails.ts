import { moment, type Sentence } from "@countersign/domain/mail/translate";
import { compose, type Recipient } from "../mail/compose.ts";
import type { Email } from "../mail/email.ts";

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
