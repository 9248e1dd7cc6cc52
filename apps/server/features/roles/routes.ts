import * as contract from "@countersign/contract/manage/roles";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { permissions, permissionWords, sortedPermissions } from "@countersign/domain/members/permissions";

import { newId } from "@countersign/store/new-id";
import {
  addRole,
  removeRole,
  roleNameIsTaken,
  roleOf,
  rolesOf,
  updateRole,
  usesOfRoles,
} from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";
import type { RoleRow } from "@countersign/store/tables/organizations";

import type { z } from "zod";
import { permissionSet } from "../../api/access.ts";
import { type BoundRoute, bind, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { asColumns, decodeCursor, encodeCursor } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { checkPower, lockOrganization } from "../members/lock.ts";

export const roleRoutes: readonly BoundRoute[] = [
  bind(contract.listPermissions, async () => ({
    data: permissions.map((code) => ({ code, description: permissionWords[code] })),
  })),

  bind(contract.listRoles, async (context, { query }) => {
    const db = context.store.reads;
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await rolesOf(db, context.organization.id, {
      afterId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    const data = await showRoles(db, rows.slice(0, query.limit), context.nowMs);
    const last = data.at(-1);
    return {
      data,
      next_cursor: rows.length > query.limit && last !== undefined ? encodeCursor([last.id]) : null,
    };
  }),

  bind(contract.createRole, async (context, { body }) => {
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "roles:edit");
      const role: RoleRow = {
        id: newId(),
        organization_id: locked.organization.id,
        name: body.name,
        permissions: JSON.stringify(sortedPermissions(body.permissions)),
        created_at: context.nowMs,
        updated_at: context.nowMs,
      };
      checkPower(locked, { from: null, to: role.permissions });
      await checkName(db, role.organization_id, role.name, null);
      await addRole(db, role);
      await audit(db, context, {
        action: "role.created",
        subject: { kind: "role", id: role.id, name: role.name },
        after: inWords(role),
      });
      return showRole(db, role, context.nowMs);
    });
  }),

  bind(contract.getRole, async (context, input) => {
    const db = context.store.reads;
    const role = await roleInPath(db, context.organization.id, input.params.role_id);
    return showRole(db, role, context.nowMs);
  }),

  bind(contract.updateRole, async (context, input) => {
    const { updated_at: guard, name, permissions: codes } = input.body;
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "roles:edit");
      const role = await roleInPath(db, locked.organization.id, input.params.role_id);
      checkUnchanged(context, role.updated_at, guard);
      const changes = asColumns({
        name,
        permissions: codes === undefined ? undefined : JSON.stringify(sortedPermissions(codes)),
      });
      const changed = { ...role, ...changes, updated_at: nextUpdatedAt(context, role.updated_at) };
      checkPower(locked, { from: role.permissions, to: changed.permissions });
      if (name !== undefined) await checkName(db, role.organization_id, name, role.id);
      await updateRole(db, role.id, { ...changes, updated_at: changed.updated_at });
      await audit(db, context, {
        action: "role.updated",
        subject: { kind: "role", id: role.id, name: changed.name },
        ...difference(inWords(role), inWords(changed)),
      });
      return showRole(db, changed, context.nowMs);
    });
  }),

  bind(contract.deleteRole, async (context, input) => {
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "roles:edit");
      const role = await roleInPath(db, locked.organization.id, input.params.role_id);
      checkPower(locked, { from: role.permissions, to: null });
      const use = (await usesOfRoles(db, [role.id], context.nowMs)).get(role.id);
      if (use !== undefined && use.members + use.invitations > 0)
        throw new Problem("role_in_use", { members: use.members, invitations: use.invitations });
      await removeRole(db, role.id);
      await audit(db, context, {
        action: "role.deleted",
        subject: { kind: "role", id: role.id, name: role.name },
        before: inWords(role),
      });
    });
  }),
];

async function roleInPath(db: Database, organizationId: string, roleId: string): Promise<RoleRow> {
  const role = await roleOf(db, organizationId, roleId);
  if (role === undefined) throw new Problem("role_not_found");
  return role;
}

async function checkName(db: Database, organizationId: string, name: string, exceptId: string | null) {
  if (!(await roleNameIsTaken(db, organizationId, name, exceptId))) return;
  throw new Problem("role_name_taken", { name }, { field: "name" });
}

function inWords(role: RoleRow): { name: string; permissions: string[] } {
  return { name: role.name, permissions: sortedPermissions(permissionSet(role.permissions)) };
}

type ShownRole = z.input<typeof contract.role>;

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
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }));
}

async function showRole(db: Database, row: RoleRow, nowMs: number): Promise<ShownRole> {
  const [shown] = await showRoles(db, [row], nowMs);
  if (shown === undefined) throw new Error(`Role ${row.id} was read but is not in the result.`);
  return shown;
}
