import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Other names for the IP limit, by language. Only "IP limit" and "Limit IP addresses" are used. */
const former = {
  en: /max\. IPs|how many addresses|check addresses|count addresses|limit addresses|address limit|note addresses/i,
  de: /höchstens so viele IPs|wie viele Adressen|Adressen prüfen|Adressen zählen|(?<!IP-)Adressen begrenzen|Adressgrenze|IP-Grenze|Erlaubte IPs/i,
  es: /máximo de IP|cuántas direcciones(?! IP)|comprobar direcciones|contar direcciones|limitar direcciones(?! IP)|límite de direcciones|cuántas IP/i,
};
const names = {
  en: ["IP limit", "Limit IP addresses"],
  de: ["IP-Limit", "IP-Adressen begrenzen"],
  es: ["Límite de IP", "Limitar direcciones IP"],
};

describe.each(["en", "de", "es"] as const)("in %s", (language) => {
  const folder = join(import.meta.dir, language);
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => textsOf(JSON.parse(readFileSync(join(folder, file), "utf8")), file));

  test("the IP limit has one name", () =>
    expect(texts.filter(([, text]) => former[language].test(text))).toEqual([]));

  test("every field for it is called by that name", () => {
    const [limit = "", toLimit = ""] = names[language];
    for (const [path, name] of [
      ["licenses.json.fields.max_ips", limit],
      ["products.json.setting.default_max_ips.label", limit],
      ["license-files.json.fields.max_ips", limit],
      ["licenses.json.fields.ip_system_enabled", toLimit],
      ["products.json.setting.track_ip_on_validate.label", toLimit],
      ["products.json.setting.default_ip_system_enabled.label", toLimit],
    ])
      expect([path, new Map(texts).get(path ?? "")]).toEqual([path, name]);
  });
});

function textsOf(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value as object).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`));
}
