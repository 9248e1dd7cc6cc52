import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const web = join(import.meta.dir, "..");

test("every class that a component uses is in its style sheet", () => {
  const files = readdirSync(web, { recursive: true, encoding: "utf8" });
  const components = files.filter((file) => /^(?!(?:node_modules|dist)\/).*\.tsx?$/.test(file));
  expect(components.length).toBeGreaterThan(300);
  const missing = components.flatMap((file) => {
    const source = readFileSync(join(web, file), "utf8");
    const sheets = [...source.matchAll(/import (\w+) from "([^"]+\.module\.css)"/g)];
    return sheets.flatMap(([, name = "", path = ""]) => {
      const css = readFileSync(join(web, dirname(file), path), "utf8");
      const used = [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g"))].map(([, used = ""]) => used);
      return [...new Set(used)]
        .filter((used) => !new RegExp(`\\.${used}\\b`).test(css))
        .map((used) => `${file}: ${used}`);
    });
  });
  expect(missing).toEqual([]);
});
