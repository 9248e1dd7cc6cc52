import type { Store } from "@countersign/store/store";
import type { Config } from "../config.ts";
import { ExpiryWatch } from "../features/events/expiry-watch.ts";
import { refusalForgetting } from "../features/events/forget-refusals.ts";
import { QuotaWatch } from "../features/events/quota-watch.ts";
import { leftoverForgetting } from "../features/identity/forget-leftovers.ts";
import { importRunner } from "../features/license-files/import-runner.ts";
import { mailForgetting } from "../features/mail/forget.ts";
import { lettersAtOnce, Mailer } from "../features/mail/mailer.ts";
import { smtpPost } from "../features/mail/post.ts";
import { WaitingLetters } from "../features/mail/waiting-letters.ts";
import { type JournalOfOrganizations, OrganizationRemoval } from "../features/organizations/remove-due.ts";
import { IpMerging } from "../features/products/merge-ips.ts";
import { UnusedKeysWatch } from "../features/products/unused-keys.ts";
import { Outbox, webhookSender } from "../features/webhooks/outbox.ts";
import { Prober } from "../features/webhooks/probe.ts";
import { deletedEndpointRemoval } from "../features/webhooks/remove-deleted.ts";
import { deliveriesFollowing, deliveryForgetting } from "../features/webhooks/tidy.ts";
import { answerForgetting } from "../http/manage/forget-answers.ts";
import type { Log } from "../log.ts";
import { Chores } from "./chores.ts";

export interface Background {
  stop(): Promise<void>;
}

/** Starts all background work of the server. */
export function startBackground(
  store: Store,
  journal: JournalOfOrganizations,
  config: Config,
  log: Log,
): Background {
  const jobs = store.withOwnConnections("jobs");
  const webhooks = store.withOwnConnections("webhooks");
  const mailer =
    config.mail === null ? null : new Mailer(jobs, smtpPost(config.mail, config.url, lettersAtOnce), log);
  const sender = webhookSender(config.webhookTargets);
  const chores = new Chores(
    [
      ...(mailer === null ? [] : [mailer]),
      mailForgetting(jobs),
      new OrganizationRemoval(jobs, journal),
      answerForgetting(jobs),
      deliveriesFollowing(jobs),
      deliveryForgetting(jobs),
      new Prober({ store: webhooks, send: sender, url: config.url, random: Math.random }),
      leftoverForgetting(jobs),
      new ExpiryWatch(jobs, config.lettersADay),
      new WaitingLetters(jobs, config.lettersADay),
      new QuotaWatch(jobs),
      refusalForgetting(jobs),
      deletedEndpointRemoval(jobs),
      new IpMerging(jobs),
      new UnusedKeysWatch(jobs, config.url),
    ],
    log,
  );
  store.startUpkeep((reason) => log.warn("Database maintenance failed. It will be retried.", { reason }));
  const imports = importRunner(store, log);
  const outbox = new Outbox(webhooks, config.url, sender, log);
  return {
    stop: async () => {
      await Promise.all([imports.stop(), outbox.close(), mailer?.close()]);
      await chores.stop();
    },
  };
}
