import { dayMs } from "@countersign/domain/dates/lengths";
import type { Language } from "@countersign/domain/mail/languages";
import * as billing from "../billing/notify.ts";
import * as account from "../identity/emails.ts";
import { invitationEmail } from "../invitations/email.ts";
import type { EmailKind } from "../mail/compose.ts";
import { emailsWaitingEmail } from "../mail/customer-emails.ts";
import type { Email, Recipient } from "../mail/email.ts";
import { deliveryEmail, expiringEmail } from "../mail/license-emails.ts";
import * as transfers from "../mail/transfer-emails.ts";
import * as organizations from "../organizations/emails.ts";
import * as portal from "../portal/codes.ts";
import { unusedKeysEmail } from "../products/unused-keys.ts";
import { quotaExhaustedEmail, quotaMoreEmail, quotaWarningEmail } from "../usage/emails.ts";
import { endpointDisabledEmail, endpointEnabledEmail } from "../webhooks/delivery/switch.ts";

/** Every kind of email, with sample data. */
export function sampleEmail(kind: EmailKind, language: Language, url: string): Email {
  return samples[kind]({ email: "ada@example.com", language }, url);
}

const atMs = Date.UTC(2031, 0, 2, 3, 4);
const token = "0000000000000000000000000000000000000000000";
const organization = "Acme Plugins";
const name = "Grace Hopper";

const sellersText: Readonly<Record<Language, string>> = {
  en: "Thank you for your order!\n\nSet-up takes a minute: start the program and paste the key.",
  de: "Danke für deine Bestellung!\n\nStarte das Programm und füge den Schlüssel ein.",
  es: "¡Gracias por tu pedido!\n\nInicia el programa y pega la clave.",
};

const license = (language: Language) => ({
  id: "00000000-0000-7000-8000-000000000000",
  license_key: "7QK2-M9XD-4TRB-HW6F",
  expires_at: atMs,
  term_ms: null,
  revoked_at: null,
  product: "Acme Backup",
  deliver_license_by_email: 1 as const,
  license_email_text: sellersText[language],
  expiring_soon_email: 1 as const,
  organization_id: "00000000-0000-7000-8000-000000000000",
  customer_id: "00000000-0000-7000-8000-000000000000",
  organization,
  sender: organization,
  reply_to: null,
  suspended_at: null,
  billing_state: "active" as const,
  owner_id: null,
  time_zone: "UTC",
  daily_emails_override: null,
  locale: language,
  email: "ada@example.com",
});

const sellersReason: Readonly<Record<Language, string>> = {
  en: "This license is part of a bundle, which can only be transferred as a whole.",
  de: "Diese Lizenz gehört zu einem Paket, das sich nur als Ganzes übertragen lässt.",
  es: "Esta licencia forma parte de un paquete que solo se puede transferir completo.",
};

const transfer = (language: Language, url: string) => ({
  transfer: {
    id: "00000000-0000-7000-8000-000000000000",
    to_email: "grace@example.com",
    to_discord_id: null,
    reason: sellersReason[language],
  },
  sender: organization,
  replyTo: null,
  product: "Acme Backup",
  language,
  url: transfers.portalLink(`${url}/portal`, "acme-plugins"),
});

const usage = (url: string) => ({
  organization,
  product: "Acme Backup",
  used: 8_000,
  limit: 10_000,
  resetsAtMs: Date.UTC(2031, 0, 3),
  runsOutAtMs: Date.UTC(2031, 0, 2, 18, 30),
  timeZone: "UTC",
  url: `${url}/o/acme-plugins/usage`,
});

const endpoint = {
  id: "00000000-0000-7000-8000-000000000000",
  organization_id: "00000000-0000-7000-8000-000000000000",
  url: "https://hooks.example.com/countersign",
  description: "Orders",
  failing_since: atMs,
  auto_reenable: 1,
} as const;

const billingFacts = (url: string): billing.BillingEmailFacts => ({
  organizationId: "00000000-0000-7000-8000-000000000000",
  organization,
  timeZone: "UTC",
  plan: "Pro",
  isSubscribed: false,
  contact: "billing@example.com",
  url: `${url}/o/acme-plugins/settings/billing`,
});
const nextPlan: billing.NextPlan = { plan: "Free", versionChecks: "enforce" };

const samples: Readonly<Record<EmailKind, (to: Recipient, url: string) => Email>> = {
  account_created: (to, url) =>
    account.accountCreatedEmail(to, `${url}/reset-password?token=${token}&first=true`, atMs),
  account_security: (to) => account.securityEmail(to, "passkey_added"),
  api_keys_unused: (to, url) =>
    unusedKeysEmail(to, {
      product: "Acme Backup",
      keys: [
        { public_id: "a1B2c3D4", name: "Old launcher" },
        { public_id: "e5F6g7H8", name: "" },
      ],
      url,
    }),
  billing_grace: (to, url) =>
    billing.graceEmail(to, billingFacts(url), { notice: 1, startedAtMs: atMs - 3 * dayMs, endsAtMs: atMs }),
  billing_restored: (to, url) => billing.restoredEmail(to, billingFacts(url), "suspension", atMs),
  billing_suspended: (to, url) => billing.suspendedEmail(to, billingFacts(url), atMs),
  email_change: (to, url) => account.emailChangeEmail(to, `${url}/account/email?token=${token}`),
  email_change_requested: (to) => account.emailChangeRequestedEmail(to, "ada.new@example.com"),
  email_changed: (to) => account.emailChangedEmail(to, "ada.new@example.com"),
  email_verification: (to, url) =>
    account.verificationEmail(to, `${url}/api/auth/verify-email?token=${token}&callbackURL=%2Fsign-in`),
  endpoint_disabled: (to, url) =>
    endpointDisabledEmail(to, endpoint, {
      organization,
      reason: "failing",
      serverUrl: url,
      disabledAtMs: atMs,
    }),
  endpoint_enabled: (to, url) =>
    endpointEnabledEmail(to, endpoint, { organization, serverUrl: url, enabledAtMs: atMs }),
  invitation: (to, url) =>
    invitationEmail(to, {
      id: license(to.language).id,
      organizationName: organization,
      roleName: "Support",
      invitedBy: name,
      expiresAtMs: atMs,
      url: `${url}/invitations/${token}`,
    }),
  emails_waiting: (to) =>
    emailsWaitingEmail(to, {
      organizationId: license(to.language).organization_id,
      organization,
      allowed: 20_000,
      day: 0,
    }),
  license_delivery: (to) => deliveryEmail(license(to.language)),
  license_expiring: (to) => expiringEmail(license(to.language)),
  license_received: ({ email, language }, url) => transfers.receivedEmail(email, transfer(language, url)),
  new_sign_in: (to) =>
    account.newDeviceEmail(to, {
      ip: "2001:db8::7",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      atMs,
    }),
  organization_deleted: (to) =>
    organizations.deletedEmail(to, { id: license(to.language).id, name: organization }),
  organization_deletion_requested: (to, url) =>
    organizations.deletionRequestedEmail(to, { organization, by: name, deleteAfterMs: atMs, url }),
  organization_restored: (to) => organizations.deletionCancelledEmail(to, organization, name),
  ownership_handed_over: (to) =>
    organizations.ownershipTransferredEmail(to, { organization, heir: name, role: "Support" }),
  ownership_received: (to, url) => organizations.ownershipReceivedEmail(to, organization, name, url),
  password_changed: (to) => account.passwordChangedEmail(to),
  password_reset: (to, url) => account.resetEmail(to, `${url}/reset-password?token=${token}`),
  plan_ended: (to, url) => billing.planEndedEmail(to, billingFacts(url), nextPlan, atMs),
  plan_ending: (to, url) => billing.planEndingEmail(to, billingFacts(url), nextPlan, atMs),
  portal_email: (to) => portal.addEmailCode(to, "402917"),
  portal_sign_in: (to, url) => portal.signInEmail(to, "402917", `${url}/portal/sign-in/link#${token}`),
  quota_exhausted: (to, url) => quotaExhaustedEmail(to, { ...usage(url), used: 10_000 }),
  quota_more: (to, url) => quotaMoreEmail(to, { ...usage(url), most: 10 }),
  quota_warning: (to, url) => quotaWarningEmail(to, usage(url)),
  transfer_completed: ({ email, language }, url) =>
    transfers.transferCompletedEmail(email, transfer(language, url)),
  transfer_rejected: ({ email, language }, url) =>
    transfers.transferRejectedEmail(email, transfer(language, url)),
  transfer_requested: ({ email, language }, url) =>
    transfers.transferRequestedEmail(email, transfer(language, url)),
  transfers_waiting: (to, url) =>
    transfers.transfersWaitingEmail(to, {
      organizationId: license(to.language).organization_id,
      organization,
      waiting: 3,
      day: 0,
      url: `${url}/o/acme-plugins/transfers`,
    }),
  sign_up_again: (to, url) => account.existingAccountEmail(to, `${url}/sign-in`),
};

export const emailKinds = Object.keys(samples) as EmailKind[];
