import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  changeLook,
  contrastOnly,
  desktop,
  openContext,
  phone,
  saveScreenshot,
  violationsOf,
  visit,
} from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { ask } from "./in-page.ts";
import { giveLongNames } from "./long-names.ts";
import { openEveryOverlay } from "./overlays.ts";
import { createExamples, type Examples, pages } from "./page-list.ts";

/** On a phone, the longest name of an actor leaves no space for the target. */
const tornOnPhones = new Set(["audit-log /audit-log", "admin /audit-log"]);

interface Walk {
  /** Which of the pages. */
  readonly names: readonly string[];
  /** How many different overlays these pages have at least, on a desktop and on a phone. */
  readonly overlayCount: number;
}

/**
 * Visits each page once, with the longest names that are possible, and checks all of it there: as on a desktop with the
 * light theme, and as on a phone with the dark theme.
 */
export function walkPages(title: string, { names, overlayCount }: Walk): void {
  dashboardTests(title, (dashboard) => {
    let examples: Examples;
    let inside: Page;
    let outside: Page;
    const opened = new Map<string, number>();
    beforeAll(async () => {
      examples = await giveLongNames(dashboard, await createExamples(dashboard));
      inside = await dashboard.page();
      outside = await (await openContext()).newPage();
    });

    test.each(names)(
      "%s: has no accessibility or layout problems, and its overlays can be used and closed",
      async (name) => {
        const { where, isOutside = false } = pages[name] ?? {};
        const page = isOutside ? outside : inside;
        await visit(page, dashboard.fixture.url + (where?.(examples) ?? ""));
        expect(await page.title()).toEndWith(" · Countersign");
        await page.mouse.move(0, 0);
        // Each page begins as the previous one ended, because a change costs as much as a check.
        const isPhone = page.viewportSize()?.width === phone.width;
        for (const look of isPhone ? [phone, desktop] : [desktop, phone]) {
          await changeLook(page, look);
          await saveScreenshot(page, `${name.replaceAll(/[ /$]+/g, "-")}-${look.width}`);
          const faults = [
            ...(await ask<string[]>(page, "layoutFaults")),
            ...(look === phone && tornOnPhones.has(name) ? [] : await ask<string[]>(page, "tornWords")),
            ...(await ask<string[]>(page, "crampedCells")),
            ...(await ask<string[]>(page, "focusFaults")),
            ...(await violationsOf(page, { ...(look === phone && contrastOnly), shell: name === names[0] })),
            ...(await openEveryOverlay(page, { place: `at ${look.width} px`, opened })),
          ];
          expect(faults.map((fault) => `${look.width} px: ${fault}`)).toEqual([]);
        }
      },
    );

    test("the pages have many overlays, which proves that they were opened", () => {
      for (const { width } of [desktop, phone]) {
        const count = [...opened.keys()].filter((overlay) => overlay.startsWith(`at ${width} px`)).length;
        expect(count).toBeGreaterThanOrEqual(overlayCount);
      }
    });
  });
}
