import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const web = join(import.meta.dir, "..");

test("every class that a component uses is in its style sheet", () => {
  const missing = sources(web).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    const sheets = [...source.matchAll(/import (\w+) from "([^"]+\.module\.css)"/g)];
    return sheets.flatMap(([, name = "", path = ""]) => {
      const css = readFileSync(join(dirname(file), path), "utf8");
      const used = [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g"))].map(([, used = ""]) => used);
      return [...new Set(used)]
        .filter((used) => !new RegExp(`\\.${used}\\b`).test(css))
        .map((used) => `${relative(web, file)}: ${used}`);
    });
  });
  expect(missing).toEqual([]);
});

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    if (entry.isDirectory()) return sources(join(folder, entry.name));
    return /\.tsx?$/.test(entry.name) ? [join(folder, entry.name)] : [];
  });
}
