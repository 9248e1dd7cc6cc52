import type { Database } from "../../store.ts";
import type { RoleRow } from "../../tables/organizations.ts";

/** A role, if it belongs to this organization. */
export async function roleOf(db: Database, organizationId: string, roleId: string) {
  return db
    .selectFrom("roles")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", roleId)
    .executeTakeFirst();
}

/** In the order in which they were created. */
export async function rolesOf(
  db: Database,
  organizationId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<RoleRow[]> {
  return db
    .selectFrom("roles")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .$if(page.afterId !== null, (query) => query.where("id", ">", page.afterId ?? ""))
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

export async function roleNameIsTaken(
  db: Database,
  organizationId: string,
  name: string,
  exceptId: string | null,
): Promise<boolean> {
  const other = await db
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("name", "=", name)
    .executeTakeFirst();
  return other !== undefined && other.id !== exceptId;
}

export interface RoleUse {
  readonly members: number;
  readonly invitations: number;
}

/** How many members have each role, and how many pending invitations name it. */
export async function usesOfRoles(
  db: Database,
  roleIds: readonly string[],
  nowMs: number,
): Promise<Map<string, RoleUse>> {
  if (roleIds.length === 0) return new Map();
  const members = await db
    .selectFrom("members")
    .select((is) => ["role_id", is.fn.countAll<number>().as("count")])
    .where("role_id", "in", roleIds)
    .groupBy("role_id")
    .execute();
  const invitations = await db
    .selectFrom("invitations")
    .select((is) => ["role_id", is.fn.countAll<number>().as("count")])
    .where("role_id", "in", roleIds)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs)
    .groupBy("role_id")
    .execute();
  const countIn = (rows: typeof members, id: string) =>
    Number(rows.find((row) => row.role_id === id)?.count ?? 0);
  return new Map(
    roleIds.map((id) => [id, { members: countIn(members, id), invitations: countIn(invitations, id) }]),
  );
}

export async function addRole(db: Database, role: RoleRow): Promise<void> {
  await db.insertInto("roles").values(role).execute();
}

export async function updateRole(db: Database, id: string, changes: Partial<RoleRow>): Promise<void> {
  await db.updateTable("roles").set(changes).where("id", "=", id).execute();
}

/** With its invitations, none of which are pending: the caller has made sure that the role is not in use. */
export async function removeRole(db: Database, id: string): Promise<void> {
  await db.deleteFrom("invitations").where("role_id", "=", id).execute();
  await db.deleteFrom("roles").where("id", "=", id).execute();
}
