import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { walkPages } from "./every-page.ts";
import { isOfOrganization, pages } from "./page-list.ts";

describe("the list of pages", () => {
  test("contains every route", () => {
    const features = join(import.meta.dir, "../../apps/web/features");
    const routes = readdirSync(features).flatMap((feature) => {
      const file = join(features, feature, "routes.tsx");
      if (!existsSync(file)) return [];
      return [...readFileSync(file, "utf8").matchAll(/path: "([^"]+)"/g)].map(
        ([, path]) => `${feature} ${path}`,
      );
    });
    expect(Object.keys(pages).sort()).toEqual([...new Set(routes)].sort());
  });
});

walkPages("every page of an organization", {
  names: Object.keys(pages).filter(isOfOrganization),
  overlayCount: 20,
});
