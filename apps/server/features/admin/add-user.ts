import * as contract from "@countersign/contract/manage/admin-users";
import { hourMs } from "@countersign/domain/dates/lengths";
import { newId } from "@countersign/store/new-id";
import { lockedUser } from "@countersign/store/queries/admin/users";
import { passwordHashOf } from "@countersign/store/queries/identity/sign-in";
import { addUser, userByEmail } from "@countersign/store/queries/identity/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { Context } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { asPlatform, audit } from "../audit-log/record.ts";
import { accountCreatedEmail, resetEmail } from "../identity/emails.ts";
import { newPasswordLink } from "../identity/password-link.ts";
import { checkSignInEmail } from "../identity/sign-in-email.ts";
import { writeEmail } from "../mail/email.ts";
import { recipientOf } from "../mail/recipient.ts";
import { userDetails } from "./show-user.ts";

const firstPasswordMs = 7 * 24 * hourMs;
const emailedMs = hourMs;
/** Passing a link on takes longer than emailing it. */
const handedOverMs = 24 * hourMs;

/** People added by a platform admin, and password links for those who cannot get one by email. */
export const addUserRoutes: readonly BoundRoute[] = [
  bind(contract.createUser, async (context, { body }) => {
    const email = body.email.toLowerCase();
    checkSignInEmail("email", email);
    return context.transaction(async (db) => {
      if ((await userByEmail(db, email)) !== undefined)
        throw new Problem("email_taken", { email }, { field: "email" });
      const id = newId();
      const name = body.name ?? email.split("@")[0] ?? email;
      const locale = body.locale ?? context.config.language;
      // Verified when the link is used: it was emailed to the address, or passed on by the server's operator.
      await addUser(
        db,
        { id, name, email, emailVerified: false, isPlatformAdmin: false, locale },
        context.nowMs,
      );
      const link = await passwordLink(db, context, await currentUser(db, id));
      await audit(db, asPlatform(context), {
        action: "user.created",
        subject: { kind: "user", id, name },
        after: { email, link_shown: link.password_link !== null },
      });
      return { ...(await userDetails(db, id)), ...link };
    });
  }),

  bind(contract.createPasswordLink, async (context, input) =>
    context.transaction(async (db) => {
      const user = await currentUser(db, input.params.user_id);
      if (user.suspended_at !== null) throw new Problem("user_suspended");
      const link = await passwordLink(db, context, user);
      await audit(db, asPlatform(context), {
        action: "user.password_link_created",
        subject: { kind: "user", id: user.id, name: user.name },
        after: { link_shown: link.password_link !== null },
      });
      return link;
    }),
  ),
];

/** Emailed to the person and shown to nobody else, or shown if there is no mail server. */
async function passwordLink(db: Database, context: Context, user: UserRow) {
  const isEmailed = context.config.mail !== null;
  const isFirst = user.email_verified === 0 && (await passwordHashOf(db, user.id)) === null;
  const goodForMs = isFirst ? firstPasswordMs : isEmailed ? emailedMs : handedOverMs;
  const wanted = { userId: user.id, isFirst, goodForMs };
  const { url, expiresAtMs } = await newPasswordLink(db, context.config.url, wanted, context.nowMs);
  if (isEmailed) {
    const reader = recipientOf(user);
    const message = isFirst ? accountCreatedEmail(reader, url, expiresAtMs) : resetEmail(reader, url);
    await writeEmail(db, message, context.nowMs);
  }
  return { password_link: isEmailed ? null : url, password_link_expires_at: iso(expiresAtMs) };
}

async function currentUser(db: Database, id: string): Promise<UserRow> {
  const user = await lockedUser(db, id);
  if (user === undefined) throw new Problem("user_not_found");
  return user;
}
