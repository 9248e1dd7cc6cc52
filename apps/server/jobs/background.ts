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

/** Starts everything that the server does without being asked. */
export function startBackground(
  store: Store,
  journal: JournalOfOrganizations,
  config: Config,
  log: Log,
): Background {
  const removal = new OrganizationRemoval(store, journal);
  const mailer =
    config.mail === null ? null : new Mailer(store, smtpPost(config.mail, config.url, lettersAtOnce), log);
  const expiries = new ExpiryWatch(store, config.lettersADay);
  const waitingLetters = new WaitingLetters(store, config.lettersADay);
  const sender = webhookSender(config.webhookTargets);
  const prober = new Prober({ store, send: sender, url: config.url, random: Math.random });
  const chores = new Chores(
    [
      ...(mailer === null ? [] : [mailer]),
      mailForgetting(store),
      removal,
      answerForgetting(store),
      deliveriesFollowing(store),
      deliveryForgetting(store),
      prober,
      leftoverForgetting(store),
      expiries,
      waitingLetters,
      new QuotaWatch(store),
      refusalForgetting(store),
      deletedEndpointRemoval(store),
    ],
    log,
  );
  store.startUpkeep((reason) =>
    log.warn("Upkeep of the database failed. It will be tried again.", { reason }),
  );
  const imports = importRunner(store, log);
  const outbox = new Outbox(store, config.url, sender, log);
  return {
    stop: async () => {
      await Promise.all([imports.stop(), outbox.close(), mailer?.close()]);
      removal.close();
      expiries.close();
      waitingLetters.close();
      prober.close();
      await chores.stop();
    },
  };
}
