import type { Language } from "@countersign/domain/mail/languages";
import { paragraphs } from "@countersign/domain/text/plain-line";
import { licenseEmailFacts } from "@countersign/store/queries/mail/license-facts";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { lastTransfers } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";

import { compose } from "./compose.ts";
import type { CustomerEmail } from "./customer-emails.ts";
import type { Email, Recipient } from "./email.ts";

/** Emails about license transfers, to customers in the organization's name, and to the organization's owner. */

/** What the emails of one transfer have in common. */
export interface TransferEmailFacts {
  readonly transfer: Pick<TransferRow, "id" | "to_email" | "to_discord_id" | "reason">;
  /** The organization as its customers know it. */
  readonly sender: string;
  /** Where replies go, if not to the server's sender. */
  readonly replyTo: string | null;
  readonly product: string;
  readonly language: Language;
  /** The portal with the organization's name and colors. */
  readonly url: string;
}

/** The portal as this organization's customers see it. */
export function portalLink(portalUrl: string, slug: string): string {
  const url = new URL(portalUrl);
  url.searchParams.set("seller", slug);
  return url.toString();
}

/**
 * The email to each recipient of these licenses, about the last transfer. Without those who have no email address, or
 * who no longer have the license. It counts towards the organization's daily limit, because the recipient has not
 * proven that they own the email address.
 */
export async function receivedEmails(
  db: Database,
  licenseIds: readonly string[],
  portalUrl: string,
): Promise<CustomerEmail[]> {
  const emails: CustomerEmail[] = [];
  const transfers = new Map((await lastTransfers(db, licenseIds)).map((row) => [row.license_id, row]));
  for (const facts of await licenseEmailFacts(db, licenseIds)) {
    const transfer = transfers.get(facts.id);
    const organization = await organizationById(db, facts.organization_id);
    if (transfer?.to_email == null || organization === undefined || facts.revoked_at !== null) continue;
    if (facts.customer_id !== transfer.to_customer_id) continue;
    const { sender, reply_to: replyTo, product, locale: language } = facts;
    const url = portalLink(portalUrl, organization.slug);
    const message = receivedEmail(transfer.to_email, {
      transfer,
      sender,
      replyTo,
      product,
      language,
      url,
    });
    emails.push({ kind: "license_received", facts, endsAtMs: null, message });
  }
  return emails;
}

/** To the recipient. Without the key: the reader has to prove that the email address is theirs. */
export function receivedEmail(email: string, facts: TransferEmailFacts): CustomerEmail["message"] {
  const { sender, product, language, url } = facts;
  const message = compose({ email, language }, "license_received", {
    sender,
    values: { organization: sender, product, email },
    before: ["license_received.what", "license_received.how"],
    facts: [{ label: "label.product", value: product }],
    action: { label: "license_received.action", url },
    after: ["license_received.unexpected"],
    last: "license_received.why",
  });
  return { ...message, once: `license_received:${facts.transfer.id}`, isBulk: false, replyTo: facts.replyTo };
}

/** To the customer who has the license, in case someone else uses their account. */
export function transferRequestedEmail(email: string, facts: TransferEmailFacts): Email {
  return toFormerHolder(email, "transfer_requested", facts, {
    before: ["transfer_requested.what", "transfer_requested.waits"],
    action: { label: "transfer_requested.action", url: facts.url },
    after: ["transfer_requested.not_you"],
  });
}

export function transferCompletedEmail(email: string, facts: TransferEmailFacts): Email {
  return toFormerHolder(email, "transfer_completed", facts, {
    before: ["transfer_completed.what", "transfer_completed.effect"],
    after: ["transfer_completed.not_you"],
  });
}

export function transferRejectedEmail(email: string, facts: TransferEmailFacts): Email {
  const reason = paragraphs(facts.transfer.reason ?? "");
  return toFormerHolder(email, "transfer_rejected", facts, {
    before: ["transfer_rejected.what", "transfer_rejected.effect"],
    quote: reason.length === 0 ? null : { by: "transfer_rejected.reason", paragraphs: reason },
  });
}

/** Once a day, however many requests wait. */
export function transfersWaitingEmail(
  to: Recipient,
  facts: { organizationId: string; organization: string; waiting: number; day: number; url: string },
): Email {
  const { organizationId, organization, waiting, day, url } = facts;
  return compose(to, "transfers_waiting", {
    values: { organization, waiting: waiting.toLocaleString(to.language) },
    before: ["transfers_waiting.what", "transfers_waiting.count"],
    action: { label: "transfers_waiting.action", url },
    after: ["transfers_waiting.often"],
    once: `transfers_waiting:${organizationId}:${day}`,
  });
}

/**
 * Not counted towards the organization's daily limit: the recipient has proven in the portal that the email address is
 * theirs, the requests are limited, and a warning is of no use the next day.
 */
function toFormerHolder(
  email: string,
  kind: "transfer_requested" | "transfer_completed" | "transfer_rejected",
  { transfer, sender, replyTo, product, language }: TransferEmailFacts,
  parts: Omit<Parameters<typeof compose>[2], "sender" | "values" | "once">,
): Email {
  const target = transfer.to_email ?? `Discord ${transfer.to_discord_id}`;
  const message = compose({ email, language }, kind, {
    ...parts,
    sender,
    values: { organization: sender, product, target },
    last: "common.transfer",
    once: `${kind}:${transfer.id}`,
  });
  return { ...message, replyTo };
}
