import { invitationStates } from "@countersign/domain/members/invitation";
import { z } from "zod";
import { anyone, member, person, route } from "../api/route.ts";
import { secret } from "../api/secrets.ts";
import { email, id, page, pageQuery, time } from "../api/shapes.ts";
import { ownOrganization } from "./organizations.ts";
import { permissionCodes } from "./roles.ts";

const group = "Invitations";

export const invitation = z
  .object({
    id,
    email: z.string(),
    role: z.object({ id, name: z.string() }),
    state: z.enum(invitationStates),
    invited_by: z
      .object({ user_id: id, name: z.string() })
      .nullable()
      .meta({ description: "Null if an access token of the organization did." }),
    created_at: time,
    expires_at: time,
    accepted_at: time.nullable(),
  })
  .meta({ id: "Invitation" });

const madeInvitation = invitation
  .extend({
    link: secret(
      "The link to accept the invitation, to be passed on. Null if this server sends emails: then only the email contains the link.",
      "Send the invitation again for a new link.",
    ).nullable(),
  })
  .meta({ id: "InvitationWithLink" });

export const receivedInvitation = z
  .object({
    state: z
      .enum(invitationStates)
      .meta({ description: "Only a pending invitation can be accepted or used to create an account." }),
    organization_name: z.string(),
    role_name: z.string(),
    permissions: permissionCodes,
    email: z.string().meta({ description: "The verified email address of the account that can accept it." }),
    invited_by: z.string().nullable(),
    expires_at: time,
    has_account: z
      .boolean()
      .meta({ description: "For a pending invitation: whether this email address has an account." }),
  })
  .meta({ id: "ReceivedInvitation" });

export const listInvitations = route({
  id: "listInvitations",
  method: "GET",
  path: "/organizations/{organization_id}/invitations",
  summary: "List invitations, newest first",
  group,
  access: member("members:view", "members:invite"),
  query: pageQuery.extend({ state: z.enum(invitationStates).optional() }),
  answer: page(invitation),
});

export const createInvitation = route({
  id: "createInvitation",
  method: "POST",
  path: "/organizations/{organization_id}/invitations",
  summary: "Invite someone by email",
  description:
    "Sends an email with a link that works once, within seven days. If this server sends no emails, the link is in the response. The recipient can create an account with it, even if sign-up is closed. The role cannot have permissions that you do not have.",
  group,
  access: member("members:invite"),
  problems: [
    "permissions_exceeded",
    "email_is_member",
    "already_invited",
    "invitation_limit_reached",
    "member_limit_reached",
  ],
  body: z.strictObject({ email, role_id: id }),
  answer: madeInvitation,
});

export const resendInvitation = route({
  id: "resendInvitation",
  method: "POST",
  path: "/organizations/{organization_id}/invitations/{invitation_id}/resend",
  summary: "Send an invitation again",
  description:
    "Sends a new link, valid for seven days; the previous one stops working. If this server sends no emails, the link is in the response.",
  group,
  access: member("members:invite"),
  problems: [
    "invitation_not_found",
    "invitation_accepted",
    "invitation_revoked",
    "permissions_exceeded",
    "invitation_just_sent",
    "invitation_limit_reached",
    "member_limit_reached",
  ],
  answer: madeInvitation,
  status: 200,
});

export const revokeInvitation = route({
  id: "revokeInvitation",
  method: "DELETE",
  path: "/organizations/{organization_id}/invitations/{invitation_id}",
  summary: "Revoke an invitation",
  group,
  access: member("members:invite"),
  problems: ["invitation_not_found", "invitation_accepted", "invitation_revoked", "outranked"],
});

export const getReceivedInvitation = route({
  id: "getReceivedInvitation",
  method: "GET",
  path: "/invitations/{token}",
  summary: "Get an invitation that you received",
  description: "The token of a link that was replaced by a newer one is not found.",
  group,
  access: anyone("anything"),
  problems: ["invalid_invitation_link"],
  answer: receivedInvitation,
});

export const acceptInvitation = route({
  id: "acceptInvitation",
  method: "POST",
  path: "/invitations/{token}/accept",
  summary: "Accept an invitation",
  description: "Works once, for a user who has verified the invited email address.",
  group,
  access: person("full"),
  problems: [
    "invalid_invitation_link",
    "invitation_for_other_email",
    "invited_email_not_verified",
    "already_member",
    "organization_suspended",
    "billing_suspended",
    "member_limit_reached",
  ],
  answer: ownOrganization,
  status: 200,
});
