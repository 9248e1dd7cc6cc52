import { type Language, languages } from "../../i18n/languages.ts";

const saved = "countersign.portal.language";

/** The language that was chosen on this device, or null. */
export function chosenLanguage(): Language | null {
  return known(localStorage.getItem(saved));
}

export function saveChosenLanguage(language: Language): void {
  localStorage.setItem(saved, language);
}

/** A choice on this device comes first, then the seller's language, then the browser's. */
export function languageFor(
  chosen: Language | null,
  ofSeller: string | null,
  ofBrowser: readonly string[],
): Language {
  for (const wanted of [chosen, ofSeller, ...ofBrowser]) {
    const language = known(wanted);
    if (language !== null) return language;
  }
  return "en";
}

function known(wanted: string | null): Language | null {
  const language = wanted?.slice(0, 2).toLowerCase() ?? "";
  return language in languages ? (language as Language) : null;
}
