import { expect, test } from "bun:test";
import { walkPages } from "./every-page.ts";
import { pages } from "./page-list.ts";

test("the list of pages contains the pages of all features", () => {
  expect(pages.length).toBeGreaterThan(70);
  expect(pages.filter(({ path }) => path.includes("undefined"))).toEqual([]);
});

walkPages("pages of an organization", {
  pages: pages.filter(({ path }) => path.startsWith("/o/")),
  overlayCount: 20,
});
