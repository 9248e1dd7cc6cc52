import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/account";
import { type Language, preferredLanguage } from "@countersign/domain/mail/languages";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { permissions } from "@countersign/domain/members/permissions";
import { newId } from "@countersign/store/new-id";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { lockSetup } from "@countersign/store/queries/admin/platform-state";
import { addPassword, passwordHashOf } from "@countersign/store/queries/identity/sign-in";
import { addUser, anyUserExists, userByEmail } from "@countersign/store/queries/identity/users";
import { ownUnowned } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind } from "../../../api/bind.ts";
import { OperatorProblem } from "../../../base/operator-problem.ts";
import { invalidField, Problem } from "../../../http/problem.ts";
import { audit, auditWithoutRequest } from "../../audit-log/record.ts";
import { platformSettings } from "../../settings/platform-settings.ts";
import { passwordFault } from "../passwords/password-rules.ts";
import { hashPassword, verifyPassword } from "../passwords/passwords.ts";
import { checkSignInEmail } from "../sign-in-email.ts";
import { dropSetupTokens, isValidSetupToken, useSetupToken } from "./setup-link.ts";
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

export interface Account {
  readonly email: string;
  readonly password: string;
  /** The language of their emails, if the account is new. */
  readonly locale: Language;
}

/** Someone whose password has been checked or hashed: both are slow, and done before anything is written. */
type PreparedPerson =
  | {
      readonly isNew: true;
      readonly email: string;
      readonly locale: Language;
      readonly passwordHash: string;
    }
  | { readonly isNew: false; readonly email: string; readonly locale: Language; readonly userId: string };

export async function preparePerson(db: Database, account: Account): Promise<PreparedPerson> {
  const email = account.email.trim().toLowerCase();
  const user = await userByEmail(db, email);
  if (user === undefined) {
    const { locale, password } = account;
    return { isNew: true, email, locale, passwordHash: await hashPassword(password) };
  }
  const stored = await passwordHashOf(db, user.id);
  if (stored === null || !(await verifyPassword(account.password, stored))) {
    throw new OperatorProblem(
      `An account with the email address ${email} already exists, with a different password.`,
    );
  }
  if (user.suspended_at !== null) throw new OperatorProblem(`The account ${email} is suspended.`);
  return { isNew: false, email, locale: user.locale, userId: user.id };
}

/**
 * Creates a person without a browser, with a token that has all their permissions. The first one becomes platform
 * admin.
 */
export async function setUpPerson(
  db: Database,
  person: PreparedPerson,
  nowMs: number,
): Promise<{ userId: string; accessToken: string }> {
  const userId = person.isNew ? await addPerson(db, person, nowMs) : person.userId;
  const token = generateAccessToken(randomBytes);
  await addAccessToken(
    db,
    {
      id: newId(),
      hash: token.hash,
      shownPrefix: token.shownPrefix,
      name: "Set up on the command line",
      userId,
      organizationId: null,
      permissions,
      createdBy: userId,
      expiresAtMs: null,
    },
    nowMs,
  );
  return { userId, accessToken: token.token };
}

async function addPerson(
  db: Database,
  { email, locale, passwordHash }: Extract<PreparedPerson, { isNew: true }>,
  nowMs: number,
): Promise<string> {
  await lockSetup(db);
  if ((await userByEmail(db, email)) !== undefined) {
    throw new OperatorProblem(`An account with the email address ${email} was just created. Try again.`);
  }
  const isFirst = !(await anyUserExists(db));
  const userId = newId();
  const name = email.split("@")[0] ?? email;
  await addUser(
    db,
    { id: userId, name, email, emailVerified: true, isPlatformAdmin: isFirst, locale },
    nowMs,
  );
  await addPassword(db, { id: newId(), userId, hash: passwordHash }, nowMs);
  if (isFirst) {
    await dropSetupTokens(db);
    await ownUnowned(db, userId, nowMs);
  }
  await auditWithoutRequest(db, { kind: "command_line", name: "countersign setup" }, nowMs, {
    action: "person.set_up",
    subject: { kind: "person", id: userId, name },
    after: { email, is_platform_admin: isFirst },
  });
  return userId;
}
