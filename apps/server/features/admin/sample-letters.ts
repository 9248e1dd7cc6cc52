import type { Language } from "@countersign/domain/mail/languages";
import * as account from "../identity/letters.ts";
import { invitationLetter } from "../invitations/letter.ts";
import type { LetterKind, Reader } from "../mail/compose.ts";
import { lettersWaitLetter } from "../mail/customer-letters.ts";
import { endpointDisabledLetter, endpointEnabledLetter } from "../mail/endpoint-letters.ts";
import type { Letter } from "../mail/letter.ts";
import { deliveryLetter, expiringLetter } from "../mail/license-letters.ts";
import * as organizations from "../organizations/letters.ts";
import { unusedKeysLetter } from "../products/unused-keys.ts";

/** Every kind of email, with sample data. */
export function sampleLetter(kind: LetterKind, language: Language, url: string): Letter {
  return samples[kind]({ email: "ada@example.com", language }, url);
}

const atMs = Date.UTC(2031, 0, 2, 3, 4);
const token = "0000000000000000000000000000000000000000000";
const organization = "Acme Plugins";
const name = "Grace Hopper";

const sellersWords: Readonly<Record<Language, string>> = {
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
  deliver_license_by_mail: 1 as const,
  license_mail_text: sellersWords[language],
  expiring_soon_mail: 1 as const,
  organization_id: "00000000-0000-7000-8000-000000000000",
  organization,
  suspended_at: null,
  owner_id: null,
  time_zone: "UTC",
  daily_letters_override: null,
  locale: language,
  email: "ada@example.com",
});

const endpoint = {
  id: "00000000-0000-7000-8000-000000000000",
  organization_id: "00000000-0000-7000-8000-000000000000",
  url: "https://hooks.example.com/countersign",
  description: "Orders",
  failing_since: atMs,
  auto_reenable: 1,
} as const;

const samples: Readonly<Record<LetterKind, (to: Reader, url: string) => Letter>> = {
  account_created: (to, url) =>
    account.accountCreatedLetter(to, `${url}/reset-password?token=${token}&first=true`, atMs),
  account_security: (to) => account.securityLetter(to, "passkey_added"),
  api_keys_unused: (to, url) =>
    unusedKeysLetter(to, {
      product: "Acme Backup",
      keys: [
        { public_id: "a1B2c3D4", name: "Old launcher" },
        { public_id: "e5F6g7H8", name: "" },
      ],
      url,
    }),
  email_change: (to, url) => account.emailChangeLetter(to, `${url}/account/email?token=${token}`),
  email_change_asked: (to) => account.emailChangeAskedLetter(to, "ada.new@example.com"),
  email_changed: (to) => account.emailChangedLetter(to, "ada.new@example.com"),
  email_verification: (to, url) =>
    account.verificationLetter(to, `${url}/api/auth/verify-email?token=${token}&callbackURL=%2Fsign-in`),
  endpoint_disabled: (to, url) =>
    endpointDisabledLetter(to, endpoint, {
      organization,
      reason: "failing",
      serverUrl: url,
      disabledAtMs: atMs,
    }),
  endpoint_enabled: (to, url) =>
    endpointEnabledLetter(to, endpoint, { organization, serverUrl: url, enabledAtMs: atMs }),
  invitation: (to, url) =>
    invitationLetter(to, {
      id: license(to.language).id,
      organizationName: organization,
      roleName: "Support",
      invitedBy: name,
      expiresAtMs: atMs,
      url: `${url}/invitations/${token}`,
    }),
  letters_wait: (to) =>
    lettersWaitLetter(to, {
      organizationId: license(to.language).organization_id,
      organization,
      allowed: 20_000,
      day: 0,
    }),
  license_delivery: (to) => deliveryLetter(license(to.language)),
  license_expiring: (to) => expiringLetter(license(to.language)),
  new_sign_in: (to) =>
    account.newDeviceLetter(to, {
      ip: "2001:db8::7",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      atMs,
    }),
  organization_deleted: (to) =>
    organizations.deletedLetter(to, { id: license(to.language).id, name: organization }),
  organization_deletion_requested: (to, url) =>
    organizations.deletionAskedLetter(to, { organization, by: name, deleteAfterMs: atMs, url }),
  organization_restored: (to) => organizations.deletionTakenBackLetter(to, organization, name),
  ownership_handed_over: (to) =>
    organizations.ownershipHandedOverLetter(to, { organization, heir: name, role: "Support" }),
  ownership_received: (to, url) => organizations.ownershipReceivedLetter(to, organization, name, url),
  password_changed: (to) => account.passwordChangedLetter(to),
  password_reset: (to, url) => account.resetLetter(to, `${url}/reset-password?token=${token}`),
  sign_in_code: (to) => account.signInCodeLetter(to, "402 917", 10),
  sign_up_again: (to, url) => account.existingAccountLetter(to, `${url}/sign-in`),
};

export const letterKinds = Object.keys(samples) as LetterKind[];
