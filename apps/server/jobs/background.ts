import type { Store } from "@countersign/store/store";
import type { Config } from "../config.ts";
import { importDesk } from "../features/license-files/desk.ts";
import { mailForgetting } from "../features/mail/forget.ts";
import { lettersAtOnce, Mailer } from "../features/mail/mailer.ts";
import { smtpPost } from "../features/mail/post.ts";
import { organizationRemoval } from "../features/organizations/remove-due.ts";
import { answerForgetting } from "../http/manage/forget-answers.ts";
import type { Log } from "../log.ts";
import { Chores } from "./chores.ts";

export interface Background {
  stop(): Promise<void>;
}

/** Starts everything that the server does without being asked. */
export function startBackground(store: Store, config: Config, log: Log): Background {
  const mailer =
    config.mail === null ? null : new Mailer(store, smtpPost(config.mail, config.url, lettersAtOnce), log);
  const chores = new Chores(
    [
      ...(mailer === null ? [] : [mailer]),
      mailForgetting(store),
      organizationRemoval(store),
      answerForgetting(store),
    ],
    log,
  );
  const imports = importDesk(store, log);
  return {
    stop: async () => {
      await imports.stop();
      await mailer?.close();
      await chores.stop();
    },
  };
}
