import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { userByEmail } from "@countersign/store/queries/identity/users";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { auditWithoutRequest } from "../features/audit-log/record.ts";
import { newPasswordLink } from "../features/identity/sign-in/password-reset.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";
import { withStore } from "./with-store.ts";

const goodForMs = hourMs;

/** Restores access for an only platform admin, who has nobody to ask. */
export const passwordLink: Command = {
  name: "password-link",
  help: `countersign password-link --email ADDRESS [--json]

Prints a link to set a new password for an account, for when no email can be sent and no platform admin can sign in.
It works once and expires in an hour. Earlier links stop working. Two-factor authentication stays on.

  --email ADDRESS   the account's email address
  --json            print one JSON object: user_id, link, expires_at
`,
  async run(args, environment) {
    const { values } = readOptions("password-link", args, {
      email: { type: "string" },
      json: { type: "boolean" },
    });
    const email = values.email?.trim().toLowerCase() ?? "";
    if (email === "") throw new OperatorProblem("Add --email with the account's email address.");
    const config = readConfig(environment);
    const { userId, url, expiresAtMs } = await withStore(config, (store) =>
      store.transaction(async (db) => {
        const nowMs = Date.now();
        const user = await userByEmail(db, email);
        if (user === undefined) throw new OperatorProblem(`No account has the email address ${email}.`);
        const wanted = { userId: user.id, isFirst: false, goodForMs };
        const link = await newPasswordLink(db, config.url, wanted, nowMs);
        await auditWithoutRequest(db, { kind: "command_line", name: "countersign password-link" }, nowMs, {
          action: "user.password_link_created",
          subject: { kind: "user", id: user.id, name: user.name },
          after: { link_shown: true },
        });
        return { userId: user.id, ...link };
      }),
    );
    if (values.json === true) printJson({ user_id: userId, link: url, expires_at: isoTime(expiresAtMs) });
    else printLines([`Open this link within an hour to set a new password for ${email}:`, `  ${url}`]);
    return 0;
  },
};
