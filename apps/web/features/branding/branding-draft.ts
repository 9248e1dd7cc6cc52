import type { Answer, Body } from "../../api/client.ts";
import type { Language } from "../../i18n/languages.ts";

export type Branding = Answer<"getBranding">;

/** The form's input, by the names of the API. Texts are empty where nothing is chosen. */
export interface BrandingDraft {
  readonly display_name: string;
  readonly accent_color: string;
  readonly support_email: string;
  readonly support_url: string;
  readonly locale: Language | "";
  readonly links: readonly LinkDraft[];
}

export interface LinkDraft {
  readonly title: string;
  readonly url: string;
}

export const maxLinks = 5;

export function draftOf(branding: Branding): BrandingDraft {
  return {
    display_name: branding.display_name ?? "",
    accent_color: branding.accent_color ?? "",
    support_email: branding.support_email ?? "",
    support_url: branding.support_url ?? "",
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
    display_name: draft.display_name.trim() || null,
    accent_color: colorOf(draft.accent_color) || null,
    support_email: draft.support_email.trim() || null,
    support_url: draft.support_url.trim() || null,
    locale: draft.locale || null,
    links: filledLinks(draft.links),
  };
  const fields = Object.keys(all) as (keyof typeof all)[];
  const changed = fields.filter((field) => JSON.stringify(draft[field]) !== JSON.stringify(base[field]));
  return Object.fromEntries(changed.map((field) => [field, all[field]]));
}

/** People paste colors with and without the hash sign. */
export function colorOf(text: string): string {
  const trimmed = text.trim();
  return /^[0-9a-f]{6}$/i.test(trimmed) ? `#${trimmed}` : trimmed;
}
