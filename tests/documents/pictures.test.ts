import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { allSources } from "../../docs/.vitepress/pages.ts";
import { markdownOf } from "../../docs/.vitepress/stage.ts";
import { pictures } from "../screenshots/pictures.ts";

const root = join(import.meta.dir, "../..");
const folder = join(root, "docs/public/screenshots");
const files = readdirSync(folder);
const used = ["README.md", ...allSources()].flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return Array.from(text.matchAll(/<picture>[\s\S]*?<\/picture>/g), ([html]) => ({ page, html }));
});

test("every picture on a page exists for both themes, has its size and a text for those who do not see it", () => {
  expect(used.length).toBeGreaterThan(8);
  for (const { page, html } of used) {
    const pattern =
      /^<picture>\n {2}<source media="\(prefers-color-scheme: dark\)" srcset="(.*)-dark\.webp">\n {2}<img src="(.*)-light\.webp" alt="([^"]{20,})" width="(\d+)" height="(\d+)" loading="lazy">\n<\/picture>$/;
    const [, dark = "", light, , width, height] = pattern.exec(html) ?? [];
    expect([page, html, light]).toEqual([page, html, dark]);
    const { size } = pictures.find(({ name }) => dark.endsWith(`/${name}`)) ?? {};
    expect([page, width, height]).toEqual([page, String(size?.width), String(size?.height)]);
    for (const theme of ["light", "dark"])
      expect([page, existsSync(join(root, dirname(page), `${dark}-${theme}.webp`))]).toEqual([page, true]);
  }
});

test("every picture that is taken is on a page, and none is left of an earlier list", () => {
  const taken = pictures.flatMap(({ name }) => ["dark", "light"].map((theme) => `${name}-${theme}.webp`));
  expect(files.toSorted()).toEqual(taken.toSorted());
  const unused = pictures.filter(
    ({ name }) => !used.some(({ html }) => html.includes(`/${name}-light.webp`)),
  );
  expect(unused).toEqual([]);
});

test("pictures are small enough for a repository and for a phone", () => {
  const sizes = files.map((file) => statSync(join(folder, file)).size);
  expect(Math.max(...sizes)).toBeLessThan(120 * 1024);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3 * 1024 * 1024);
});

test("for programs that read Markdown, a picture is an image", () => {
  const page = markdownOf("docs/guides/explaining-refusals.md");
  expect(page).toMatch(/^!\[[^\]]+\]\(\/docs\/screenshots\/request-light\.webp\)$/m);
  expect(page).not.toContain("<picture>");
});
