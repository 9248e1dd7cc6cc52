import * as contract from "@countersign/contract/manage/account";
import { preferredLanguage } from "@countersign/domain/mail/languages";
import { newId } from "@countersign/store/new-id";
import { addPassword } from "@countersign/store/queries/identity/sign-in";
import { addUser, anyUserExists } from "@countersign/store/queries/identity/users";
import { ownUnowned } from "@countersign/store/queries/organizations/organizations";
import { type BoundRoute, bind } from "../../../api/context.ts";
import { invalidField, Problem } from "../../../http/problem.ts";
import { audit } from "../../audit-log/record.ts";
import { platformSettings } from "../../settings/platform-settings.ts";
import { passwordFault } from "../passwords/password-rules.ts";
import { hashPassword } from "../passwords/passwords.ts";
import { checkSignInEmail } from "../sign-in-email.ts";
import { isValidSetupToken, useSetupToken } from "./setup-link.ts";
import { showMe } from "./show.ts";

/** The first account of an installation, created with the link that the server printed. */
export const setupRoutes: readonly BoundRoute[] = [
  bind(contract.getSetup, async ({ store, config, signIn, nowMs, ip }, { query: { token } }) => {
    if (token !== undefined) await signIn.flood.check("token", ip, null);
    return {
      is_open: !(await anyUserExists(store.reads)),
      is_link_good: token === undefined ? null : await isValidSetupToken(store.reads, token, nowMs),
      sign_up: (await platformSettings(store.reads, config)).sign_up,
      email: config.mail !== null,
      discord: config.discord !== null,
      url: config.url,
    };
  }),

  bind(contract.runSetup, async (context, { body }) => {
    const { store, signIn, nowMs, ip, config, request } = context;
    // Otherwise the link would be used up, and everything after it refused.
    const { origin } = new URL(config.url);
    if ((request.headers.get("origin") ?? origin) !== origin) throw new Problem("wrong_origin", { origin });
    const email = body.email.toLowerCase();
    // Before the password is hashed, which is expensive; what counts is that it is still valid afterwards.
    if (!(await isValidSetupToken(store.reads, body.token, nowMs))) throw new Problem("invalid_setup_link");
    checkSignInEmail("email", email);
    const fault = await passwordFault(body.password, { email, name: body.name });
    if (fault !== null) throw invalidField("password", fault);
    const locale = body.locale ?? preferredLanguage(context.request.headers.get("accept-language"));
    const hash = await hashPassword(body.password);
    const userId = newId();
    const me = await context.transaction(async (db) => {
      if (!(await useSetupToken(db, body.token, nowMs))) throw new Problem("invalid_setup_link");
      await addUser(
        db,
        { id: userId, name: body.name, email, emailVerified: true, isPlatformAdmin: true, locale },
        nowMs,
      );
      await addPassword(db, { id: newId(), userId, hash }, nowMs);
      await ownUnowned(db, userId, nowMs);
      await audit(db, context, {
        action: "person.set_up",
        subject: { kind: "person", id: userId, name: body.name },
        after: { email, is_platform_admin: true },
      });
      return showMe(db, userId);
    });
    const headers = new Headers({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    });
    // The account exists, whatever happens now: without a session, its owner signs in.
    const cookies = await signIn.openSession(email, body.password, context.request, ip).catch(() => []);
    for (const cookie of cookies) headers.append("set-cookie", cookie);
    return new Response(JSON.stringify(me), { status: 201, headers });
  }),
];
