import { userById } from "@countersign/store/queries/identity/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import type { Recipient } from "./compose.ts";

/** A user, as a recipient of emails. */
export function recipientOf({ email, locale }: Pick<UserRow, "email" | "locale">): Recipient {
  return { email, language: locale };
}

/** Undefined if the account no longer exists. */
export async function recipientById(db: Database, userId: string | null): Promise<Recipient | undefined> {
  const user = userId === null ? undefined : await userById(db, userId);
  return user === undefined ? undefined : recipientOf(user);
}
