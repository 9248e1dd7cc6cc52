import type { invitation, receivedInvitation } from "@countersign/contract/manage/invitations";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { invitationState } from "@countersign/domain/members/invitation";
import { sortedPermissions } from "@countersign/domain/members/permissions";
import type { InvitationWithRole } from "@countersign/store/queries/invitations/invitations";
import type { z } from "zod";
import { permissionSet } from "../../api/access.ts";

export function stateOf(row: InvitationWithRole, nowMs: number) {
  return invitationState(
    { acceptedAtMs: row.accepted_at, revokedAtMs: row.revoked_at, expiresAtMs: row.expires_at },
    nowMs,
  );
}

export function showInvitation(row: InvitationWithRole, nowMs: number): z.input<typeof invitation> {
  return {
    id: row.id,
    email: row.email,
    role: { id: row.role_id, name: row.role_name },
    state: stateOf(row, nowMs),
    invited_by:
      row.invited_by === null || row.invited_by_name === null
        ? null
        : { user_id: row.invited_by, name: row.invited_by_name },
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    accepted_at: isoTime(row.accepted_at),
  };
}

/** What the holder of the link sees before they have an account. */
export function showReceived(
  row: InvitationWithRole & { readonly organization_name: string },
  hasAccount: boolean,
  nowMs: number,
): z.input<typeof receivedInvitation> {
  return {
    state: stateOf(row, nowMs),
    organization_name: row.organization_name,
    role_name: row.role_name,
    permissions: sortedPermissions(permissionSet(row.role_permissions)),
    email: row.email,
    invited_by: row.invited_by_name,
    expires_at: isoTime(row.expires_at),
    has_account: hasAccount,
  };
}
