import { expect, test } from "bun:test";
import { looksRight, phone, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { answers } from "./billing-answers.ts";

const midnight = "2026-11-18T00:00:00.000Z";
const days = [120, 340, 0, 410, 380, 90, 70, 460, 500, 520, 480, 610, 700, 820];

dashboardTests("usage", (dashboard) => {
  test("the usage page shows what the server counted, for the organization and each product", async () => {
    for (let request = 0; request < 3; request++)
      await dashboard.api.validate({ license_key: "no such key" });
    const page = await dashboard.page();
    await visit(page, dashboard.home);
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "Analytics" }).click();
    await navigation.getByRole("link", { name: "Usage" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.getByText("3 in total").waitFor();
    await page.getByRole("combobox", { name: "Product" }).click();
    await page.getByRole("option", { name: "Polaris" }).click();
    await page.waitForURL(`${dashboard.home}/usage?product=*`);
    await page.getByRole("button", { name: "Show as table" }).click();
    await looksRight(page, "usage-counted");
    await page.getByText("13 months", { exact: true }).click();
    await page.waitForURL(/days=396/);
    const rows = page.getByRole("table", { name: "Requests by day" }).getByRole("row");
    // The total is the same, and the shorter table is shown until the longer one is there.
    await rows.nth(396).waitFor();
    expect(await rows.count()).toBe(397);
    expect(await rows.nth(1).textContent()).toContain("3");
    // The choice survives a reload.
    await page.reload();
    await page.getByText("3 in total").waitFor();
    expect(await page.getByRole("combobox", { name: "Product" }).inputValue()).toBe("Polaris");
  });

  test("the usage page says when a limit will be reached or has been", async () => {
    const page = await dashboard.page(phone);
    const products = [
      { name: "Polaris", status: "active", used_today: 820, runs_out_at: "2026-11-17T17:40:00.000Z" },
      { name: "Vega", status: "active", used_today: 1_000 },
      { name: "Deneb", status: "disabled", used_today: 12 },
      { name: "Altair", status: "active", used_today: 70_000, daily_limit: null },
    ].map((product) => {
      const usage = {
        product_id: product.name,
        days,
        resets_at: midnight,
        daily_limit: 1_000,
        runs_out_at: null,
      };
      return { ...usage, ...product };
    });
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
    await page.goto(`${dashboard.home}/usage`);
    await page.getByText(/^At today's pace, the limit is reached at \d+:40/).waitFor();
    await page.getByText(/^The limit is reached\. Further requests are refused with 429/).waitFor();
    await page.getByText("70,000, no limit").waitFor();
    await page.getByText("48.2 MB").waitFor();
    await page.getByText(/^Resets at /).waitFor();
    await page.getByRole("img", { name: /820 on the busiest day, Nov 1, 2026/ }).waitFor();
    await looksRight(page, "usage");
  });
});
