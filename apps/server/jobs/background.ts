import type { Store } from "@countersign/store/store";
import type { Config } from "../config.ts";
import { leftoverForgetting } from "../features/identity/forget-leftovers.ts";
import { importDesk } from "../features/license-files/desk.ts";
import { mailForgetting } from "../features/mail/forget.ts";
import { lettersAtOnce, Mailer } from "../features/mail/mailer.ts";
import { smtpPost } from "../features/mail/post.ts";
import { type JournalOfOrganizations, OrganizationRemoval } from "../features/organizations/remove-due.ts";
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
  const chores = new Chores(
    [
      ...(mailer === null ? [] : [mailer]),
      mailForgetting(store),
      removal,
      answerForgetting(store),
      leftoverForgetting(store),
    ],
    log,
  );
  store.openReadingRoom((reason) =>
    log.warn("Lists and searches have trouble with the database. They will be tried again.", { reason }),
  );
  const imports = importDesk(store, log);
  return {
    stop: async () => {
      await imports.stop();
      await mailer?.close();
      removal.close();
      await chores.stop();
    },
  };
}
