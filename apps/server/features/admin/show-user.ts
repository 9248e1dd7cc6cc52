import { organizationsOfUser } from "@countersign/store/queries/admin/users";
import { userById } from "@countersign/store/queries/identity/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";

const shownOrganizations = 200;

export async function userDetails(db: Database, id: string) {
  const row = await userById(db, id);
  if (row === undefined) throw new Problem("user_not_found");
  const organizations = await organizationsOfUser(db, id, shownOrganizations);
  return {
    ...showUser(row),
    organizations: organizations.map(({ owner_id: ownerId, ...organization }) => ({
      ...organization,
      is_owner: ownerId === id,
    })),
  };
}

export function showUser(row: UserRow) {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    email_verified: row.email_verified === 1,
    two_factor_enabled: row.two_factor_enabled === 1,
    is_platform_admin: row.is_platform_admin === 1,
    organization_allowance: row.organization_allowance,
    suspended_at: iso(row.suspended_at),
    suspension_reason: row.suspension_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
