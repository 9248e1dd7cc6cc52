export const languages = { en: "English", de: "Deutsch", es: "Español" } as const;
export type Language = keyof typeof languages;

const kept = "countersign.language";

/** What was chosen here before, or the first of the browser's languages that there is. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(kept);
  for (const wanted of [chosen, ...navigator.languages]) {
    const language = wanted?.slice(0, 2);
    if (language !== undefined && language in languages) return language as Language;
  }
  return "en";
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(kept, language);
}
