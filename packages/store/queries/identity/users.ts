import { defaultLanguage, type Language } from "@countersign/domain/mail/languages";
import type { Database } from "../../store.ts";
import type { UserRow } from "../../tables/sign-in.ts";

export interface NewUser {
  readonly id: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly isPlatformAdmin: boolean;
  readonly locale?: Language;
}

export async function addUser(db: Database, user: NewUser, nowMs: number): Promise<void> {
  const now = new Date(nowMs).toISOString();
  await db
    .insertInto("users")
    .values({
      id: user.id,
      name: user.name,
      email: user.email,
      email_verified: user.emailVerified ? 1 : 0,
      image: null,
      created_at: now,
      updated_at: now,
      two_factor_enabled: 0,
      is_platform_admin: user.isPlatformAdmin ? 1 : 0,
      organization_allowance: null,
      suspended_at: null,
      suspension_reason: null,
      locale: user.locale ?? defaultLanguage,
      devices_since: 0,
    })
    .execute();
}

export async function userByEmail(db: Database, email: string) {
  return db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
}

export async function userById(db: Database, id: string) {
  return db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function anyUserExists(db: Database): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** The current row, locked until the transaction ends. */
export async function lockedUser(db: Database, id: string) {
  return db
    .updateTable("users")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateUser(
  db: Database,
  id: string,
  changes: Partial<Pick<UserRow, "name" | "email" | "email_verified" | "locale" | "devices_since">>,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable("users")
    .set({ ...changes, updated_at: new Date(nowMs).toISOString() })
    .where("id", "=", id)
    .execute();
}
