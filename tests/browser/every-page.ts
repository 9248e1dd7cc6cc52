import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  changeLook,
  contrastOnly,
  desktop,
  looksOf,
  openPage,
  phone,
  saveScreenshot,
  violationsOf,
  visit,
} from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { createExamples, type Examples } from "./examples.ts";
import { ask } from "./in-page.ts";
import { type ListedPage, pathWith } from "./page-list.ts";

/** On a phone, the longest name of an actor leaves no space for the target. */
const tornOnPhones = new Set(["/o/$organization/audit-log", "/admin/audit-log"]);

interface Walk {
  readonly pages: readonly ListedPage[];
  /** How many different overlays these pages have at least, on a desktop and on a phone. */
  readonly overlayCount: number;
}

/**
 * Visits each page once, with the longest names that are possible, and checks all of it there: as on a desktop with the
 * light theme, and as on a phone with the dark theme.
 */
export function walkPages(title: string, { pages, overlayCount }: Walk): void {
  dashboardTests(title, (dashboard) => {
    let examples: Examples;
    let inside: Page;
    let outside: Page;
    /** The names of the overlays that were opened, by the width of the page. */
    const openedAt = { [desktop.width]: new Set<string>(), [phone.width]: new Set<string>() };
    beforeAll(async () => {
      examples = await createExamples(dashboard);
      inside = await dashboard.page();
      outside = await openPage();
    });

    test.each(pages)(
      "$path has no accessibility or layout problems, and its overlays can be used and closed",
      async ({ path, isOutside }) => {
        const page = isOutside ? outside : inside;
        await visit(page, dashboard.fixture.url + pathWith(examples, path));
        expect(await page.title()).toEndWith(" · Countersign");
        await page.mouse.move(0, 0);
        for (const look of looksOf(page)) {
          await changeLook(page, look);
          await saveScreenshot(page, `${path.replaceAll(/[/$]+/g, "-")}-${look.width}`);
          const faults = [
            ...(await ask<string[]>(page, "faultsOfPage", {
              mayTearWords: look === phone && tornOnPhones.has(path),
            })),
            ...(await violationsOf(page, {
              ...(look === phone && contrastOnly),
              shell: path === pages[0]?.path,
            })),
            ...(await faultsOfOverlays(page, openedAt[look.width])),
          ];
          expect(faults.map((fault) => `${look.width} px: ${fault}`)).toEqual([]);
        }
      },
    );

    test("the pages have many overlays, which proves that they were opened", () => {
      for (const names of Object.values(openedAt)) expect(names.size).toBeGreaterThanOrEqual(overlayCount);
    });
  });
}

/** Buttons that act at once or change the page. Every other button must open an overlay. */
const actsAtOnce = new RegExp(
  `^(${[
    "Copy|Show|Hide|Send|Save|Try|Check|Sign|Format|Choose|All|None|More$|Dismiss|Cancel|Menu$|Next|Continue",
    "End the session|Delete announcement|Remove block|Move “|Remove “|Remove \\d|Remove [\\d.]+$|Add header|Add link|Remove link|Use the portal|Use a recovery|Confirm email",
    "(customer|license|product|organization|request)\\.\\w+$",
  ].join("|")})`,
);

/** Opens every menu, list and dialog of the page. Returns what is wrong with them, and adds their names to `opened`. */
async function faultsOfOverlays(page: Page, opened: Set<string>): Promise<readonly string[]> {
  const { names, faults } = await ask<{ names: string[]; faults: string[] }>(page, "openEveryOverlay", {
    actsAtOnce: actsAtOnce.source,
    knownNames: [...opened],
  });
  for (const name of names) opened.add(name);
  return faults;
}
