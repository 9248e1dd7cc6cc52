import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { keepLanguage, type Language, preferredLanguage } from "./languages.ts";
import { loadRefusals } from "./refusals.ts";

/** One chunk for each language, with the words of every feature: only the one in use is loaded. */
const words = {
  en: () => import("./en/all.ts"),
  de: () => import("./de/all.ts"),
  es: () => import("./es/all.ts"),
} as const;

/** Resolves when the words of the preferred language are there. */
export async function startTranslation(): Promise<void> {
  const language = preferredLanguage();
  const { all } = await words[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: all },
    defaultNS: "everywhere",
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function changeLanguage(language: Language): Promise<void> {
  const { all } = await words[language]();
  await loadRefusals(language);
  for (const [feature, texts] of Object.entries(all)) i18next.addResourceBundle(language, feature, texts);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  keepLanguage(language);
}
