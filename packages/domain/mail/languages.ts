/** The languages of emails. To add one, add a file to `texts` and its name here. */
export const languages = ["en", "de", "es"] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = "en";

/** The language of a POSIX locale such as `de_AT.UTF-8`. */
export function languageOfLocale(locale: string | null | undefined): Language {
  const base = /^[a-z]+/i.exec(locale ?? "")?.[0].toLowerCase();
  return languages.find((language) => language === base) ?? defaultLanguage;
}

/** The first language of an Accept-Language header that emails are available in. */
export function preferredLanguage(acceptLanguage: string | null | undefined): Language {
  return acceptedLanguage(acceptLanguage) ?? defaultLanguage;
}

/** The same, or null if it names none of them. */
export function acceptedLanguage(acceptLanguage: string | null | undefined): Language | null {
  const wanted = (acceptLanguage ?? "")
    .slice(0, maxHeaderLength)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { base: tag.split("-")[0], weight: quality === undefined ? 1 : Number(quality) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { base } of wanted) {
    const available = languages.find((language) => language === base);
    if (available !== undefined) return available;
  }
  return null;
}

const maxHeaderLength = 500;
