import type { Store } from "@countersign/store/store";
import { answerPruning } from "../api/prune-answers.ts";
import type { Config } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { logArchiveProblem } from "../features/audit-log/archive.ts";
import { AuditLogRetention } from "../features/audit-log/retention.ts";
import { BillingClock } from "../features/billing/clock.ts";
import { StripeReconciliation, stripeEventPruning } from "../features/billing/reconcile.ts";
import { ExpiryCheck } from "../features/events/expiry-check.ts";
import { refusalPruning } from "../features/events/prune-refusals.ts";
import { QuotaCheck } from "../features/events/quota-check.ts";
import { signInPruning } from "../features/identity/prune-expired.ts";
import { impersonationPruning } from "../features/impersonations/prune.ts";
import { IntegrityCheck } from "../features/integrity/integrity-check.ts";
import { importRunner } from "../features/license-files/import-runner.ts";
import { emailsAtOnce, Mailer } from "../features/mail/mailer.ts";
import { emailPruning } from "../features/mail/prune.ts";
import { smtpTransport } from "../features/mail/transport.ts";
import { WaitingEmails } from "../features/mail/waiting-emails.ts";
import { type JournalOfOrganizations, OrganizationRemoval } from "../features/organizations/remove-due.ts";
import { portalActionPruning } from "../features/portal/prune-actions.ts";
import { portalPruning } from "../features/portal/prune-expired.ts";
import { IpMerging } from "../features/products/merge-ips.ts";
import { UnusedKeysCheck } from "../features/products/unused-keys.ts";
import { TransferReminders } from "../features/transfers/remind.ts";
import { usagePruning } from "../features/usage/prune.ts";
import { QuotaEmails } from "../features/usage/quota-emails.ts";
import { Outbox } from "../features/webhooks/delivery/outbox.ts";
import { Prober } from "../features/webhooks/delivery/probe.ts";
import { webhookSender } from "../features/webhooks/delivery/send.ts";
import {
  deletedEndpointRemoval,
  deliveryPruning,
  deliverySync,
} from "../features/webhooks/delivery/upkeep.ts";
import { jobRunsOf } from "../jobs/job-runs.ts";
import { type PeriodicJob, PeriodicJobs } from "../jobs/periodic-jobs.ts";
import { jobRunSaving } from "../jobs/save-job-runs.ts";
import { type Insight, jobSpan, observedSender, observedTransport } from "./observe.ts";

interface Background {
  stop(): Promise<void>;
}

/** Starts all background work of the server. */
export function startBackground(
  store: Store,
  journal: JournalOfOrganizations,
  config: Config,
  log: Log,
  insight: Insight,
): Background {
  const jobs = store.withOwnConnections("jobs");
  const webhooks = store.withOwnConnections("webhooks");
  const mailer = mailerOf(jobs, config, log, insight);
  const sender = observedSender(webhookSender(config.webhookTargets), insight);
  const runs = jobRunsOf(store);
  const periodicJobs = new PeriodicJobs(
    [
      ...(mailer === null ? [] : [mailer]),
      emailPruning(jobs),
      new OrganizationRemoval(jobs, journal),
      ...stripeJobs(jobs, config, log),
      answerPruning(jobs),
      deliverySync(jobs),
      deliveryPruning(jobs),
      new Prober({ store: webhooks, send: sender, url: config.url, random: Math.random }),
      signInPruning(jobs),
      portalPruning(jobs),
      impersonationPruning(jobs),
      new ExpiryCheck(jobs, config),
      new WaitingEmails(jobs, config),
      new TransferReminders(jobs, config.url),
      new QuotaCheck(jobs),
      new QuotaEmails(jobs, config.url),
      usagePruning(jobs),
      new BillingClock(jobs, config.url),
      refusalPruning(jobs),
      deletedEndpointRemoval(jobs),
      new IpMerging(jobs),
      portalActionPruning(jobs),
      new UnusedKeysCheck(jobs, config.url),
      new AuditLogRetention(jobs, config.auditLogArchive, log, {
        archived: (entries) => insight.metrics.auditEntriesArchived(entries),
        deleted: (entries) => insight.metrics.auditEntriesDeleted(entries),
      }),
      new IntegrityCheck(jobs, log, (state) => insight.metrics.integrityChecked(state)),
      jobRunSaving(jobs, runs),
    ],
    log,
    runs,
    (job) => jobSpan(insight.tracer, job),
  );
  store.startUpkeep((reason) => log.warn("Database maintenance failed. It will be retried.", { reason }));
  void logArchiveProblem(config.auditLogArchive, log);
  const imports = importRunner(store, log);
  const outbox = new Outbox(webhooks, config.url, sender, log, runs);
  return {
    stop: async () => {
      await Promise.all([imports.stop(), outbox.close(), mailer?.close()]);
      await periodicJobs.stop();
    },
  };
}

function mailerOf(store: Store, { mail, url }: Config, log: Log, insight: Insight): Mailer | null {
  if (mail === null) return null;
  return new Mailer(store, observedTransport(smtpTransport(mail, url, emailsAtOnce), insight), log);
}

function stripeJobs(store: Store, { stripe, url }: Config, log: Log): PeriodicJob[] {
  if (stripe === null) return [];
  return [new StripeReconciliation({ store, settings: stripe, url }, log), stripeEventPruning(store)];
}
