import { userById } from "@countersign/store/queries/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables";
import type { Reader } from "./compose.ts";

/** Somebody with an account, as letters are written to them. */
export function readerOf({ email, locale }: Pick<UserRow, "email" | "locale">): Reader {
  return { email, language: locale };
}

/** Undefined for somebody whose account is gone. */
export async function readerById(db: Database, userId: string | null): Promise<Reader | undefined> {
  const user = userId === null ? undefined : await userById(db, userId);
  return user === undefined ? undefined : readerOf(user);
}
