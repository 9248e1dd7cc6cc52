import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import {
  changeScheme,
  chromiumPath,
  closeChromium,
  howToGetChromium,
  keepPicture,
  openContext,
  troublesOf,
  violationsOf,
  visit,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { databases } from "../support/databases.ts";
import { skipLoudly } from "../support/skip.ts";
import { type Examples, makeExamples, pages } from "./page-list.ts";

describe("the list of pages", () => {
  test("has every page that there is a route for", () => {
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

if (chromiumPath === null) skipLoudly("every page", howToGetChromium);
else
  describe("every page", () => {
    let dashboard: Dashboard;
    let examples: Examples;
    let inside: Watched;
    let outside: Watched;
    const [database] = databases;

    beforeAll(async () => {
      if (database === undefined) throw new Error("There is no database.");
      dashboard = await openDashboard(database.make);
      examples = await makeExamples(dashboard);
      inside = watched(await dashboard.pageFor(dashboard.owner));
      outside = watched(await (await openContext()).newPage());
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test.each(Object.keys(pages))(
      "%s: nothing in anybody's way, in both themes, at a desk and on a phone",
      async (name) => {
        const { where, isOutside = false } = pages[name] ?? {};
        const { page, troubles } = isOutside ? outside : inside;
        await page.setViewportSize(desk);
        await visit(page, dashboard.house.url + (where?.(examples) ?? ""));
        await changeScheme(page, "light");
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
        expect(await page.title()).toEndWith(" · Countersign");
        const picture = name.replaceAll(/[ /$]+/g, "-");
        await keepPicture(page, `${picture}-light`);
        expect(await violationsOf(page)).toEqual([]);

        await changeScheme(page, "dark");
        // Of what axe looks at, the theme changes colours alone.
        expect(await violationsOf(page, ["color-contrast"])).toEqual([]);

        await page.setViewportSize(phone);
        await keepPicture(page, `${picture}-phone`);
        expect(await page.evaluate(sideways)).toBe(0);
        expect(troubles).toEqual([]);
      },
      180_000,
    );
  });

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

interface Watched {
  readonly page: Page;
  readonly troubles: readonly string[];
}

function watched(page: Page): Watched {
  return { page, troubles: troublesOf(page) };
}
