import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, languages } from "../../i18n/languages.ts";
import { linkLanguage } from "./link-contents.ts";

const saved = "countersign.portal.language";

/** The language that was chosen on this device, or null. */
export function chosenLanguage(): Language | null {
  return known(localStorage.getItem(saved));
}

export function saveChosenLanguage(language: Language): void {
  localStorage.setItem(saved, language);
}

/** What the visitor asked for: the language chosen on this device, or else that of the link, or null. */
export function wantedLanguage(): Language | null {
  return chosenLanguage() ?? known(linkLanguage());
}

/** What the visitor asked for comes first, then the browser's languages, then the seller's. */
export function languageFor(
  wantedByVisitor: Language | null,
  ofBrowser: readonly string[],
  ofSeller: string | null,
): Language {
  for (const wanted of [wantedByVisitor, ...ofBrowser, ofSeller]) {
    const language = known(wanted);
    if (language !== null) return language;
  }
  return "en";
}

function known(wanted: string | null): Language | null {
  const language = wanted?.slice(0, 2).toLowerCase() ?? "";
  return language in languages ? (language as Language) : null;
}

/** The portal's texts, and those of the refusals that it can meet: one file per language. */
const files: Record<Language, () => Promise<{ words: Record<string, object> }>> = {
  en: () => import("virtual:portal-words/en"),
  de: () => import("virtual:portal-words/de"),
  es: () => import("virtual:portal-words/es"),
};

export async function startTranslation(language: Language): Promise<void> {
  const { words } = await files[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: words },
    ns: Object.keys(words),
    defaultNS: "portal",
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function changeLanguage(language: Language): Promise<void> {
  const { words } = await files[language]();
  for (const [name, texts] of Object.entries(words)) i18next.addResourceBundle(language, name, texts);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
