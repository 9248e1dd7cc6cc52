import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "../support/databases.ts";
import { lookAtEveryPage } from "./every-page.ts";
import { pages } from "./page-list.ts";

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

lookAtEveryPage(sqlite, { name: "desktop", width: 1440, scheme: "light" });
