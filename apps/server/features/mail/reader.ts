import { userById } from "@countersign/store/queries/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables";
import type { Reader } from "./compose.ts";

/** A user, as a recipient of emails. */
export function readerOf({ email, locale }: Pick<UserRow, "email" | "locale">): Reader {
  return { email, language: locale };
}

/** Undefined if the account no longer exists. */
export async function readerById(db: Database, userId: string | null): Promise<Reader | undefined> {
  const user = userId === null ? undefined : await userById(db, userId);
  return user === undefined ? undefined : readerOf(user);
}
