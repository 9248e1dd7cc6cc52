import type { Answer, Body } from "../../api/client.ts";
import type { Language } from "../../i18n/languages.ts";

export type Branding = Answer<"getBranding">;

/** What the form shows. Texts are empty where nothing is chosen. */
export interface BrandingDraft {
  readonly displayName: string;
  readonly accentColor: string;
  readonly supportEmail: string;
  readonly supportUrl: string;
  readonly locale: Language | "";
  readonly links: readonly LinkDraft[];
}

export interface LinkDraft {
  readonly title: string;
  readonly url: string;
}

export const mostLinks = 5;

export function draftOf(branding: Branding): BrandingDraft {
  return {
    displayName: branding.display_name ?? "",
    accentColor: branding.accent_color ?? "",
    supportEmail: branding.support_email ?? "",
    supportUrl: branding.support_url ?? "",
    locale: branding.locale ?? "",
    links: branding.links,
  };
}

/** Rows that were added and left empty are no links. */
export function filledLinks(links: readonly LinkDraft[]): LinkDraft[] {
  return links.filter(({ title, url }) => title.trim() !== "" || url.trim() !== "");
}

/** Only what differs from `base`, so that nothing else is overwritten. */
export function changesOf(draft: BrandingDraft, base: BrandingDraft): Body<"updateBranding"> {
  const all = {
    display_name: draft.displayName.trim() || null,
    accent_color: colorOf(draft.accentColor) || null,
    support_email: draft.supportEmail.trim() || null,
    support_url: draft.supportUrl.trim() || null,
    locale: draft.locale || null,
    links: filledLinks(draft.links),
  };
  const fields = Object.keys(all) as (keyof typeof all)[];
  const changed = fields.filter((field) => !isSame(draft[draftNames[field]], base[draftNames[field]]));
  return Object.fromEntries(changed.map((field) => [field, all[field]]));
}

/** The user's changes on top of a newer state. */
export function rebased(draft: BrandingDraft, base: BrandingDraft, now: BrandingDraft): BrandingDraft {
  const fields = Object.keys(now) as (keyof BrandingDraft)[];
  const own = fields.filter((field) => !isSame(draft[field], base[field]));
  return { ...now, ...Object.fromEntries(own.map((field) => [field, draft[field]])) };
}

/** People paste colors with and without the hash sign. */
export function colorOf(text: string): string {
  const trimmed = text.trim();
  return /^[0-9a-f]{6}$/i.test(trimmed) ? `#${trimmed}` : trimmed;
}

const draftNames = {
  display_name: "displayName",
  accent_color: "accentColor",
  support_email: "supportEmail",
  support_url: "supportUrl",
  locale: "locale",
  links: "links",
} as const;

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
