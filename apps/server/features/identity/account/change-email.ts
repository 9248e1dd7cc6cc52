import { hash, randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/account";
import { newId } from "@countersign/store/new-id";
import {
  addOneTimeToken,
  consumeOneTimeToken,
  removeOneTimeTokens,
} from "@countersign/store/queries/identity/sign-in";
import { lockedUser, updateUser, userByEmail } from "@countersign/store/queries/identity/users";
import { type BoundRoute, bind } from "../../../api/bind.ts";
import { invalid, Problem } from "../../../http/problem.ts";
import { audit } from "../../audit-log/record.ts";
import { recipientById, recipientOf, writeEmail } from "../../mail/email.ts";
import { emailChangedEmail, emailChangeEmail, emailChangeRequestedEmail } from "../emails.ts";
import { checkReauthenticated } from "../sign-in/reauthenticate.ts";
import { checkSignInEmail } from "../sign-in-email.ts";
import { showMe } from "./show.ts";

const goodForMs = 60 * 60_000;

/**
 * A new email address is confirmed from that address by someone who is signed in: the link alone grants nothing, so it
 * is useless to someone who requested it with a session that has since been ended.
 */
export const changeEmailRoutes: readonly BoundRoute[] = [
  bind(contract.changeMyEmail, async (context, { body }) => {
    const { actor } = context;
    const newEmail = body.new_email.toLowerCase();
    checkSignInEmail("new_email", newEmail);
    if (newEmail === actor.email.toLowerCase()) throw invalid("new_email", "same_email");
    await context.signIn.flood.check("mail", context.ip, actor.userId);
    const { store, ip, nowMs } = context;
    await checkReauthenticated({
      store,
      flood: context.signIn.flood,
      actor,
      password: body.password,
      confirmation: body.confirmation,
      ip,
      nowMs,
    });
    const token = randomBytes(32).toString("base64url");
    return context.transaction(async (db) => {
      const reader = await recipientById(db, actor.userId);
      if (reader === undefined) throw new Problem("user_not_found");
      // An address that already has an account gets no email; the caller does not learn that it has one.
      if ((await userByEmail(db, newEmail)) === undefined) {
        await addOneTimeToken(
          db,
          {
            id: newId(),
            identifier: identifierOf(token),
            value: `${actor.userId} ${newEmail}`,
            expiresAtMs: context.nowMs + goodForMs,
          },
          context.nowMs,
        );
        const url = `${context.config.url}/account/email?token=${token}`;
        await writeEmail(db, emailChangeEmail({ ...reader, email: newEmail }, url), context.nowMs);
      }
      await writeEmail(db, emailChangeRequestedEmail(reader, newEmail), context.nowMs);
      await audit(db, context, {
        action: "person.email_change_requested",
        subject: { kind: "person", id: actor.userId, name: actor.name },
        after: { email: newEmail },
      });
      return { new_email: newEmail };
    });
  }),

  bind(contract.confirmMyEmail, async (context, { body }) => {
    const { actor } = context;
    await context.signIn.flood.check("token", context.ip, actor.userId);
    return context.transaction(async (db) => {
      const kept = await consumeOneTimeToken(db, identifierOf(body.token), context.nowMs);
      const [userId, newEmail] = kept?.split(" ") ?? [];
      if (newEmail === undefined || userId !== actor.userId) throw invalid("token", "invalid_token");
      const row = await lockedUser(db, actor.userId);
      if (row === undefined) throw new Problem("user_not_found");
      if ((await userByEmail(db, newEmail)) !== undefined)
        throw new Problem("email_taken", { email: newEmail });
      await updateUser(db, row.id, { email: newEmail, email_verified: 1 }, context.nowMs);
      // A password reset requested for the old email address must not work any more.
      await removeOneTimeTokens(db, row.id);
      await writeEmail(db, emailChangedEmail(recipientOf(row), newEmail), context.nowMs);
      await audit(db, context, {
        action: "person.email_changed",
        subject: { kind: "person", id: row.id, name: row.name },
        before: { email: row.email },
        after: { email: newEmail },
      });
      return showMe(db, row.id);
    });
  }),
];

function identifierOf(token: string): string {
  return `email-change:${hash("sha256", token, "hex")}`;
}
