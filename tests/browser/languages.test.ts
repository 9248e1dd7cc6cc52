import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromiumPath, closeChromium, howToGetChromium, violationsOf } from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { databases } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";

if (chromiumPath === null) skipWithReason("the language of the dashboard", howToGetChromium);
else
  describe("the language of the dashboard", () => {
    let dashboard: Dashboard;
    let page: Page;
    beforeAll(async () => {
      const [database] = databases;
      if (database === undefined) throw new Error("There is no database.");
      dashboard = await openDashboard(database.make);
      page = await dashboard.pageFor(dashboard.owner);
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test("changes through the user menu, also in the page title, and persists", async () => {
      await page.goto(`${dashboard.fixture.url}/o/${dashboard.slug}/licenses`);
      await page.getByRole("heading", { name: "Licenses", level: 1 }).waitFor();
      await page.getByRole("button", { name: "Your account" }).click();
      await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
      await page.getByRole("heading", { name: "Lizenzen", level: 1 }).waitFor();
      expect(await page.title()).toBe("Lizenzen · Countersign");
      expect(await page.locator("html").getAttribute("lang")).toBe("de");

      await page.reload();
      await page.getByRole("heading", { name: "Lizenzen", level: 1 }).waitFor();
      expect(await page.locator("html").getAttribute("lang")).toBe("de");
      expect(await violationsOf(page)).toEqual([]);
    }, 180_000);

    test("applies to the errors of a form, next to the field", async () => {
      await page.goto(`${dashboard.fixture.url}/o/${dashboard.slug}/ip-blocks`);
      await page.getByRole("button", { name: "IP-Adresse sperren" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox").first().fill("keine Adresse");
      await dialog.getByRole("button", { name: "Sperren" }).click();
      await dialog
        .getByText(
          "Gib eine IP-Adresse oder ein Netz ein, etwa 203.0.113.7, 203.0.113.0/24 oder 2001:db8::/48.",
        )
        .waitFor();
    }, 180_000);
  });
