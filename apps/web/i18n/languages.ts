export const languages = { en: "English", de: "Deutsch", es: "Español" } as const;
export type Language = keyof typeof languages;

const kept = "countersign.language";

/** The language chosen before, or else the first of the browser's languages that is available. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(kept);
  for (const wanted of [chosen, ...navigator.languages]) {
    const language = wanted?.slice(0, 2);
    if (language !== undefined && language in languages) return language as Language;
  }
  return "en";
}

export function saveLanguage(language: Language): void {
  localStorage.setItem(kept, language);
}
