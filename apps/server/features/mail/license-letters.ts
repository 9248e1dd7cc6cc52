import type { Language } from "@countersign/domain/mail/languages";
import { paragraphs } from "@countersign/domain/mail/one-line";
import { duration, moment, say } from "@countersign/domain/mail/say";
import { type LicenseLetterFacts, licenseLetterFacts } from "@countersign/store/queries/license-letters";
import type { Database } from "@countersign/store/store";
import { compose } from "./compose.ts";
import { type Letter, writeLetter } from "./letter.ts";

/** What customers are told about their licenses, in the organization's name and language. */

/**
 * Writes to the customers of licenses that were just made, where the product says so and the organization knows an
 * e-mail address. Once for a license, however often this is called.
 */
export async function deliverLicenses(
  db: Database,
  product: { readonly deliver_license_by_mail: 0 | 1 },
  licenseIds: readonly string[],
  nowMs: number,
): Promise<void> {
  if (product.deliver_license_by_mail === 0) return;
  for (const facts of await licenseLetterFacts(db, licenseIds)) {
    if (facts.deliver_license_by_mail === 1) await writeLetter(db, deliveryLetter(facts), nowMs);
  }
}

/** Writes to the customers of licenses that run out soon, where the product says so; once for each end of a license. */
export async function licenseExpiringLetters(
  db: Database,
  licenseIds: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const facts of await licenseLetterFacts(db, licenseIds)) {
    if (facts.expiring_soon_mail === 0 || facts.expires_at === null || facts.revoked_at !== null) continue;
    await writeLetter(db, expiringLetter({ ...facts, expires_at: facts.expires_at }), nowMs);
  }
}

export function deliveryLetter(facts: LicenseLetterFacts): Letter {
  const { email, locale: language, organization, product, license_mail_text: text } = facts;
  const said = paragraphs(text ?? "");
  return compose({ email, language }, "license_delivery", {
    sender: organization,
    values: { organization, product },
    before: ["license_delivery.what"],
    facts: [
      { label: "label.product", value: product },
      { label: "label.license_key", value: facts.license_key, isCode: true },
      { label: "label.validity", value: validity(language, facts) },
    ],
    quote: said.length === 0 ? null : { by: "license_delivery.words", paragraphs: said },
    last: "letter.customer",
    once: `license_delivery:${facts.id}`,
  });
}

export function expiringLetter(facts: LicenseLetterFacts & { readonly expires_at: number }): Letter {
  const { email, locale: language, organization, product, expires_at: expiresAtMs } = facts;
  return compose({ email, language }, "license_expiring", {
    sender: organization,
    values: { organization, product, until: moment(language, expiresAtMs) },
    before: ["license_expiring.what", "license_expiring.renew"],
    facts: [
      { label: "label.product", value: product },
      { label: "label.license_key", value: facts.license_key, isCode: true },
    ],
    last: "letter.customer",
    once: `license_expiring:${facts.id}:${expiresAtMs}`,
  });
}

function validity(language: Language, { expires_at: expiresAtMs, term_ms: termMs }: LicenseLetterFacts) {
  if (expiresAtMs !== null)
    return say(language, "license_delivery.until", { until: moment(language, expiresAtMs) });
  if (termMs === null) return say(language, "license_delivery.forever");
  return say(language, "license_delivery.from_first_use", { term: duration(language, termMs) });
}
