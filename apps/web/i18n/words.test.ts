import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { languages } from "./languages.ts";

/** Other names for the IP limit, by language. Only "IP limit" and "Limit IP addresses" are used. */
const formerNames: Readonly<Record<string, RegExp>> = {
  en: /max\. IPs|how many addresses|check addresses|count addresses|limit addresses|address limit|note addresses/i,
  de: /höchstens so viele IPs|wie viele Adressen|Adressen prüfen|Adressen zählen|(?<!IP-)Adressen begrenzen|Adressgrenze|IP-Grenze|Erlaubte IPs/i,
  es: /máximo de IP|cuántas direcciones(?! IP)|comprobar direcciones|contar direcciones|limitar direcciones(?! IP)|límite de direcciones|cuántas IP/i,
};

const web = join(import.meta.dir, "..");
const others = Object.keys(languages).filter((language) => language !== "en");
const features = readdirSync(join(import.meta.dir, "en"))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(".json", ""));

describe("the dashboard's words", () => {
  test.each(others)("each file of %s has the same keys as the English one", (language) => {
    const there = readdirSync(join(import.meta.dir, language)).filter((file) => file.endsWith(".json"));
    expect(there.sort()).toEqual(features.map((feature) => `${feature}.json`).sort());
    for (const feature of features)
      expect([feature, keysOf(language, feature)]).toEqual([feature, keysOf("en", feature)]);
  });

  test.each(Object.keys(languages))("all words in %s are in one of two files or the portal's", (language) => {
    const listed = (file: string) => {
      const text = readFileSync(join(import.meta.dir, language, file), "utf8");
      return /\{([^}]+)\}\.json/.exec(text)?.[1]?.split(",") ?? [];
    };
    // The portal has its own file, which the dashboard does not load.
    const groups = [...listed("first.ts"), ...listed("rest.ts"), "portal"];
    expect(groups.sort()).toEqual([...features].sort());
    expect(listed("first.ts")).toContain("everywhere");
  });

  test.each(others)("words in %s leave the same gaps as in English", (language) => {
    for (const feature of features) {
      const english = wordsOf("en", feature);
      for (const [key, text] of wordsOf(language, feature)) {
        const gaps = gapsOf(english.get(key) ?? english.get(key.replace(/_many$/, "_other")) ?? "");
        expect([feature, key, gapsOf(text)]).toEqual([feature, key, gaps]);
      }
    }
  });

  test("a validation is refused, and only a transfer is rejected", () => {
    const rejected = features
      .filter((feature) => feature !== "transfers")
      .flatMap((feature) => [...wordsOf("en", feature)].map(([key, text]) => [feature, key, text] as const))
      .filter(([, key, text]) => /reject/i.test(text) && !/transfer/i.test(`${key} ${text}`))
      // Of the portal's transfer requests.
      .filter(([feature, , text]) => feature !== "portal" || !/seller/.test(text));
    expect(rejected).toEqual([]);
  });

  test.each([
    ["en", /\bIPs\b/],
    ["de", /\bIPs\b/],
    ["es", /\bIPs\b/],
  ])("IP addresses are not called IPs in %s", (language, other) => {
    const texts = features.flatMap((feature) => [...wordsOf(language, feature)]);
    expect(texts.filter(([, text]) => other.test(text))).toEqual([]);
  });

  test.each([
    ["en", "New license", "Valid", "In use"],
    ["de", "Neue Lizenz", "Gültig", "In Nutzung"],
    ["es", "Nueva licencia", "Válida", "En uso"],
  ])(
    "in %s, adding a license has one name, and only a license's status is called active",
    (language, add, valid, used) => {
      for (const [feature, key, name] of [
        ["everywhere", "palette.newLicense", add],
        ["customers", "newLicense", add],
        ["licenses", "new.open", add],
        ["requests", "outcomes.active", valid],
        ["analytics", "licenses.active.name", used],
      ] as const)
        expect([key, wordsOf(language, feature).get(key)]).toEqual([key, name]);
    },
  );

  test("a request to the API is petición in Spanish, because solicitud is one for a transfer", () => {
    const wrong = features
      .filter((feature) => !["transfers", "portal", "products"].includes(feature))
      .flatMap((feature) => [...wordsOf("es", feature)])
      .filter(([key, text]) => /solicitud/i.test(text) && !key.includes("transfer"));
    expect(wrong).toEqual([]);
  });

  test.each([
    ["en", "IP limit", "Limit IP addresses"],
    ["de", "IP-Limit", "IP-Adressen begrenzen"],
    ["es", "Límite de IP", "Limitar direcciones IP"],
  ])("the IP limit has one name in %s, also on every field for it", (language, limit, toLimit) => {
    const texts = features.flatMap((feature) => [...wordsOf(language, feature)]);
    expect(texts.filter(([, text]) => formerNames[language]?.test(text))).toEqual([]);
    for (const [feature, key, name] of [
      ["licenses", "fields.max_ips", limit],
      ["products", "setting.default_max_ips.label", limit],
      ["license-files", "fields.max_ips", limit],
      ["licenses", "fields.ip_system_enabled", toLimit],
      ["products", "setting.track_ip_on_validate.label", toLimit],
      ["products", "setting.default_ip_system_enabled.label", toLimit],
    ] as const)
      expect([key, wordsOf(language, feature).get(key)]).toEqual([key, name]);
  });

  test("every key that the pages ask for exists, and every gap in its words gets a value", () => {
    const missing: string[] = [];
    for (const file of sources())
      for (const { feature, key, values } of asked(readFileSync(file, "utf8"))) {
        const words = features.includes(feature) ? wordsOf("en", feature) : new Map<string, string>();
        const text = words.get(key) ?? words.get(`${key}_other`);
        const gaps = gapsOf(text ?? "").filter((gap) => values !== undefined && !values.includes(gap));
        if (text === undefined) missing.push(`${relative(web, file)}: ${feature}:${key}`);
        if (gaps.length > 0)
          missing.push(`${relative(web, file)}: ${feature}:${key} needs ${gaps.join(", ")}`);
      }
    expect(missing).toEqual([]);
  });
});

interface Asked {
  readonly feature: string;
  readonly key: string;
  /** The names of the values passed with it. Undefined if there are none, or if not all can be read from the source. */
  readonly values: readonly string[] | undefined;
}

/** Keys that are literals. Keys that are assembled at run time are not checked here. */
function asked(source: string): Asked[] {
  const features = new Map<string, string>();
  for (const [, names = "", feature = "everywhere"] of source.matchAll(
    /const \{([^}]*)\} = useTranslation\((?:"([^"]+)")?\)/g,
  )) {
    const name = /\bt(?:: (\w+))?/.exec(names);
    if (name !== null) features.set(name[1] ?? "t", feature);
  }
  // If a file uses several features under the same name, a key cannot be attributed.
  const all = [...source.matchAll(/useTranslation\((?:"([^"]+)")?\)/g)].map(
    ([, feature]) => feature ?? "everywhere",
  );
  const found: Asked[] = [];
  for (const [name, feature] of features) {
    if (name === "t" && new Set(all).size > features.size) continue;
    const calls = new RegExp(`(?<![\\w.])${name}\\(\\s*"([^"]+)"(?:,\\s*\\{[^}]*\\bns: "([\\w-]+)")?`, "g");
    for (const { 0: call, 1: key = "", 2: named, index } of source.matchAll(calls)) {
      const [other, rest] = key.split(":");
      const values = valuesOf(source.slice(index + call.indexOf(key) + key.length + 1));
      found.push(
        rest === undefined
          ? { feature: named ?? feature, key, values }
          : { feature: other ?? feature, key: rest, values },
      );
    }
  }
  return found;
}

/** The names in the object literal that follows a key. */
function valuesOf(source: string): string[] | undefined {
  if (!/^,\s*\{/.test(source)) return undefined;
  const names: string[] = [];
  let depth = 0;
  let isNext = false;
  for (const [token] of source.matchAll(/\.{3}|\w+|"[^"]*"|`[^`]*`|[{}()[\],:?]/g)) {
    if (depth === 1 && token === "...") return undefined;
    if (depth === 1 && isNext && /^\w/.test(token)) names.push(token);
    isNext = (depth === 1 && token === ",") || (depth === 0 && token === "{");
    if (/[{([]/.test(token) && token.length === 1) depth += 1;
    if (/[})\]]/.test(token) && token.length === 1) depth -= 1;
    if (depth === 0 && token === "}") break;
  }
  return names;
}

function wordsOf(language: string, feature: string): Map<string, string> {
  const file = join(import.meta.dir, language, `${feature}.json`);
  return new Map(flat(JSON.parse(readFileSync(file, "utf8"))));
}

function flat(words: object, before = ""): [string, string][] {
  return Object.entries(words).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[before + key, value]] : flat(value, `${before}${key}.`),
  );
}

/** Languages differ in their plural forms: Spanish has one for millions. */
function keysOf(language: string, feature: string): string[] {
  const keys = [...wordsOf(language, feature).keys()].map((key) => key.replace(/_many$/, "_other"));
  return [...new Set(keys)].sort();
}

function gapsOf(text: string): string[] {
  return [...text.matchAll(/\{\{\s*(\w+)/g)].map((match) => match[1] ?? "").sort();
}

/** The dashboard's files, tests apart. */
function sources(): string[] {
  return readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/^(?:node_modules|dist)\b|\.test\./.test(file))
    .map((file) => join(web, file));
}
