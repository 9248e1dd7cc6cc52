import { randomBytes } from "node:crypto";
import type { Language } from "@countersign/domain/mail/languages";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { permissions } from "@countersign/domain/members/permissions";
import { newId } from "@countersign/store/new-id";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { lockSetup } from "@countersign/store/queries/admin/platform-state";
import { addPassword, passwordHashOf } from "@countersign/store/queries/identity/sign-in";
import { addUser, anyUserExists, userByEmail } from "@countersign/store/queries/identity/users";
import { ownUnowned } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { OperatorProblem } from "../../../base/operator-problem.ts";
import { auditWithoutRequest } from "../../audit-log/record.ts";
import { hashPassword, verifyPassword } from "../passwords/passwords.ts";
import { dropSetupTokens } from "./setup-link.ts";

/**
 * The account that `countersign setup` creates. Apart from the routes: with them, the command would load the schemas of the
 * API for nothing.
 */
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
