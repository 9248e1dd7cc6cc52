import type { Database } from "../../store.ts";
import type { UserRow } from "../../tables/sign-in.ts";
import { endOfPrefix, type TextPosition } from "../conditions.ts";
import type { TimePage } from "./platform.ts";

/** Newest first. */
export async function allUsers(db: Database, { after, limit }: TimePage<string>): Promise<UserRow[]> {
  let query = db.selectFrom("users").selectAll();
  if (after !== null) {
    query = query
      .where("created_at", "<=", after.createdAt)
      .where((is) => is.or([is("created_at", "<", after.createdAt), is("id", "<", after.id)]));
  }
  return query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** Those whose email address starts with a lower-case text, in its order. */
export async function usersStartingWith(
  db: Database,
  text: string,
  after: TextPosition | null,
  limit: number,
): Promise<UserRow[]> {
  return db
    .selectFrom("users")
    .selectAll()
    .where("email", after === null ? ">=" : ">", after?.text ?? text)
    .where("email", "<", endOfPrefix(text))
    .orderBy("email")
    .limit(limit)
    .execute();
}

/** Those that a user owns or is a member of. */
export async function organizationsOfUser(db: Database, userId: string, limit: number) {
  // A list of IDs rather than alternatives, for which SQLite reads all organizations.
  const organizationIds = db
    .selectFrom("organizations")
    .select("id")
    .where("owner_id", "=", userId)
    .unionAll(db.selectFrom("members").select("organization_id as id").where("user_id", "=", userId));
  return db
    .selectFrom("organizations")
    .select(["id", "name", "slug", "owner_id"])
    .where("id", "in", organizationIds)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Locked until the transaction ends, while a platform admin is removed. */
export async function lockPlatformAdmins(db: Database): Promise<void> {
  await db
    .updateTable("platform_state")
    .set((row) => ({ value: row.ref("value") }))
    .where("name", "=", "platform_admins")
    .execute();
}

export async function lockedUser(db: Database, id: string): Promise<UserRow | undefined> {
  return db
    .updateTable("users")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateUser(db: Database, id: string, changes: Partial<UserRow>): Promise<void> {
  await db.updateTable("users").set(changes).where("id", "=", id).execute();
}

/** Whether any other user is a platform admin who can sign in. */
export async function anotherPlatformAdminExists(db: Database, exceptId: string): Promise<boolean> {
  const other = await db
    .selectFrom("users")
    .select("id")
    .where("is_platform_admin", "=", 1)
    .where("suspended_at", "is", null)
    .where("id", "!=", exceptId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** The platform admin who has been here longest and can sign in. */
export async function firstPlatformAdmin(db: Database): Promise<string | null> {
  const admin = await db
    .selectFrom("users")
    .select("id")
    .where("is_platform_admin", "=", 1)
    .where("suspended_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return admin?.id ?? null;
}
