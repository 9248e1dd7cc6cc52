import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Language } from "../../i18n/languages.ts";

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
