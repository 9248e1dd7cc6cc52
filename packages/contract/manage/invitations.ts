import { invitationStates } from "@countersign/domain/members/invitation";
import { z } from "zod";
import { ownOrganization } from "./organizations.ts";
import { permissionCodes } from "./roles.ts";
import { anyone, member, person, route } from "./route.ts";
import { secret } from "./secrets.ts";
import { email, id, page, pageQuery, time } from "./shapes.ts";

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
      .meta({ description: "Null when an organization's access token did it." }),
    created_at: time,
    expires_at: time,
    accepted_at: time.nullable(),
  })
  .meta({ id: "Invitation" });

const madeInvitation = invitation
  .extend({
    link: secret(
      "Where the invitation is accepted, to be handed over. Null on a server that sends emails: the link is in the email alone.",
      "Send the invitation again for a new link.",
    ).nullable(),
  })
  .meta({ id: "InvitationWithLink" });

export const receivedInvitation = z
  .object({
    state: z
      .enum(invitationStates)
      .meta({ description: "Only a pending invitation can be accepted, or create an account." }),
    organization_name: z.string(),
    role_name: z.string(),
    permissions: permissionCodes,
    email: z
      .string()
      .meta({ description: "The account that accepts it has this email address, and has verified it." }),
    invited_by: z.string().nullable(),
    expires_at: time,
    has_account: z
      .boolean()
      .meta({ description: "Of a pending invitation: whether this email address has an account." }),
  })
  .meta({ id: "ReceivedInvitation" });

export const listInvitations = route({
  id: "listInvitations",
  method: "GET",
  path: "/organizations/{organization_id}/invitations",
  summary: "List invitations, the newest first",
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
    "They get an email with a link that works once, for seven days. On a server that sends no emails, the answer has the link. The recipient can create an account with it, whether or not sign-up is open. The role can allow no more than you may do yourself.",
  group,
  access: member("members:invite"),
  problems: ["permissions_exceeded", "email_is_member", "already_invited", "invitation_limit_reached"],
  body: z.strictObject({ email, role_id: id }),
  answer: madeInvitation,
});

export const resendInvitation = route({
  id: "resendInvitation",
  method: "POST",
  path: "/organizations/{organization_id}/invitations/{invitation_id}/resend",
  summary: "Send an invitation again",
  description:
    "With a new link, for seven days from now. The link before stops working. On a server that sends no emails, the answer has the link.",
  group,
  access: member("members:invite"),
  problems: [
    "invitation_not_found",
    "invitation_accepted",
    "invitation_revoked",
    "permissions_exceeded",
    "invitation_just_sent",
    "invitation_limit_reached",
  ],
  answer: madeInvitation,
  status: 200,
});

export const revokeInvitation = route({
  id: "revokeInvitation",
  method: "DELETE",
  path: "/organizations/{organization_id}/invitations/{invitation_id}",
  summary: "Take an invitation back",
  group,
  access: member("members:invite"),
  problems: ["invitation_not_found", "invitation_accepted", "invitation_revoked", "outranked"],
});

export const getReceivedInvitation = route({
  id: "getReceivedInvitation",
  method: "GET",
  path: "/invitations/{token}",
  summary: "Read an invitation that you received",
  description: "By the token in its link. One that was replaced by a newer link is not found.",
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
  description: "Works once, for whoever has verified the address that was invited.",
  group,
  access: person("full"),
  problems: [
    "invalid_invitation_link",
    "invitation_for_other_email",
    "invited_email_not_verified",
    "already_member",
    "organization_suspended",
  ],
  answer: ownOrganization,
  status: 200,
});
