import * as contract from "@countersign/contract/manage/invitations";
import { hashInvitationToken } from "@countersign/domain/members/invitation";
import { userByEmail, userById } from "@countersign/store/queries/identity/users";
import {
  type InvitationWithRole,
  invitationByToken,
  pendingInvitationByToken,
  updateInvitation,
} from "@countersign/store/queries/invitations/invitations";
import { addMember, memberOf } from "@countersign/store/queries/members/members";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import { permissionSet } from "../../api/access.ts";
import { accessOf } from "../../api/actor.ts";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { showOwnOrganization } from "../organizations/show.ts";
import { checkLimitOfLocked } from "../plans/limits.ts";
import { showReceived, stateOf } from "./show.ts";

/**
 * What the invited person can do with the token in their link. One that was used, revoked, has expired or never existed
 * is refused with the same code.
 */
export const receivedInvitationRoutes: readonly BoundRoute[] = [
  bind(contract.getReceivedInvitation, async (context, input) => {
    const db = context.store.reads;
    const tokenHash = hashInvitationToken(input.params.token);
    const invitation = await invitationByToken(db, tokenHash);
    if (invitation === undefined) throw new Problem("invalid_invitation_link");
    const isPending = stateOf(invitation, context.nowMs) === "pending";
    const hasAccount = isPending && (await userByEmail(db, invitation.email)) !== undefined;
    return showReceived(invitation, hasAccount, context.nowMs);
  }),

  bind(contract.acceptInvitation, async (context, input) => {
    const { actor } = context;
    const tokenHash = hashInvitationToken(input.params.token);
    return context.transaction(async (db) => {
      const unlocked = await pendingInvitationByToken(db, tokenHash, context.nowMs);
      if (unlocked === undefined) throw new Problem("invalid_invitation_link");
      // Read again under the lock: two requests may have found it pending.
      const organization = await lockedOrganization(db, unlocked.organization_id);
      const invitation = await pendingInvitationByToken(db, tokenHash, context.nowMs);
      if (organization === undefined || organization.deleted_at !== null || invitation === undefined)
        throw new Problem("invalid_invitation_link");
      if (organization.suspended_at !== null) throw new Problem("organization_suspended");
      if (organization.billing_state === "suspended") throw new Problem("billing_suspended");
      await checkRecipient(db, invitation, actor.userId);
      const isIn =
        organization.owner_id === actor.userId ||
        (await memberOf(db, organization.id, actor.userId)) !== undefined;
      if (isIn) throw new Problem("already_member");
      await checkLimitOfLocked(db, organization, "members");
      const { organization_id: organizationId, role_id: roleId } = invitation;
      await addMember(db, { organizationId, userId: actor.userId, roleId }, context.nowMs);
      await updateInvitation(db, invitation.id, {
        accepted_at: context.nowMs,
        accepted_by: actor.userId,
      });
      await audit(db, context, {
        action: "member.joined",
        subject: { kind: "member", id: actor.userId, name: actor.name },
        after: { email: invitation.email, role: invitation.role_name, invitation_id: invitation.id },
        organizationId,
      });
      const organizationAccess = accessOf(actor, organization, permissionSet(invitation.role_permissions));
      return showOwnOrganization(
        organization,
        organizationAccess ?? { isOwner: false, permissions: new Set() },
        await allPlans(db),
      );
    });
  }),
];

/** The token proves that someone read the email; the verified address proves that it was meant for them. */
async function checkRecipient(db: Database, invitation: InvitationWithRole, userId: string): Promise<void> {
  const user = await userById(db, userId);
  if (user?.email.toLowerCase() !== invitation.email)
    throw new Problem("invitation_for_other_email", { email: invitation.email });
  if (user.email_verified !== 1) throw new Problem("invited_email_not_verified", { email: invitation.email });
}
