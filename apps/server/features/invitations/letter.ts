import { compose, oneLine } from "../mail/compose.ts";
import type { Letter } from "../mail/letter.ts";
import { type Locale, words } from "./words.ts";

export interface InvitationFacts {
  readonly email: string;
  readonly organizationName: string;
  readonly roleName: string;
  /** Null when a program did it. */
  readonly invitedBy: string | null;
  readonly expiresAtMs: number;
  readonly url: string;
}

export function invitationLetter(facts: InvitationFacts, locale: Locale = "en"): Letter {
  const say = words[locale];
  const organization = oneLine(facts.organizationName);
  const subject = say.subject(organization);
  const by = facts.invitedBy === null ? null : oneLine(facts.invitedBy);
  const { text, html } = compose({
    title: subject,
    before: [say.invited(organization, oneLine(facts.roleName), by)],
    action: { label: say.accept, url: facts.url },
    after: [say.until(new Date(facts.expiresAtMs), facts.email), say.notMeant],
  });
  return { to: facts.email, subject, text, html, kind: "invitation" };
}
