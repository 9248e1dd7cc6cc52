import type { member } from "@countersign/contract/manage/members";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { sortedPermissions } from "@countersign/domain/members/permissions";
import type { MemberWithRole } from "@countersign/store/queries/members/members";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { UserRow } from "@countersign/store/tables/sign-in";
import type { z } from "zod";
import { permissionSet } from "../../api/access.ts";

export type ShownMember = z.input<typeof member>;

export function showMember(row: MemberWithRole): ShownMember {
  return {
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    is_owner: false,
    role: {
      id: row.role_id,
      name: row.role_name,
      permissions: sortedPermissions(permissionSet(row.role_permissions)),
    },
    joined_at: isoTime(row.created_at),
    updated_at: isoTime(memberUpdatedAt(row)),
  };
}

export function memberUpdatedAt(row: Pick<MemberWithRole, "created_at" | "updated_at">): number {
  return Math.max(row.created_at, row.updated_at);
}

export function showOwner(user: UserRow, organization: OrganizationRow): ShownMember {
  const joinedAt = isoTime(ownerJoinedAt(organization));
  return {
    user_id: user.id,
    name: user.name,
    email: user.email,
    is_owner: true,
    role: null,
    joined_at: joinedAt,
    updated_at: joinedAt,
  };
}

export function ownerJoinedAt(organization: OrganizationRow): number {
  return organization.owner_joined_at ?? organization.created_at;
}
