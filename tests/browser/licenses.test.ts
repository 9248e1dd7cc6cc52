import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

dashboardTests("licenses", (dashboard) => {
  let page: Page;
  beforeAll(async () => {
    await dashboard.addLicense({
      licenses: Array.from({ length: 300 }, (_, number) => ({
        license_key: `KEY-${String(number).padStart(3, "0")}`,
        customer_email: `buyer${number}@example.com`,
        ...(number % 10 === 0 ? { tags: ["fair"] } : {}),
        // The first one ends before all others.
        ...(number % 3 === 0 ? { expires_in_seconds: (number === 0 ? 50 : 100) * 86_400 } : {}),
      })),
    });
    page = await dashboard.page();
  });

  const open = async (search = "") => {
    await visit(page, `${dashboard.home}/licenses${search}`);
    await row(0).waitFor();
  };
  const row = (index: number) => page.locator(`[data-license-row="${index}"]`);
  const inAddress = () => Object.fromEntries(new URL(page.url()).searchParams);

  test("filters of licenses are kept in the URL, and a number can be typed in full", async () => {
    await open();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const days = page.getByLabel("Expires within (days)");
    await days.pressSequentially("10");
    await page.waitForURL(/expires_within_days=10$/);
    await days.press("5");
    await page.waitForURL(/expires_within_days=105$/);
    await page.getByText("100 licenses").waitFor();
    await page.getByRole("combobox", { name: "Tag" }).fill("fair");
    await page.waitForURL(/tag=fair/);
    await page.getByText("10 licenses", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByText("10 licenses", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove filter: Tag: fair" }).click();
    await page.getByText("100 licenses").waitFor();
    expect(inAddress()).toEqual({ expires_within_days: "105" });
  });

  test("the list of licenses is sorted by the column and in the order that was chosen", async () => {
    await open();
    const header = page.getByRole("columnheader", { name: "Expires" });
    for (const order of ["ascending", "descending"]) {
      await header.getByRole("button").click();
      await page.locator(`th[aria-sort=${order}]`).waitFor();
      await page
        .locator(`tr:has-text("KEY-000")[data-license-row="0"]`)
        .waitFor({ state: order === "ascending" ? "visible" : "detached" });
    }
  });

  test("a view of licenses is saved, renamed, opened again and deleted", async () => {
    await open("?tag=fair&sort=expires_at&order=asc");
    await page.getByRole("button", { name: "Save view" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Fair");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Rename view “Fair”" }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Sold at the fair");
    await dialog.getByRole("button", { name: "Save" }).click();
    await open();
    await page.getByRole("link", { name: "Sold at the fair" }).click();
    await page.getByText("30 licenses", { exact: true }).waitFor();
    expect(inAddress()).toEqual({ tag: "fair", sort: "expires_at", order: "asc" });
    await page.getByRole("button", { name: "Delete view “Sold at the fair”" }).click();
    await page.getByRole("link", { name: "Sold at the fair" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Sold at the fair" }).waitFor();
  });

  test("a range of licenses is revoked and the revocation undone, and a selection ends when the filter changes", async () => {
    await open();
    await row(1).getByRole("checkbox").click();
    const upTo = row(4).getByRole("checkbox");
    await upTo.click({ modifiers: ["Shift"] });
    await page.getByText("4 selected").waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("a test");
    await dialog.getByRole("button", { name: "Revoke 4 licenses" }).click();
    await page.getByText("4 licenses revoked.").waitFor();
    await row(2).getByText("Revoked").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await row(2).getByText("Active").waitFor();
    // No license is changed that is not listed.
    await row(0).getByRole("checkbox").check();
    await page.getByText(/^\d selected/).waitFor();
    await page.getByRole("searchbox", { name: "Search licenses" }).fill("KEY-150");
    await page.getByText("1 license", { exact: true }).waitFor();
    expect(await page.getByText(/^\d selected/).count()).toBe(0);
  });

  test("a bulk action on all matches shows their number before it starts", async () => {
    await open("?tag=fair");
    await row(0).getByRole("checkbox").click();
    await page.getByRole("button", { name: "Select all matching" }).click();
    await page.getByRole("button", { name: "Renew" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("10 licenses will change. 20 stay the same.").waitFor();
    await dialog.getByRole("button", { name: "Renew 10 licenses" }).click();
    await page.getByText("10 licenses renewed. 20 were not changed.").waitFor();
  });

  test("leaving during a bulk action asks for confirmation and states how many licenses were changed", async () => {
    await visit(page, dashboard.home);
    await page.getByRole("navigation").getByRole("link", { name: "Licenses" }).click();
    await row(0).getByRole("checkbox").click();
    await page.getByRole("button", { name: "Select all matching" }).click();
    // A server that has changed 100 licenses and never finishes the next ones.
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    let asked = 0;
    await page.route("**/licenses/bulk", async (route) => {
      if (route.request().postDataJSON().dry_run === true) return route.continue();
      asked += 1;
      if (asked > 1) await rest;
      return route.fulfill({ json: { matched: 100, changed: 100, next_cursor: "more" } });
    });
    await page.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke licenses" });
    await dialog.getByText("Validate returns revoked.").waitFor();
    await dialog.getByRole("button", { name: "Revoke 300 licenses" }).click();
    await dialog.getByText("100 of 300 processed").waitFor();
    const question = page.getByRole("dialog", { name: "Stop and leave?" });
    await page.goBack();
    await question.getByRole("button", { name: "Stay on this page" }).click();
    await question.waitFor({ state: "hidden" });
    await dialog.getByText("100 of 300 processed").waitFor();
    await page.goBack();
    await question.getByRole("button", { name: "Stop and leave" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    goOn();
    await page.getByText("Stopped. 200 licenses were changed; the rest are unchanged.").waitFor();
    expect(asked).toBe(2);
    await page.unroute("**/licenses/bulk");
  });

  test("bulk actions set an expiry, remove tags and IP addresses, and reinstate, as the page announces", async () => {
    // One that another test does not find by its tag.
    const found = `/organizations/${dashboard.organizationId}/licenses?q=KEY-291`;
    const [first] = (await dashboard.manage("GET", found)).data;
    await dashboard.manage("POST", `/licenses/${first.id}/ips`, { ip: "203.0.113.7" });
    await dashboard.manage("PATCH", `/licenses/${first.id}`, { tags: ["old", "new"] });
    await dashboard.manage("POST", `/licenses/${first.id}/revoke`, {});
    const dialog = page.getByRole("dialog");
    const begin = async (name: string) => {
      await page.goto(`${dashboard.home}/licenses?q=KEY-29`);
      await row(0).getByRole("checkbox").click();
      await page.getByRole("button", { name: "Select all matching" }).click();
      await page.getByRole("button", { name: "Actions" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await begin("Set expiry");
    await dialog.getByLabel("Expires").fill("2031-05-04");
    await dialog.getByRole("button", { name: "Set expiry of 10 licenses" }).click();
    await page.getByText("Expiry of 10 licenses set.").waitFor();
    await begin("Remove tags");
    const tags = dialog.getByRole("combobox", { name: "Tags" });
    await tags.fill("old");
    await tags.press("Enter");
    await dialog.getByRole("button", { name: "Remove tags from 1 license" }).click();
    await page.getByText("Tags removed from 1 license.").waitFor();
    await begin("Remove all IP addresses");
    await dialog.getByRole("button", { name: "Remove IP addresses of 1 license" }).click();
    await page.getByText("IP addresses of 1 license removed.").waitFor();
    await begin("Reinstate");
    await dialog.getByRole("button", { name: "Reinstate 1 license" }).click();
    await page.getByText("1 license reinstated.").waitFor();
    expect(await dashboard.manage("GET", `/licenses/${first.id}`)).toMatchObject({
      status: "active",
      expires_at: "2031-05-04T23:59:59.999Z",
      tags: ["new"],
      current_unique_ip_count: 0,
    });
  });

  test("arrow keys move through the rows of the list, and Back restores the scroll position", async () => {
    await open();
    await page.getByRole("searchbox", { name: "Search licenses" }).press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    // A held key repeats faster than a busy machine renders. No step may be lost.
    await Promise.all(Array.from({ length: 40 }, () => page.keyboard.press("ArrowDown")));
    const link = row(41).getByRole("link");
    await row(41).locator("a:focus").waitFor();
    const key = (await link.textContent()) ?? "";
    const before = await page.evaluate<number>("scrollY");
    expect(before).toBeGreaterThan(0);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: key }).waitFor();
    await page.goBack();
    await link.waitFor();
    await until("the scroll position is restored", async () => {
      return Math.abs((await page.evaluate<number>("scrollY")) - before) < 2;
    });
  });

  test("a day ends in the organization's time zone, and a year is a calendar year", async () => {
    await visit(page, `${dashboard.home}/settings`);
    await page.getByRole("combobox", { name: "Time zone" }).click();
    await page.keyboard.type("new york");
    await page.getByRole("option", { name: "America/New York" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();

    await visit(page, `${dashboard.home}/licenses/new`);
    await page.getByLabel("Customer email", { exact: true }).fill("daylight@example.com");
    // A form that is still loading its defaults can reset the choice.
    await until("the end of the day is explained", async () => {
      await page.getByRole("radio", { name: "On a specific date" }).click();
      return page.getByText("Until the end of that day, America/New York time.").isVisible();
    });
    await page.getByRole("textbox", { name: "Expires" }).fill("2031-11-20");
    await page.getByRole("button", { name: "Create license" }).click();
    const found = async () =>
      (await dashboard.manage("GET", `/products/${dashboard.productId}/licenses?q=daylight`)).data[0];
    await until("it is created", async () => (await found()) !== undefined);
    const { id, expires_at: end } = await found();
    expect(end).toBe("2031-11-21T04:59:59.999Z");

    await visit(page, `${dashboard.home}/licenses/${id}`);
    await page.getByText("November 20, 2031 at 11:59:59 PM EST").waitFor();
    await page.getByRole("button", { name: "Renew" }).click();
    const dialog = page.getByRole("dialog", { name: "Renew license" });
    await dialog.getByText("November 20, 2032 at 11:59:59 PM EST").waitFor();
    await dialog.getByRole("button", { name: "Renew" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await found()).expires_at).toBe("2032-11-21T04:59:59.999Z");
  });

  test("the filtered licenses are exported as CSV and as JSON Lines", async () => {
    await open("?tag=fair");
    for (const [name, first] of Object.entries({ CSV: /^id,/, JSON: /^\{/ })) {
      await page.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: new RegExp(name) }).click();
      const text = readFileSync(await (await download).path(), "utf8");
      expect(text).toMatch(first);
      expect(text.match(/\bKEY-\d\d0\b/g)).toHaveLength(30);
    }
  });
});
