import { expect, test } from "bun:test";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const web = join(import.meta.dir, "..");
const textOf = (file: string) => readFileSync(join(web, file), "utf8");

test("every class that a component uses is in its style sheet", () => {
  const files = globSync("**/*.{ts,tsx}", { cwd: web });
  const components = files.filter((file) => !/^(?:node_modules|dist)\//.test(file));
  expect(components.length).toBeGreaterThan(250);
  const missing = components.flatMap((file) => {
    const source = textOf(file);
    const sheets = [...source.matchAll(/import (\w+) from "([^"]+\.module\.css)"/g)];
    return sheets.flatMap(([, name = "", path = ""]) => {
      const css = textOf(join(dirname(file), path));
      const used = [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g"))].map(([, used = ""]) => used);
      const unknown = used.filter((used) => !new RegExp(`\\.${used}\\b`).test(css));
      return unknown.map((used) => `${file}: ${used}`);
    });
  });
  expect(missing).toEqual([]);
});

test("every list with times shows them as dates, with the relative time beside them", () => {
  const columns = /(?:columns=\{\[|Column<[^\n]*\[\] = \[)[\s\S]*?\n\s*\](?:\}|;)/g;
  const files = globSync("features/**/*.tsx", { cwd: web });
  const lists = files.flatMap((file) =>
    Array.from(textOf(file).matchAll(columns), ([text]) => ({ file, text })),
  );
  expect(lists.length).toBeGreaterThan(20);
  expect(lists.filter(({ text }) => text.includes("<Time ")).map(({ file }) => file)).toEqual([]);
  expect(textOf("features/licenses/license-row.tsx")).not.toContain("<Time ");
});

test("every link to a page of an organization is made by a function for the page", () => {
  const sources = globSync("{api,app,features,session,ui}/**/*.{ts,tsx}", { cwd: web });
  const others = sources.filter((file) => !/\.test\.|^session\/paths\.ts$/.test(file));
  expect(others.length).toBeGreaterThan(250);
  expect(others.filter((file) => /`\/o\/\$\{|to="\/o\/| as "\/"/.test(textOf(file)))).toEqual([]);
});

test("no text is given a page, which it would show as an object", () => {
  const sources = globSync("{app,features,session,ui}/**/*.{ts,tsx}", { cwd: web });
  expect(sources.filter((file) => /\bt\([^)]*\bpaths\.|\$\{paths\./.test(textOf(file)))).toEqual([]);
});
