import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { placeholders, type Text } from "@countersign/contract/problems/declare";
import { failures } from "@countersign/contract/problems/failures";
import { fieldErrors, problems } from "@countersign/contract/problems/problems";
import i18next from "i18next";
import de from "./de/problems.json";
import en from "./en/problems.json";
import es from "./es/problems.json";
import { fieldText, fieldTextWithName, problemText } from "./problem-texts.ts";

type Texts = Readonly<Record<string, string>>;
const languages: Readonly<Record<string, Readonly<Record<string, Texts>>>> = { en, de, es };

const declared: Readonly<Record<string, Readonly<Record<string, Text>>>> = {
  problems: Object.fromEntries(Object.entries(problems).map(([code, { text }]) => [code, text])),
  fields: fieldErrors,
  failures,
};

const cases = Object.keys(languages).flatMap((language) =>
  Object.keys(declared).map((section) => ({ language, section })),
);

describe("the texts of codes", () => {
  test.each(cases)("$language has every text for $section, and none left over", ({ language, section }) => {
    const there = new Set(Object.keys(languages[language]?.[section] ?? {}).map(withoutPlural));
    expect([...there].sort()).toEqual(Object.keys(declared[section] ?? {}).sort());
  });

  test.each(cases)("texts of $language for $section use only known parameters", ({ language, section }) => {
    for (const [key, text] of Object.entries(languages[language]?.[section] ?? {})) {
      const known = placeholders(declared[section]?.[withoutPlural(key)] ?? "");
      const used = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
      expect([key, used.filter((name) => !known.includes(name))]).toEqual([key, []]);
      expect([key, text.replace(/\{\{\w+\}\}/g, "")]).toEqual([key, expect.not.stringMatching(/[{}]/)]);
    }
  });
});

describe("refusals", () => {
  beforeAll(() =>
    i18next.init({
      lng: "de",
      fallbackLng: false,
      resources: { de: { problems: de }, en: { problems: en } },
      interpolation: { escapeValue: false },
    }),
  );
  afterAll(() => i18next.changeLanguage("en"));

  test("a refusal is in the reader's language, with numbers and times as they are written there", () => {
    const error = { field: "max_ips", code: "too_large", params: { max: 1_000_000 }, message: "" };
    expect(fieldText(error)).toContain("1.000.000");
    const changed = { code: "changed_meanwhile", params: { changed_at: "2026-11-20T08:00:00.000Z" } };
    expect(problemText({ ...changed, message: "" })).toContain("20. November 2026");
  });

  test("a refusal that is shown away from its field names the field", () => {
    const error = { field: "name", code: "missing", params: {}, message: "name is missing." };
    expect(fieldTextWithName(error)).toBe(`name: ${fieldText(error)}`);
  });

  test("a refusal with a code that is not known is the server's English", () => {
    const message = "This is from a later release.";
    expect(problemText({ code: "from_a_later_release", params: {}, message })).toBe(message);
    expect(fieldText({ field: "name", code: "from_a_later_release", params: {}, message })).toBe(message);
  });
});

function withoutPlural(key: string): string {
  return key.replace(/_(?:one|many|other)$/, "");
}
