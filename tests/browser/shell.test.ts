import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  openContext,
  violationsOf,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { databases } from "../support/databases.ts";
import { goodPassword } from "../support/sign-in-fixture.ts";
import { skipWithReason } from "../support/skip.ts";

if (chromiumPath === null) skipWithReason("the dashboard shell", howToGetChromium);
else
  describe("the dashboard shell", () => {
    let dashboard: Dashboard;
    let page: Page;
    let home: string;
    let licenseKey: string;
    let licenseId: string;
    beforeAll(async () => {
      const [database] = databases;
      if (database === undefined) throw new Error("There is no database.");
      dashboard = await openDashboard(database.make);
      const license = await dashboard.manage("POST", `/products/${dashboard.productId}/licenses`, {
        customer_email: "carla@example.com",
        customer_name: "Carla Mendes",
        is_lifetime: true,
      });
      licenseKey = license.license_key;
      licenseId = license.id;
      page = await dashboard.pageFor(dashboard.owner);
      home = `${dashboard.fixture.url}/o/${dashboard.slug}`;
      await page.goto(home);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test("Ctrl-K finds a license by its key, a customer by name, and a page by some letters of its name", async () => {
      await page.keyboard.press("Control+k");
      const search = page.getByRole("combobox", { name: "Search or run a command" });
      await search.fill(licenseKey);
      await page.getByRole("option", { name: licenseKey }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: licenseKey }).waitFor();

      await page.keyboard.press("Control+k");
      await search.fill("mendes");
      await page.getByRole("option", { name: "Carla Mendes carla@example.com" }).click();
      await page.getByRole("heading", { name: "Carla Mendes" }).waitFor();

      await page.keyboard.press("Control+k");
      await search.fill("adtlg");
      await page.getByRole("option", { name: "Audit log" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Audit log" }).waitFor();

      await page.keyboard.press("Control+k");
      await search.fill("nothing is called so");
      await page.getByText("No results").first().waitFor();
      expect(await search.getAttribute("aria-expanded")).toBe("false");
      await page.keyboard.press("Escape");
      await search.waitFor({ state: "detached" });
    }, 180_000);

    test("the palette is a combobox: keys move through its options, and the result count is announced", async () => {
      await page.keyboard.press("Control+k");
      const search = page.getByRole("combobox", { name: "Search or run a command" });
      const active = page.locator("[role=option][aria-selected=true]");
      await search.fill("li");
      expect(await search.getAttribute("aria-expanded")).toBe("true");
      const list = page.locator(`[id="${await search.getAttribute("aria-controls")}"]`);
      expect(await list.getAttribute("role")).toBe("listbox");
      const groups = list.getByRole("group");
      expect(await groups.count()).toBeGreaterThan(1);
      await page.getByRole("group", { name: "Go to" }).getByRole("option", { name: "Licenses" }).waitFor();
      const options = list.getByRole("option");
      await page
        .getByRole("status")
        .filter({ hasText: `${await options.count()} results` })
        .waitFor();
      const isActive = async (index: number) => {
        expect(await active.count()).toBe(1);
        expect(await active.textContent()).toBe(await options.nth(index).textContent());
        expect(await search.getAttribute("aria-activedescendant")).toBe(await active.getAttribute("id"));
      };
      const last = (await options.count()) - 1;
      await isActive(0);
      for (const [key, index] of [
        ["ArrowDown", 1],
        ["ArrowUp", 0],
        ["ArrowUp", last],
        ["ArrowDown", 0],
        ["End", last],
        ["Home", 0],
      ] as const) {
        await page.keyboard.press(key);
        await isActive(index);
      }
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await search.waitFor({ state: "detached" });
    }, 180_000);

    test("the API reference is one click away, also from the palette and the sign-in page", async () => {
      await page.goto(home);
      const [docs] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: "API reference" }).click(),
      ]);
      await docs.getByRole("heading", { name: "API reference" }).waitFor();
      await docs.close();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or run a command" }).fill("reference");
      await page.getByRole("option", { name: "API reference" }).waitFor();
      const [again] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("Enter")]);
      await again.getByRole("heading", { name: "API reference" }).waitFor();
      await again.close();
      const outside = await (await openContext()).newPage();
      await outside.goto(`${dashboard.fixture.url}/sign-in`);
      expect(await outside.getByRole("link", { name: "API reference" }).getAttribute("href")).toBe("/docs");
      await outside.context().close();
    }, 180_000);

    test("g and a letter opens a page, n starts a license, ? shows the shortcuts", async () => {
      await page.goto(home);
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("l");
      await page.waitForURL(`${home}/licenses`);
      await page.getByRole("heading", { name: "Licenses", level: 1 }).waitFor();
      await page.keyboard.press("n");
      await page.waitForURL(`${home}/licenses/new`);
      await page.goto(`${home}/members`);
      await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }, 180_000);

    test("single-key shortcuts do nothing while a dialog is open", async () => {
      await page.goto(`${home}/members`);
      await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("n");
      await page.keyboard.press("g");
      await page.keyboard.press("l");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(page.url()).toBe(`${home}/members`);
    }, 180_000);

    test("unknown pages and unknown organizations show the not-found page inside the shell", async () => {
      for (const where of [`${home}/nowhere`, `${dashboard.fixture.url}/o/nobody`]) {
        await page.goto(where);
        await page.getByRole("heading", { name: "Page not found" }).waitFor();
        expect(await page.title()).toBe("Page not found · Countersign");
        await page.getByRole("button", { name: "Your account" }).waitFor();
      }
    }, 180_000);

    test("an unreachable server is reported, input is kept, and the recovery is noticed", async () => {
      const dialog = await beginCustomer("gone@example.com");
      await page.context().setOffline(true);
      await dialog.getByRole("button", { name: "Add customer" }).click();
      await dialog.getByText("Can't reach the server. Check your connection.").waitFor();
      await page.getByText("Can't reach the server. Retrying…").waitFor();
      await page.context().setOffline(false);
      await page.getByText("Can't reach the server. Retrying…").waitFor({ state: "detached" });
      expect(await dialog.getByLabel("Email").inputValue()).toBe("gone@example.com");
    }, 180_000);

    test("a failed prefetch does not discard input", async () => {
      const tab = await page.context().newPage();
      await tab.route(/\/assets\/edit-drawer-[^/]+\.js/, (route) => route.fulfill({ status: 404 }));
      await tab.goto(`${home}/licenses/${licenseId}`);
      const field = tab.getByPlaceholder("Add an IP address");
      await field.fill("203.0.113.7");
      const gone = tab.waitForResponse(/\/assets\/edit-drawer-[^/]+\.js/);
      await tab.getByRole("button", { name: "Edit" }).hover();
      await gone;
      // A reload would start with a request to the server, which responds by now.
      await tab.evaluate(() => fetch("/favicon.svg", { cache: "no-store" }).then(() => undefined));
      expect(await field.inputValue()).toBe("203.0.113.7");
      await tab.close();
    }, 180_000);

    test("a user whose session expires signs in again and continues without losing input", async () => {
      const dialog = await beginCustomer("new@example.com");
      await dashboard.fixture.store.transaction((db) =>
        db.deleteFrom("sessions").where("user_id", "=", dashboard.owner.userId).execute(),
      );
      await dialog.getByRole("button", { name: "Add customer" }).click();
      await page.getByRole("dialog", { name: "You are signed out" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: "Sign in in a new tab" }).click(),
      ]);
      await tab.getByLabel("Email").fill(dashboard.owner.email);
      await tab.getByRole("textbox", { name: "Password" }).fill(goodPassword);
      await tab.getByRole("button", { name: "Sign in", exact: true }).click();
      await tab.getByRole("button", { name: "Your account" }).waitFor();
      await tab.close();
      await page.getByRole("dialog", { name: "You are signed out" }).waitFor({ state: "detached" });
      expect(await dialog.getByLabel("Email").inputValue()).toBe("new@example.com");
      await dialog.getByRole("button", { name: "Add customer" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("new@example.com").first().waitFor();
    }, 180_000);

    test("the page reloads once when an upgrade has removed one of its scripts", async () => {
      await page.goto(home);
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      let isGone = true;
      await page.route(/\/assets\/roles-page-[^/]+\.js/, (route) =>
        isGone ? route.fulfill({ status: 404 }) : route.continue(),
      );
      page.once("load", () => {
        isGone = false;
      });
      await page.getByRole("link", { name: "Roles" }).click();
      await page.getByRole("heading", { name: "Roles", level: 1 }).waitFor();
      expect(isGone).toBe(false);
    }, 180_000);

    async function beginCustomer(email: string) {
      await page.goto(`${home}/customers`);
      await page.getByRole("button", { name: "New customer" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New customer" });
      await dialog.getByLabel("Email").fill(email);
      return dialog;
    }
  });
