import { expect, test } from "bun:test";
import { oneLine, paragraphs } from "../text/plain-line.ts";
import { type Language, languageOfLocale, languages, preferredLanguage } from "./languages.ts";
import { moment, type Sentence, translate, words } from "./translate.ts";

const sentences = Object.keys(words.en) as Sentence[];

test.each([...languages])("%s has every text with the same placeholders, in the same order", (language) => {
  expect(Object.keys(words[language])).toEqual(sentences);
  for (const sentence of sentences) expect(words[language][sentence].trim()).not.toBe("");
  const placeholders = (of: Language) =>
    Object.fromEntries(
      sentences.map((sentence) => [sentence, [...new Set(words[of][sentence].match(/\{\w+\}/g))].sort()]),
    );
  expect(placeholders(language)).toEqual(placeholders("en"));
});

test.each(["de", "es"] as const)("no sentence of %s was left in English", (language) => {
  const left = sentences.filter((sentence) => words[language][sentence] === words.en[sentence]);
  expect(left).toEqual(language === "de" ? ["label.code"] : []);
});

test("a name with line breaks or a placeholder stays a name", () => {
  const organization = "Acme\r\nBcc: everyone@example.com {role}\u202e";
  expect(translate("en", "invitation.subject", { organization })).toBe(
    "Invitation to join Acme Bcc: everyone@example.com {role}",
  );
});

test("a text without its value throws", () =>
  expect(() => translate("de", "invitation.subject")).toThrow("{organization}"));

test.each<[header: string | null, language: Language]>([
  [null, "en"],
  ["de-AT,de;q=0.9,en;q=0.8", "de"],
  ["fr-FR,fr;q=0.9,es-MX;q=0.7,en;q=0.8", "en"],
  ["fr, es;q=0.5", "es"],
  ["de;q=0, es;q=x, en", "en"],
  ["*", "en"],
])("%p results in emails in %s", (header, language) => expect(preferredLanguage(header)).toBe(language));

test.each<[locale: string | null, language: Language]>([
  [null, "en"],
  ["C.UTF-8", "en"],
  ["de", "de"],
  ["de_AT.UTF-8", "de"],
  ["es_ES@euro", "es"],
  ["fr_FR.UTF-8", "en"],
  ["deutsch", "en"],
])("a terminal in %p is set up in %s", (locale, language) => expect(languageOfLocale(locale)).toBe(language));

test.each([
  ["Acme", "Acme"],
  [" Acme\r\n\r\nYour account is locked ", "Acme Your account is locked"],
  ["A\u2028B\u202eC", "A B C"],
])("the name %p is written as %p in an email", (name, line) => expect(oneLine(name)).toBe(line));

test("a seller's text keeps its paragraphs and lines, but no other invisible characters", () => {
  const written = "Thank you!\r\nAda\u202e \r\n\r\n\r\n  \n Bye.\u0007\n";
  expect(paragraphs(written)).toEqual(["Thank you!\nAda", "Bye."]);
});

test.each<[language: Language, text: string]>([
  ["en", "January 2, 2031 at 03:04 UTC"],
  ["de", "2. Januar 2031 um 03:04 UTC"],
  ["es", "2 de enero de 2031 a las 3:04 UTC"],
])("a moment in %s is %s", (language, text) =>
  expect(moment(language, Date.UTC(2031, 0, 2, 3, 4))).toBe(text),
);
