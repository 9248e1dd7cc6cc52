import i18next, { type BackendModule } from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, preferredLanguage, saveLanguage } from "./languages.ts";

type Words = () => Promise<{ words: Record<string, object> }>;

/** Two files per language: the texts of the features that are seen first, and the rest. */
const files: Record<Language, { first: Words; rest: Words }> = {
  en: { first: () => import("./en/first.ts"), rest: () => import("./en/rest.ts") },
  de: { first: () => import("./de/first.ts"), rest: () => import("./de/rest.ts") },
  es: { first: () => import("./es/first.ts"), rest: () => import("./es/rest.ts") },
};

/** A page waits until its texts are loaded. */
const rest: BackendModule = {
  type: "backend",
  init: () => undefined,
  read: (language, feature, done) => {
    files[language as Language].rest().then(
      ({ words }) => done(null, words[feature] ?? {}),
      (error) => done(error, null),
    );
  },
};

/** Resolves when the texts that most pages need are loaded in the preferred language. */
export async function startTranslation(): Promise<void> {
  const language = preferredLanguage();
  const { words } = await files[language].first();
  await i18next
    .use(rest)
    .use(initReactI18next)
    .init({
      lng: language,
      fallbackLng: false,
      resources: { [language]: words },
      partialBundledLanguages: true,
      ns: Object.keys(words),
      defaultNS: "everywhere",
      interpolation: { escapeValue: false },
      returnNull: false,
    });
  document.documentElement.lang = language;
}

/** What most visits do not need at once: the other features' words, and those of refusals. */
export async function loadRemainingTexts(): Promise<void> {
  const language = i18next.language as Language;
  await addAll(language, files[language].rest);
}

export async function changeLanguage(language: Language): Promise<void> {
  const { first, rest } = files[language];
  await Promise.all([addAll(language, first), addAll(language, rest)]);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  saveLanguage(language);
}

async function addAll(language: Language, load: Words): Promise<void> {
  const { words } = await load();
  for (const [feature, texts] of Object.entries(words)) i18next.addResourceBundle(language, feature, texts);
}
