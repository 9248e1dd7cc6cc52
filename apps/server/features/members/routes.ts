import * as contract from "@countersign/contract/manage/members";
import { missingPermissions, permissions } from "@countersign/domain/members/permissions";
import { userById } from "@countersign/store/queries/identity/users";
import {
  type MemberWithRole,
  memberOf,
  membersOf,
  removeMember,
  setMemberRole,
} from "@countersign/store/queries/members/members";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { type AuthenticatedContext, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { type CursorValues, decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { checkPower, lockOrganization, missingPermission, roleNamed } from "./lock.ts";
import { memberUpdatedAt, type ShownMember, showMember, showOwner } from "./show.ts";

/** Listed before every member, whenever they joined. */
const ownersPosition = [-1, ""] as const;

export const memberRoutes: readonly BoundRoute[] = [
  bind(contract.listMembers, async (context, { query }) => {
    const { organization } = context;
    const db = context.store.reads;
    const after = decodeCursor(query.cursor, ["number", "text"]);
    const owner = after === null ? await ownerOf(db, organization) : [];
    const rows = await membersOf(db, organization.id, {
      after: after === null ? null : { joinedAtMs: Number(after[0]), userId: String(after[1]) },
      limit: query.limit + 1,
    });
    const members = rows.map((row) => ({ item: showMember(row), position: [row.created_at, row.user_id] }));
    return pageOf<{ item: ShownMember; position: CursorValues }, ShownMember>(
      [...owner, ...members],
      query.limit,
      ({ position }) => position,
      ({ item }) => item,
    );
  }),

  bind(contract.updateMember, async (context, input) => {
    const userId = input.params.user_id;
    const { role_id: roleId, updated_at: guard } = input.body;
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "roles:edit");
      const { organization } = locked;
      if (organization.owner_id === userId) throw new Problem("owner_has_no_role");
      const member = await memberNamed(db, organization.id, userId);
      checkUnchanged(context, memberUpdatedAt(member), guard);
      const role = await roleNamed(db, organization.id, roleId);
      checkPower(locked, { from: member.role_permissions, to: role.permissions });
      const updatedAt = nextUpdatedAt(context, memberUpdatedAt(member));
      await setMemberRole(db, organization.id, userId, { role_id: role.id, updated_at: updatedAt });
      await audit(db, context, {
        action: "member.updated",
        subject: { kind: "member", id: userId, name: member.name },
        before: { role: member.role_name },
        after: { role: role.name },
      });
      return showMember(await memberNamed(db, organization.id, userId));
    });
  }),

  bind(contract.removeMember, async (context, input) => {
    const userId = input.params.user_id;
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, null);
      const { organization, organizationAccess } = locked;
      const isLeaving = isThemselves(context, userId);
      if (!isLeaving && !organizationAccess.permissions.has("members:remove"))
        throw missingPermission("members:remove");
      if (organization.owner_id === userId) throw new Problem("owner_cannot_leave");
      const member = await memberNamed(db, organization.id, userId);
      if (!isLeaving) checkPower(locked, { from: member.role_permissions, to: null });
      await removeMember(db, organization.id, userId);
      await audit(db, context, {
        action: isLeaving ? "member.left" : "member.removed",
        subject: { kind: "member", id: userId, name: member.name },
        before: { email: member.email, role: member.role_name },
      });
    });
  }),
];

async function ownerOf(db: Database, organization: OrganizationRow) {
  if (organization.owner_id === null) return [];
  const user = await userById(db, organization.owner_id);
  return user === undefined ? [] : [{ item: showOwner(user, organization), position: ownersPosition }];
}

async function memberNamed(db: Database, organizationId: string, userId: string): Promise<MemberWithRole> {
  const member = await memberOf(db, organizationId, userId);
  if (member === undefined) throw new Problem("member_not_found");
  return member;
}

/** A token without every permission cannot end its person's membership. */
function isThemselves(context: AuthenticatedContext, userId: string): boolean {
  const { actor } = context;
  return (
    actor.kind === "person" &&
    actor.userId === userId &&
    missingPermissions(actor.atMost, permissions).length === 0
  );
}
