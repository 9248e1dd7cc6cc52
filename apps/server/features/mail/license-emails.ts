import type { Language } from "@countersign/domain/mail/languages";
import { duration, moment, translate } from "@countersign/domain/mail/translate";
import { paragraphs } from "@countersign/domain/text/plain-line";
import { type LicenseEmailFacts, licenseEmailFacts } from "@countersign/store/queries/mail/license-facts";
import type { Database } from "@countersign/store/store";
import type { Config } from "../../base/config.ts";
import { compose } from "./compose.ts";
import { type CustomerEmail, writeToCustomers } from "./customer-emails.ts";

/** Emails to customers about their licenses, in the organization's name and the product's language. */

/**
 * Emails the customers of new licenses, if the product is configured to and there is an email address. Once per
 * license, however often this is called.
 */
export async function deliverLicenses(
  db: Database,
  product: { readonly deliver_license_by_email: 0 | 1 },
  licenseIds: readonly string[],
  config: Config,
  nowMs: number,
): Promise<void> {
  if (product.deliver_license_by_email === 0) return;
  const emails = await emailsAbout(db, "license_delivery", licenseIds, nowMs);
  await writeToCustomers(db, emails, config, nowMs);
}

/** Emails the customers of licenses that expire soon, if the product is configured to; once per expiry. */
export async function licenseExpiringEmails(
  db: Database,
  licenseIds: readonly string[],
  config: Config,
  nowMs: number,
): Promise<void> {
  const emails = await emailsAbout(db, "license_expiring", licenseIds, nowMs);
  await writeToCustomers(db, emails, config, nowMs);
}

/** Those that depend on the product's settings. */
type LicenseEmailKind = Exclude<CustomerEmail["kind"], "license_received">;

/** The emails about these licenses that are due, by their products' settings and their current state. */
export async function emailsAbout(
  db: Database,
  kind: LicenseEmailKind,
  licenseIds: readonly string[],
  nowMs: number,
): Promise<CustomerEmail[]> {
  const licenses = await licenseEmailFacts(db, licenseIds);
  return licenses.flatMap((facts) => emailAbout(kind, facts, nowMs) ?? []);
}

function emailAbout(kind: LicenseEmailKind, facts: LicenseEmailFacts, nowMs: number): CustomerEmail | null {
  const { expires_at: endsAtMs } = facts;
  if (facts.revoked_at !== null) return null;
  switch (kind) {
    case "license_delivery":
      if (facts.deliver_license_by_email === 0) return null;
      return { kind, facts, endsAtMs: null, message: deliveryEmail(facts) };
    case "license_expiring":
      if (facts.expiring_soon_email === 0 || endsAtMs === null || endsAtMs <= nowMs) return null;
      return { kind, facts, endsAtMs, message: expiringEmail({ ...facts, expires_at: endsAtMs }) };
  }
}

export function deliveryEmail(facts: LicenseEmailFacts): CustomerEmail["message"] {
  const { email, locale: language, sender, product, license_email_text: text } = facts;
  const sellerText = paragraphs(text ?? "");
  const message = compose({ email, language }, "license_delivery", {
    sender,
    values: { organization: sender, product },
    before: ["license_delivery.what"],
    facts: [
      { label: "label.product", value: product },
      { label: "label.license_key", value: facts.license_key, isCode: true },
      { label: "label.validity", value: validity(language, facts) },
    ],
    quote: sellerText.length === 0 ? null : { by: "license_delivery.message", paragraphs: sellerText },
    last: "common.customer",
  });
  return { ...message, once: `license_delivery:${facts.id}`, isBulk: true, replyTo: facts.reply_to };
}

export function expiringEmail(
  facts: LicenseEmailFacts & { readonly expires_at: number },
): CustomerEmail["message"] {
  const { email, locale: language, sender, product, expires_at: expiresAtMs } = facts;
  const message = compose({ email, language }, "license_expiring", {
    sender,
    values: { organization: sender, product, until: moment(language, expiresAtMs, facts.time_zone) },
    before: ["license_expiring.what", "license_expiring.renew"],
    facts: [
      { label: "label.product", value: product },
      { label: "label.license_key", value: facts.license_key, isCode: true },
    ],
    last: "common.customer",
  });
  return {
    ...message,
    once: `license_expiring:${facts.id}:${expiresAtMs}`,
    isBulk: true,
    replyTo: facts.reply_to,
  };
}

function validity(language: Language, facts: LicenseEmailFacts) {
  const { expires_at: expiresAtMs, term_ms: termMs, time_zone: timeZone } = facts;
  if (expiresAtMs !== null)
    return translate(language, "license_delivery.until", { until: moment(language, expiresAtMs, timeZone) });
  if (termMs === null) return translate(language, "license_delivery.never_expires");
  return translate(language, "license_delivery.from_first_use", { term: duration(language, termMs) });
}
