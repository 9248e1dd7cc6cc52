import { moment } from "@countersign/domain/mail/translate";
import { compose } from "../mail/compose.ts";
import type { Email, Recipient } from "../mail/email.ts";

/** Emails to the people responsible for an organization. */

export function deletionRequestedEmail(
  to: Recipient,
  facts: { organization: string; by: string; deleteAfterMs: number; url: string },
): Email {
  const { organization, by: name, deleteAfterMs, url } = facts;
  return compose(to, "organization_deletion_requested", {
    values: { organization, name, when: moment(to.language, deleteAfterMs) },
    before: ["organization_deletion_requested.what", "organization_deletion_requested.when"],
    action: { label: "organization_deletion_requested.action", url },
    after: ["organization_deletion_requested.not_you"],
  });
}

export function deletionCancelledEmail(to: Recipient, organization: string, by: string): Email {
  return compose(to, "organization_restored", {
    values: { organization, name: by },
    before: ["organization_restored.what"],
  });
}

export function deletedEmail(to: Recipient, organization: { id: string; name: string }): Email {
  return compose(to, "organization_deleted", {
    values: { organization: organization.name },
    before: ["organization_deleted.over", "organization_deleted.gone"],
    once: `organization_deleted:${organization.id}`,
  });
}

export function ownershipReceivedEmail(
  to: Recipient,
  organization: string,
  from: string,
  url: string,
): Email {
  return compose(to, "ownership_received", {
    values: { organization, name: from },
    before: ["ownership_received.what"],
    action: { label: "ownership_received.action", url },
    after: ["ownership_received.unexpected"],
  });
}

export function ownershipTransferredEmail(
  to: Recipient,
  { organization, heir, role }: { organization: string; heir: string; role: string },
): Email {
  return compose(to, "ownership_handed_over", {
    values: { organization, name: heir, role },
    before: ["ownership_handed_over.what", "ownership_handed_over.role"],
    after: ["ownership_handed_over.not_you"],
  });
}
