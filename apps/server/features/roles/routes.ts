import * as contract from "@countersign/contract/manage/roles";
import { permissionWords } from "@countersign/domain/members/permission-words";
import { permissions, sortedPermissions } from "@countersign/domain/members/permissions";
import {
  addRole,
  type RoleUse,
  removeRole,
  roleNameIsTaken,
  roleOf,
  rolesOf,
  updateRole,
  usesOfRoles,
} from "@countersign/store/queries/roles";
import type { Database } from "@countersign/store/store";
import type { RoleRow } from "@countersign/store/tables";
import { permissionSet } from "../../http/manage/access.ts";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { asColumns } from "../../http/manage/columns.ts";
import { checkUnchanged, nextUpdatedAt, theOrganization } from "../../http/manage/context.ts";
import { decodeCursor, encodeCursor } from "../../http/manage/page.ts";
import { notFound, Problem } from "../../http/manage/problem.ts";
import { newId } from "../../new-id.ts";
import { audit, difference } from "../audit-log/record.ts";
import { checkPower } from "../members/power.ts";
import { takeTurn } from "../members/turn.ts";
import { showRole, showRoles } from "./show.ts";

export const roleRoutes: readonly BoundRoute[] = [
  bind(contract.listPermissions, async () => ({
    data: permissions.map((code) => ({ code, description: permissionWords[code] })),
  })),

  bind(contract.listRoles, async (context, { query }) => {
    const db = context.store.reads;
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await rolesOf(db, theOrganization(context).id, {
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
      const turn = await takeTurn(db, context, "roles:edit");
      const role: RoleRow = {
        id: newId(),
        organization_id: turn.organization.id,
        name: body.name,
        permissions: JSON.stringify(sortedPermissions(body.permissions)),
        created_at: context.nowMs,
        updated_at: context.nowMs,
      };
      checkPower(turn, { from: null, to: role.permissions }, "The role");
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
    const role = await roleInPath(db, theOrganization(context).id, param(input, "role_id"));
    return showRole(db, role, context.nowMs);
  }),

  bind(contract.updateRole, async (context, input) => {
    const { updated_at: guard, name, permissions: codes } = input.body;
    return context.transaction(async (db) => {
      const turn = await takeTurn(db, context, "roles:edit");
      const role = await roleInPath(db, turn.organization.id, param(input, "role_id"));
      checkUnchanged(context, role.updated_at, guard);
      const changes = asColumns({
        name,
        permissions: codes === undefined ? undefined : JSON.stringify(sortedPermissions(codes)),
      });
      const changed = { ...role, ...changes, updated_at: nextUpdatedAt(context, role.updated_at) };
      checkPower(turn, { from: role.permissions, to: changed.permissions }, "The role");
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
      const turn = await takeTurn(db, context, "roles:edit");
      const role = await roleInPath(db, turn.organization.id, param(input, "role_id"));
      checkPower(turn, { from: role.permissions, to: null }, "The role");
      const use = (await usesOfRoles(db, [role.id], context.nowMs)).get(role.id);
      if (use !== undefined && use.members + use.invitations > 0) throw inUse(use);
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
  if (role === undefined) throw notFound("role");
  return role;
}

async function checkName(db: Database, organizationId: string, name: string, exceptId: string | null) {
  if (!(await roleNameIsTaken(db, organizationId, name, exceptId))) return;
  const message = `name "${name}" belongs to another role of this organization. Choose another.`;
  throw new Problem("conflict", message, { errors: [{ field: "name", message }] });
}

function inUse({ members, invitations }: RoleUse): Problem {
  const by = [
    ...(members > 0 ? [`held by ${counted(members, "member")}`] : []),
    ...(invitations > 0 ? [`promised in ${counted(invitations, "pending invitation")}`] : []),
  ].join(" and ");
  return new Problem("conflict", `The role is ${by}. It can be deleted when nobody needs it any more.`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function inWords(role: RoleRow): { name: string; permissions: string[] } {
  return { name: role.name, permissions: sortedPermissions(permissionSet(role.permissions)) };
}
