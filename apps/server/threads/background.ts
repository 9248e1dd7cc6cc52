import type { Store } from "@countersign/store/store";
import type { Config } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { logArchiveProblem } from "../features/audit-log/archive.ts";
import { auditLogRetention } from "../features/audit-log/retention.ts";
import { billingClock } from "../features/billing/change-terms.ts";
import { stripeReconciliation } from "../features/billing/reconcile.ts";
import { customerErasure, type JournalOfCustomers } from "../features/customer-erasure/job.ts";
import { expiryCheck } from "../features/events/expiry-check.ts";
import { refusalPruning } from "../features/events/prune-refusals.ts";
import { quotaCheck } from "../features/events/quota-check.ts";
import { integrityCheck } from "../features/integrity/integrity-check.ts";
import { importRunner } from "../features/license-files/import-runner.ts";
import { emailsAtOnce, Mailer, smtpTransport } from "../features/mail/mailer.ts";
import { waitingEmailsJob } from "../features/mail/waiting-emails.ts";
import { type JournalOfOrganizations, organizationRemoval } from "../features/organizations/remove-due.ts";
import { ipMerging } from "../features/products/merge-ips.ts";
import { unusedKeysCheck } from "../features/products/unused-keys.ts";
import { transferReminders } from "../features/transfers/remind.ts";
import { quotaEmails } from "../features/usage/quota-emails.ts";
import { Outbox } from "../features/webhooks/delivery/outbox.ts";
import { webhookProbing } from "../features/webhooks/delivery/probe.ts";
import { webhookSender } from "../features/webhooks/delivery/send.ts";
import {
  deletedEndpointRemoval,
  deliveryPruning,
  deliverySync,
} from "../features/webhooks/delivery/upkeep.ts";
import { jobRunsOf } from "../jobs/job-runs.ts";
import { jobRunSaving, PeriodicJobs } from "../jobs/periodic-jobs.ts";
import { pruningJobs } from "../jobs/pruning.ts";
import { type Insight, jobSpan, observedSender, observedTransport } from "./observe.ts";

interface Background {
  stop(): Promise<void>;
}

/** Starts all background work of the server. */
export function startBackground(
  store: Store,
  journal: JournalOfOrganizations & JournalOfCustomers,
  config: Config,
  log: Log,
  insight: Insight,
): Background {
  const { stripe, url } = config;
  const jobs = store.withOwnConnections("jobs");
  const webhooks = store.withOwnConnections("webhooks");
  const mailer = mailerOf(jobs, config, log, insight);
  const sender = observedSender(webhookSender(config.webhookTargets), insight);
  const runs = jobRunsOf(store);
  const periodicJobs = new PeriodicJobs(
    [
      ...(mailer === null ? [] : [mailer]),
      organizationRemoval(jobs, journal),
      customerErasure(jobs, journal),
      ...(stripe === null ? [] : [stripeReconciliation({ store: jobs, settings: stripe, url }, log)]),
      ...pruningJobs(jobs, stripe !== null),
      deliverySync(jobs),
      deliveryPruning(jobs),
      webhookProbing({ store: webhooks, send: sender, url: url, random: Math.random }),
      expiryCheck(jobs, config),
      waitingEmailsJob(jobs, config),
      transferReminders(jobs, url),
      quotaCheck(jobs),
      quotaEmails(jobs, url),
      billingClock(jobs, url),
      refusalPruning(jobs),
      deletedEndpointRemoval(jobs),
      ipMerging(jobs),
      unusedKeysCheck(jobs, url),
      auditLogRetention(jobs, config.auditLogArchive, log, {
        archived: (entries) => insight.metrics.auditEntriesArchived(entries),
        deleted: (entries) => insight.metrics.auditEntriesDeleted(entries),
      }),
      integrityCheck(jobs, log, (state) => insight.metrics.integrityChecked(state)),
      jobRunSaving(jobs, runs),
    ],
    log,
    runs,
    (job) => jobSpan(insight.tracer, job),
  );
  store.startUpkeep((reason) => log.warn("Database maintenance failed. It will be retried.", { reason }));
  void logArchiveProblem(config.auditLogArchive, log);
  const imports = importRunner(store, log);
  const outbox = new Outbox({ store: webhooks, url, sender, log, runs });
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
