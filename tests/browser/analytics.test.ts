import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  changeScheme,
  chromiumPath,
  closeChromium,
  howToGetChromium,
  pageErrorsOf,
  saveScreenshot,
  violationsOf,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { sqlite } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";
import { answerAnalytics } from "./analytics-answers.ts";

if (chromiumPath === null) skipWithReason("the analytics pages", howToGetChromium);
else
  describe("the analytics pages", () => {
    let dashboard: Dashboard;
    let home: string;
    beforeAll(async () => {
      dashboard = await openDashboard(sqlite.make);
      home = `${dashboard.fixture.url}/o/${dashboard.slug}`;
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test.each([1280, 390])(
      "a busy month reads well and works with the keyboard, at %d pixels",
      async (width) => {
        const page = await dashboard.pageFor(dashboard.owner, { width });
        const troubles = pageErrorsOf(page);
        await answerAnalytics(page);
        await page.goto(`${home}/products/${dashboard.productId}/analytics`);
        const chart = page.getByRole("slider", { name: "Validations by outcome" });
        await chart.focus();
        const words = () => chart.getAttribute("aria-valuetext");
        expect(await words()).toStartWith("Tuesday, November 17, 2026");
        await page.keyboard.press("ArrowLeft");
        expect(await words()).toStartWith("Monday, November 16, 2026: Total ");
        await page.keyboard.press("Home");
        expect(await words()).toContain("October 19, 2026: Total ");
        expect(await words()).toContain("Active 820, Expired 49");
        await looksRight(page, `analytics-${width}`);
        await page
          .getByRole("radiogroup", { name: "View of Validations by outcome" })
          .getByText("Table")
          .click();
        const rows = page.getByRole("table", { name: "Validations by outcome" }).getByRole("row");
        await rows.first().waitFor();
        expect(await rows.count()).toBe(31);
        expect(await rows.last().textContent()).toContain("October 19, 2026");
        expect(troubles).toEqual([]);
        await page.context().close();
      },
      180_000,
    );

    /** Screenshots and axe in both themes. */
    const looksRight = async (page: Page, name: string) => {
      await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
      for (const scheme of ["dark", "light"] as const) {
        await changeScheme(page, scheme);
        await saveScreenshot(page, `${name}-${scheme}`);
        expect(await violationsOf(page)).toEqual([]);
      }
      const width = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(width)).toBe(0);
    };
  });
