import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
import type { TestedDatabase } from "../support/databases.ts";
import { skipLoudly } from "../support/skip.ts";
import { ask } from "./in-page.ts";
import { type Examples, makeExamples, pages } from "./page-list.ts";

interface Look {
  readonly name: "desk" | "phone";
  readonly width: number;
  /** The theme that all of axe's rules are asked in; the other one changes colours alone. */
  readonly scheme: "light" | "dark";
}

/** Looks at every page as somebody with such a screen sees it, in both themes, and keeps the pictures. */
export function lookAtEveryPage({ kind, make }: TestedDatabase, look: Look): void {
  const title = `every page at a ${look.name}, on ${kind}`;
  if (chromiumPath === null) {
    skipLoudly(title, howToGetChromium);
    return;
  }
  describe(title, () => {
    let dashboard: Dashboard;
    let examples: Examples;
    let inside: Watched;
    let outside: Watched;

    beforeAll(async () => {
      dashboard = await openDashboard(make);
      examples = await makeExamples(dashboard);
      inside = watched(await dashboard.pageFor(dashboard.owner, look));
      outside = watched(await (await openContext(look)).newPage());
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test.each(Object.keys(pages))(
      "%s: nothing in anybody's way, in both themes",
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
        await keepPicture(page, `${picture}-${look.scheme}`);
        if (look.name === "desk") {
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
        await keepPicture(page, `${picture}-${other}`);
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
  return { page, troubles: troublesOf(page) };
}
