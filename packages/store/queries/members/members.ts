import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";

/** A member with their user and role. */
export type MemberWithRole = NonNullable<Awaited<ReturnType<typeof memberOf>>>;

export async function memberOf(db: Database, organizationId: string, userId: string) {
  return membersWithRoles(db)
    .where("members.organization_id", "=", organizationId)
    .where("members.user_id", "=", userId)
    .executeTakeFirst();
}

/** In the order in which they joined. */
export async function membersOf(
  db: Database,
  organizationId: string,
  page: {
    readonly after: { readonly joinedAtMs: number; readonly userId: string } | null;
    readonly limit: number;
  },
): Promise<MemberWithRole[]> {
  let query = membersWithRoles(db).where("members.organization_id", "=", organizationId);
  if (page.after !== null) {
    const { joinedAtMs, userId } = page.after;
    query = query.where((is) =>
      is.or([
        is("members.created_at", ">", joinedAtMs),
        is.and([is("members.created_at", "=", joinedAtMs), is("members.user_id", ">", userId)]),
      ]),
    );
  }
  return query.orderBy("members.created_at").orderBy("members.user_id").limit(page.limit).execute();
}

function membersWithRoles(db: Database) {
  return db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .innerJoin("roles", "roles.id", "members.role_id")
    .select([
      "members.user_id",
      "members.role_id",
      "members.created_at",
      "members.updated_at",
      "users.name",
      "users.email",
      "users.suspended_at",
      "roles.name as role_name",
      "roles.permissions as role_permissions",
    ]);
}

export async function addMember(
  db: Database,
  member: { readonly organizationId: string; readonly userId: string; readonly roleId: string },
  nowMs: number,
): Promise<void> {
  await db
    .insertInto("members")
    .values({
      organization_id: member.organizationId,
      user_id: member.userId,
      role_id: member.roleId,
      created_at: nowMs,
    })
    .execute();
}

export async function setMemberRole(
  db: Database,
  organizationId: string,
  userId: string,
  change: { readonly role_id: string; readonly updated_at: number },
): Promise<void> {
  await db
    .updateTable("members")
    .set(change)
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
}

export async function removeMember(db: Database, organizationId: string, userId: string): Promise<void> {
  await db
    .deleteFrom("members")
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
}

const roleOf = prepared((db, organizationId: string, userId: string) =>
  db
    .selectFrom("members")
    .innerJoin("roles", "roles.id", "members.role_id")
    .select("roles.permissions")
    .where("members.organization_id", "=", organizationId)
    .where("members.user_id", "=", userId),
).first;

/** The permissions of a member's role, as JSON. Nothing if the user is not a member. */
export async function memberPermissions(db: Database, organizationId: string, userId: string) {
  return (await roleOf(db, organizationId, userId))?.permissions ?? null;
}
