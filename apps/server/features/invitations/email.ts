import { moment } from "@countersign/domain/mail/translate";
import { compose } from "../mail/compose.ts";
import type { Email, Recipient } from "../mail/email.ts";

interface InvitationFacts {
  readonly id: string;
  readonly organizationName: string;
  readonly roleName: string;
  /** Null if a program sent it. */
  readonly invitedBy: string | null;
  readonly expiresAtMs: number;
  readonly url: string;
}

export function invitationEmail(to: Recipient, facts: InvitationFacts): Email {
  const { invitedBy, organizationName: organization, roleName: role, expiresAtMs } = facts;
  return compose(to, "invitation", {
    values: {
      organization,
      role,
      name: invitedBy ?? "",
      until: moment(to.language, expiresAtMs),
      email: to.email,
    },
    before: [invitedBy === null ? "invitation.invited" : "invitation.invited_by"],
    action: { label: "invitation.action", url: facts.url },
    after: ["invitation.until", "invitation.not_meant"],
    // When sent again, it has a new link and expires later.
    once: `invitation:${facts.id}:${expiresAtMs}`,
  });
}
