import type { role } from "@countersign/contract/manage/roles";
import { sortedPermissions } from "@countersign/domain/members/permissions";
import { usesOfRoles } from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";
import type { RoleRow } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import { permissionSet } from "../../api/access.ts";
import { iso } from "../../api/page.ts";

type ShownRole = z.input<typeof role>;

/** Roles as the API shows them, in the same order, each with its usage. */
export async function showRoles(db: Database, rows: readonly RoleRow[], nowMs: number): Promise<ShownRole[]> {
  const uses = await usesOfRoles(
    db,
    rows.map((row) => row.id),
    nowMs,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    permissions: sortedPermissions(permissionSet(row.permissions)),
    member_count: uses.get(row.id)?.members ?? 0,
    invitation_count: uses.get(row.id)?.invitations ?? 0,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }));
}

export async function showRole(db: Database, row: RoleRow, nowMs: number): Promise<ShownRole> {
  const [shown] = await showRoles(db, [row], nowMs);
  if (shown === undefined) throw new Error(`Role ${row.id} was read but is not in the result.`);
  return shown;
}
