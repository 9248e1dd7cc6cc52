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
import { answers } from "./billing-answers.ts";

const midnight = "2026-11-18T00:00:00.000Z";
const days = [120, 340, 0, 410, 380, 90, 70, 460, 500, 520, 480, 610, 700, 820];

if (chromiumPath === null) skipWithReason("the usage page", howToGetChromium);
// The dashboard behaves the same on both databases.
else
  describe("the usage page", () => {
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

    test("shows what the server counted, for the organization and each product", async () => {
      const { fixture, apiKey, owner } = dashboard;
      for (let request = 0; request < 3; request++)
        await fetch(`${fixture.url}/api/v1/validate`, {
          method: "POST",
          headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ license_key: "no such key" }),
        });
      const page = await dashboard.pageFor(owner, { width: 1280 });
      const troubles = pageErrorsOf(page);
      await page.goto(home);
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Usage" }).click();
      await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
      await page.getByText("3 in total").waitFor();
      await page.getByRole("combobox", { name: "Product" }).click();
      await page.getByRole("option", { name: "Polaris" }).click();
      await page.waitForURL(`${home}/usage?product=*`);
      await page.getByText("13 months", { exact: true }).click();
      await page.waitForURL(/days=396/);
      await page.getByText("3 in total").waitFor();
      await page.getByRole("button", { name: "Show as table" }).click();
      const rows = page.getByRole("table", { name: "Requests by day" }).getByRole("row");
      expect(await rows.count()).toBe(397);
      expect(await rows.nth(1).textContent()).toContain("3");
      await looksRight(page, "usage-counted");
      // The choice survives a reload.
      await page.reload();
      await page.getByText("3 in total").waitFor();
      expect(await page.getByRole("combobox", { name: "Product" }).inputValue()).toBe("Polaris");
      expect(troubles).toEqual([]);
      await page.context().close();
    }, 180_000);

    test.each([1280, 390])(
      "says when a limit will be reached or has been, at %d pixels",
      async (width) => {
        const page = await dashboard.pageFor(dashboard.owner, { width });
        const troubles = pageErrorsOf(page);
        const usage = { product_id: dashboard.productId, days, resets_at: midnight };
        const products = [
          { ...usage, name: "Polaris", status: "active", ...used(820, 1_000, "2026-11-17T17:40:00.000Z") },
          { ...usage, product_id: "2", name: "Vega", status: "active", ...used(1_000, 1_000, null) },
          { ...usage, product_id: "3", name: "Deneb", status: "disabled", ...used(12, 1_000, null) },
          { ...usage, product_id: "4", name: "Altair", status: "active", ...used(70_000, null, null) },
        ];
        await answers(page, "/organizations/*/usage?*", () => ({ data: products, next_cursor: null }));
        await answers(page, "/organizations/*/usage/history?*", () => ({
          from: "2026-10-19T00:00:00.000Z",
          days: [...days, 0, 0, ...days],
        }));
        await answers(page, "/organizations/*/usage/totals", () => ({
          limits: [
            { name: "products", used: 4, limit: 5 },
            { name: "licenses", used: 1_204, limit: null },
            { name: "members", used: 3, limit: 10 },
            { name: "webhooks", used: 2, limit: null },
          ],
          storage_bytes: 48_200_000,
        }));
        await page.goto(`${home}/usage`);
        await page.getByText(/^At today's pace, the limit is reached at \d+:40/).waitFor();
        await page.getByText(/^The limit is reached\. Further requests are rejected with 429/).waitFor();
        await page.getByText("70,000, no limit").waitFor();
        await page.getByText("48.2 MB").waitFor();
        await page.getByText(/^Resets at /).waitFor();
        await page.getByRole("img", { name: /820 on the busiest day, Nov 1, 2026/ }).waitFor();
        await looksRight(page, `usage-${width}`);
        expect(troubles).toEqual([]);
        await page.context().close();
      },
      180_000,
    );

    test("without a product, it says what to do next", async () => {
      const { slug } = await dashboard.manage("POST", "/organizations", { name: "Fresh start" });
      const page = await dashboard.pageFor(dashboard.owner);
      await page.goto(`${dashboard.fixture.url}/o/${slug}/usage`);
      await page.getByRole("heading", { name: "Create a product first" }).waitFor();
      await page.getByRole("link", { name: "New product" }).waitFor();
      await looksRight(page, "usage-empty");
      await page.context().close();
    }, 180_000);

    const used = (count: number, limit: number | null, runsOutAt: string | null) => ({
      used_today: count,
      daily_limit: limit,
      runs_out_at: runsOutAt,
    });

    /** Screenshots and axe in both themes. */
    const looksRight = async (page: Page, name: string) => {
      for (const scheme of ["dark", "light"] as const) {
        await changeScheme(page, scheme);
        await saveScreenshot(page, `${name}-${scheme}`);
        expect(await violationsOf(page)).toEqual([]);
      }
      const width = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(width)).toBe(0);
    };
  });
