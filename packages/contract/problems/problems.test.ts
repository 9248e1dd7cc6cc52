import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filled, placeholders, statusTitles, type Text } from "./declare.ts";
import { failures } from "./failures.ts";
import { fieldErrorBody, fieldErrors, fieldFault, problems } from "./problems.ts";

const root = join(import.meta.dir, "../../..");
const declared: Readonly<Record<string, Readonly<Record<string, Text>>>> = {
  problems: Object.fromEntries(Object.entries(problems).map(([code, { text }]) => [code, text])),
  fieldErrors,
  failures,
};
const codes = Object.values(declared).flatMap((texts) => Object.keys(texts));

describe("codes", () => {
  test("codes are in snake_case, and each is declared once", () => {
    for (const code of codes) expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  test("the code of each refusal has a status with a title", () => {
    for (const [code, { status }] of Object.entries(problems))
      expect([code, statusTitles[status]]).toEqual([code, expect.any(String)]);
  });

  test.each(Object.entries(declared))(
    "the texts of %s are whole sentences, with the same placeholders for one as for many",
    (kind, texts) => {
      // Field errors continue the field's name.
      const sentence = kind === "fieldErrors" ? /^[a-z].*[^.]$/s : /^[A-Z{].*[.}]$/s;
      for (const [code, text] of Object.entries(texts))
        for (const form of typeof text === "string" ? [text] : Object.values(text)) {
          expect([code, form]).toEqual([code, expect.stringMatching(sentence)]);
          expect([code, placeholders(form)]).toEqual([code, placeholders(text)]);
          expect([code, form.replace(/\{\w+\}/g, "")]).toEqual([code, expect.not.stringMatching(/[{}]/)]);
        }
    },
  );
});

describe("uses of codes", () => {
  const server = sources(["apps/server", "packages/domain", "packages/store"]);
  const contract = sources(["packages/contract"]).filter(({ file }) => !file.includes("problems"));

  test("the sources refuse with declared codes only", () => {
    const undeclared = [...server, ...contract].flatMap(({ file, text }) =>
      [
        ...text.matchAll(/\b(?:new Problem|fieldFault|fieldCode|failure)\(\s*"([^"]+)"/g),
        ...text.matchAll(/\binvalid\(\s*[^,()]+,\s*"([^"]+)"/g),
      ]
        .map(([, code = ""]) => code)
        .filter((code) => !codes.includes(code))
        .map((code) => `${file}: ${code}`),
    );
    expect(undeclared).toEqual([]);
  });

  test.each(Object.keys(declared))("the sources use every code of %s", (kind) => {
    const used = kind === "problems" ? server : [...server, ...contract];
    const texts = used.map(({ text }) => text).join("\n");
    const unused = Object.keys(declared[kind] ?? {}).filter((code) => !texts.includes(`"${code}"`));
    expect(unused).toEqual([]);
  });
});

describe("filled texts", () => {
  test("a text is filled with its parameters", () => {
    expect(filled("From {min} to {max}.", { min: 1, max: 1_000_000 })).toBe("From 1 to 1,000,000.");
    expect(filled("One of {allowed}.", { allowed: ["a", "b"] })).toBe("One of a, b.");
    expect(filled({ one: "{count} row", other: "{count} rows" }, { count: 1 })).toBe("1 row");
    expect(filled({ one: "{count} row", other: "{count} rows" }, { count: 2 })).toBe("2 rows");
  });

  test("the text of a field error starts with the field", () => {
    expect(fieldErrorBody("max_ips", fieldFault("too_small", { min: 1 }))).toEqual({
      field: "max_ips",
      code: "too_small",
      params: { min: 1 },
      message: "max_ips must be at least 1.",
    });
  });
});

function sources(folders: readonly string[]): { file: string; text: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /^(?!(?:node_modules|dist)\/).*(?<!\.test)\.ts$/.test(file))
      .map((file) => ({ file: join(folder, file), text: readFileSync(join(root, folder, file), "utf8") })),
  );
}
