import { randomBytes } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { permissions } from "@countersign/domain/members/permissions";
import { addAccessToken } from "@countersign/store/queries/access-tokens";
import { addUser, anyUserExists, userByEmail } from "@countersign/store/queries/users";
import type { Database } from "@countersign/store/store";
import { newId } from "../../new-id.ts";
import { OperatorProblem } from "../../problem.ts";

export interface Account {
  readonly email: string;
  readonly password: string;
}

/** Makes a person without a browser, with a token that can do all they can. The first one runs the platform. */
export async function setUpPerson(
  db: Database,
  account: Account,
  nowMs: number,
): Promise<{ userId: string; accessToken: string }> {
  const email = account.email.trim().toLowerCase();
  if ((await userByEmail(db, email)) !== undefined) {
    throw new OperatorProblem(`There is an account with the e-mail address ${email} already.`);
  }
  const isFirst = !(await anyUserExists(db));
  const userId = newId();
  const name = email.split("@")[0] ?? email;
  await addUser(db, { id: userId, name, email, emailVerified: true, isPlatformAdmin: isFirst }, nowMs);
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
