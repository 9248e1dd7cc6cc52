import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  changeScheme,
  chromiumPath,
  closeChromium,
  howToGetChromium,
  openContext,
  pageErrorsOf,
  saveScreenshot,
  violationsOf,
  visit,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";
import { ask } from "./in-page.ts";
import { createExamples, type Examples, pages } from "./page-list.ts";

interface Look {
  readonly name: "desktop" | "phone";
  readonly width: number;
  /** The theme in which all axe rules run. The other theme changes only colours. */
  readonly scheme: "light" | "dark";
}

/** Checks every page at this screen size in both themes, and saves screenshots. */
export function lookAtEveryPage({ kind, make }: TestedDatabase, look: Look): void {
  const title = `every page at ${look.name} size, on ${kind}`;
  if (chromiumPath === null) {
    skipWithReason(title, howToGetChromium);
    return;
  }
  describe(title, () => {
    let dashboard: Dashboard;
    let examples: Examples;
    let inside: Watched;
    let outside: Watched;

    beforeAll(async () => {
      dashboard = await openDashboard(make);
      examples = await createExamples(dashboard);
      inside = watched(await dashboard.pageFor(dashboard.owner, look));
      outside = watched(await (await openContext(look)).newPage());
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test.each(Object.keys(pages))(
      "%s: has no accessibility or layout problems in either theme",
      async (name) => {
        const { where, isOutside = false } = pages[name] ?? {};
        const { page, troubles } = isOutside ? outside : inside;
        const picture = `${name.replaceAll(/[ /$]+/g, "-")}-${look.name}`;
        await visit(page, dashboard.fixture.url + (where?.(examples) ?? ""));
        await changeScheme(page, look.scheme);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
        expect(await page.title()).toEndWith(" · Countersign");
        expect(await page.evaluate(sideways)).toBe(0);
        await saveScreenshot(page, `${picture}-${look.scheme}`);
        if (look.name === "desktop") {
          expect(await ask<string[]>(page, "crampedCells")).toEqual([]);
          await page.setViewportSize({ width: 1024, height: 900 });
          expect(await ask<string[]>(page, "tornWords")).toEqual([]);
          expect(await page.evaluate(sideways)).toBe(0);
          await page.setViewportSize({ width: look.width, height: 900 });
        }
        expect(await violationsOf(page)).toEqual([]);
        expect(await ask<string[]>(page, "focusFaults")).toEqual([]);

        const other = look.scheme === "light" ? "dark" : "light";
        await changeScheme(page, other);
        await saveScreenshot(page, `${picture}-${other}`);
        expect(await violationsOf(page, ["color-contrast"])).toEqual([]);
        expect(await ask<string[]>(page, "focusFaults")).toEqual([]);
        expect(troubles).toEqual([]);
      },
      180_000,
    );
  });
}

const sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

interface Watched {
  readonly page: Page;
  readonly troubles: readonly string[];
}

function watched(page: Page): Watched {
  return { page, troubles: pageErrorsOf(page) };
}
