import type { Language } from "@countersign/domain/mail/languages";
import { paragraphs } from "@countersign/domain/mail/one-line";
import { duration, moment, say } from "@countersign/domain/mail/say";
import { type LicenseLetterFacts, licenseLetterFacts } from "@countersign/store/queries/license-letters";
import type { Database } from "@countersign/store/store";
import { compose } from "./compose.ts";
import { type CustomerLetter, writeToCustomers } from "./customer-letters.ts";

/** Emails to customers about their licenses, in the organization's name and the product's language. */

/**
 * Emails the customers of new licenses, if the product is configured to and there is an email address. Once per
 * license, however often this is called.
 */
export async function deliverLicenses(
  db: Database,
  product: { readonly deliver_license_by_mail: 0 | 1 },
  licenseIds: readonly string[],
  lettersADay: number,
  nowMs: number,
): Promise<void> {
  if (product.deliver_license_by_mail === 0) return;
  const letters = await lettersAbout(db, "license_delivery", licenseIds, nowMs);
  await writeToCustomers(db, letters, lettersADay, nowMs);
}

/** Emails the customers of licenses that expire soon, if the product is configured to; once per expiry. */
export async function licenseExpiringLetters(
  db: Database,
  licenseIds: readonly string[],
  lettersADay: number,
  nowMs: number,
): Promise<void> {
  const letters = await lettersAbout(db, "license_expiring", licenseIds, nowMs);
  await writeToCustomers(db, letters, lettersADay, nowMs);
}

/** Of these licenses, the letters that their products and what is true of them now ask for. */
export async function lettersAbout(
  db: Database,
  kind: CustomerLetter["kind"],
  licenseIds: readonly string[],
  nowMs: number,
): Promise<CustomerLetter[]> {
  const found = await licenseLetterFacts(db, licenseIds);
  return found.flatMap((facts) => letterAbout(kind, facts, nowMs) ?? []);
}

function letterAbout(
  kind: CustomerLetter["kind"],
  facts: LicenseLetterFacts,
  nowMs: number,
): CustomerLetter | null {
  const { expires_at: endsAtMs } = facts;
  if (facts.revoked_at !== null) return null;
  switch (kind) {
    case "license_delivery":
      if (facts.deliver_license_by_mail === 0) return null;
      return { kind, facts, endsAtMs: null, letter: deliveryLetter(facts) };
    case "license_expiring":
      if (facts.expiring_soon_mail === 0 || endsAtMs === null || endsAtMs <= nowMs) return null;
      return { kind, facts, endsAtMs, letter: expiringLetter({ ...facts, expires_at: endsAtMs }) };
  }
}

export function deliveryLetter(facts: LicenseLetterFacts): CustomerLetter["letter"] {
  const { email, locale: language, organization, product, license_mail_text: text } = facts;
  const said = paragraphs(text ?? "");
  const letter = compose({ email, language }, "license_delivery", {
    sender: organization,
    values: { organization, product },
    before: ["license_delivery.what"],
    facts: [
      { label: "label.product", value: product },
      { label: "label.license_key", value: facts.license_key, isCode: true },
      { label: "label.validity", value: validity(language, facts) },
    ],
    quote: said.length === 0 ? null : { by: "license_delivery.message", paragraphs: said },
    last: "common.customer",
  });
  return { ...letter, once: `license_delivery:${facts.id}`, isBulk: true };
}

export function expiringLetter(
  facts: LicenseLetterFacts & { readonly expires_at: number },
): CustomerLetter["letter"] {
  const { email, locale: language, organization, product, expires_at: expiresAtMs } = facts;
  const letter = compose({ email, language }, "license_expiring", {
    sender: organization,
    values: { organization, product, until: moment(language, expiresAtMs, facts.time_zone) },
    before: ["license_expiring.what", "license_expiring.renew"],
    facts: [
      { label: "label.product", value: product },
      { label: "label.license_key", value: facts.license_key, isCode: true },
    ],
    last: "common.customer",
  });
  return { ...letter, once: `license_expiring:${facts.id}:${expiresAtMs}`, isBulk: true };
}

function validity(language: Language, facts: LicenseLetterFacts) {
  const { expires_at: expiresAtMs, term_ms: termMs, time_zone: timeZone } = facts;
  if (expiresAtMs !== null)
    return say(language, "license_delivery.until", { until: moment(language, expiresAtMs, timeZone) });
  if (termMs === null) return say(language, "license_delivery.never_expires");
  return say(language, "license_delivery.from_first_use", { term: duration(language, termMs) });
}
