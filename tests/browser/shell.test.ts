import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectErrors, openPage, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { goodPassword } from "../support/sign-in-fixture.ts";

dashboardTests("the dashboard shell", (dashboard) => {
  let page: Page;
  let licenseKey: string;
  let licenseId: string;
  beforeAll(async () => {
    const customer = { customer_email: "carla@example.com", customer_name: "Carla Mendes" };
    const license = await dashboard.addLicense({ ...customer, is_lifetime: true });
    licenseKey = license.license_key;
    licenseId = license.id;
    page = await dashboard.page();
    await visit(page, dashboard.home);
  });

  const palette = () => page.getByRole("combobox", { name: "Search or run a command" });
  const find = async (text: string) => {
    await page.keyboard.press("Control+k");
    await palette().fill(text);
  };
  const closePalette = async () => {
    await page.keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });
  };
  /** The tab that this opens. */
  const opens = async (act: () => Promise<void>) => {
    const [tab] = await Promise.all([page.context().waitForEvent("page"), act()]);
    return tab;
  };

  test("Ctrl-K finds a license by its key, a customer by name, and a page by some letters of its name", async () => {
    await find(licenseKey);
    await page.getByRole("option", { name: licenseKey }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: licenseKey }).waitFor();

    await find("mendes");
    await page.getByRole("option", { name: "Carla Mendes carla@example.com" }).click();
    await page.getByRole("heading", { name: "Carla Mendes" }).waitFor();

    await find("adtlg");
    await page.getByRole("option", { name: "Audit log" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Audit log" }).waitFor();

    await find("nothing is called so");
    await page.getByText("No results").first().waitFor();
    expect(await palette().getAttribute("aria-expanded")).toBe("false");
    await closePalette();
  });

  test("the palette is a combobox: keys move through its options, and the result count is announced", async () => {
    await find("li");
    const search = palette();
    const active = page.locator("[role=option][aria-selected=true]");
    expect(await search.getAttribute("aria-expanded")).toBe("true");
    const list = page.locator(`[id="${await search.getAttribute("aria-controls")}"]`);
    expect(await list.getAttribute("role")).toBe("listbox");
    const groups = list.getByRole("group");
    expect(await groups.count()).toBeGreaterThan(1);
    await page.getByRole("group", { name: "Go to" }).getByRole("option", { name: "Licenses" }).waitFor();
    const options = list.getByRole("option");
    const results = `${await options.count()} results`;
    await page.getByRole("status").filter({ hasText: results }).waitFor();
    const isActive = async (index: number) => {
      expect(await active.count()).toBe(1);
      expect(await active.textContent()).toBe(await options.nth(index).textContent());
      expect(await search.getAttribute("aria-activedescendant")).toBe(await active.getAttribute("id"));
    };
    await isActive(0);
    for (const [key, index] of [
      ["ArrowDown", 1],
      ["End", (await options.count()) - 1],
    ] as const) {
      await page.keyboard.press(key);
      await isActive(index);
    }
    expect(await violationsOf(page)).toEqual([]);
    await closePalette();
  });

  test("the documentation is one click away, also from the palette and the sign-in page", async () => {
    await visit(page, dashboard.home);
    await page
      .context()
      .route("**/docs/", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Opened</h1>" }));
    const docs = await opens(() => page.getByRole("link", { name: "Documentation" }).click());
    await docs.getByRole("heading", { name: "Opened" }).waitFor();
    await docs.close();
    await find("documentation");
    await page.getByRole("option", { name: "Documentation" }).waitFor();
    const again = await opens(() => page.keyboard.press("Enter"));
    await again.getByRole("heading", { name: "Opened" }).waitFor();
    await again.close();
    const outside = await openPage();
    await visit(outside, `${dashboard.fixture.url}/sign-in`);
    expect(await outside.getByRole("link", { name: "Documentation" }).getAttribute("href")).toBe("/docs/");
  });

  test("g and a letter opens a page, n starts a license, ? shows the shortcuts, and an open dialog turns them off", async () => {
    await visit(page, dashboard.home);
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.waitForURL(`${dashboard.home}/licenses`);
    await page.getByRole("heading", { name: "Licenses", level: 1 }).waitFor();
    await page.keyboard.press("n");
    await page.waitForURL(`${dashboard.home}/licenses/new`);
    await visit(page, `${dashboard.home}/members`);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // While a dialog is open, single keys do nothing.
    await page.keyboard.press("n");
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(page.url()).toBe(`${dashboard.home}/members`);
  });

  test("unknown pages and unknown organizations show the not-found page inside the shell", async () => {
    for (const where of [`${dashboard.home}/nowhere`, `${dashboard.fixture.url}/o/nobody`]) {
      await visit(page, where);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      expect(await page.title()).toBe("Page not found · Countersign");
      await page.getByRole("button", { name: "Your account" }).waitFor();
    }
  });

  test("an unreachable server is reported, input is kept, and the recovery is noticed", async () => {
    expectErrors();
    const dialog = await beginCustomer("gone@example.com");
    await page.context().setOffline(true);
    await dialog.getByRole("button", { name: "Add customer" }).click();
    await dialog.getByText("Can't reach the server. Check your connection.").waitFor();
    await page.getByText("Can't reach the server. Retrying…").waitFor();
    await page.context().setOffline(false);
    await page.getByText("Can't reach the server. Retrying…").waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Email").inputValue()).toBe("gone@example.com");
  });

  test("a failed prefetch does not discard input", async () => {
    expectErrors();
    const tab = await page.context().newPage();
    await tab.route(/\/assets\/edit-drawer-[^/]+\.js/, (route) => route.fulfill({ status: 404 }));
    await tab.goto(`${dashboard.home}/licenses/${licenseId}`);
    const field = tab.getByPlaceholder("Add an IP address");
    await field.fill("203.0.113.7");
    const gone = tab.waitForResponse(/\/assets\/edit-drawer-[^/]+\.js/);
    await tab.getByRole("button", { name: "Edit" }).hover();
    await gone;
    // A reload would start with a request to the server, which responds by now.
    await tab.evaluate(() => fetch("/favicon.svg", { cache: "no-store" }).then(() => undefined));
    expect(await field.inputValue()).toBe("203.0.113.7");
    await tab.close();
  });

  test("a user whose session expires signs in again and continues without losing input", async () => {
    // The page opens after the shell, so its form comes after the dialog of the shell.
    await page.goto(dashboard.home);
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    const dialog = await beginCustomer("new@example.com");
    await dashboard.fixture.change(
      "sessions",
      { user_id: dashboard.owner.userId },
      { expires_at: "2020-01-01T00:00:00.000Z" },
    );
    await dialog.getByRole("button", { name: "Add customer" }).click();
    await page.getByRole("dialog", { name: "You are signed out" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const tab = await opens(() => page.getByRole("link", { name: "Sign in in a new tab" }).click());
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
  });

  test("the page reloads once when an upgrade has removed one of its scripts", async () => {
    await page.goto(`${dashboard.home}/members`);
    await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
    expectErrors();
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
  });

  test("the language changes through the user menu, also in the title and in the errors of a form, and persists", async () => {
    await visit(page, `${dashboard.home}/licenses`);
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Lizenzen", level: 1 }).waitFor();
    expect(await page.title()).toBe("Lizenzen · Countersign");
    await page.reload();
    await page.getByRole("heading", { name: "Lizenzen", level: 1 }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await violationsOf(page)).toEqual([]);

    await visit(page, `${dashboard.home}/ip-blocks`);
    await page.getByRole("button", { name: "IP-Adresse sperren" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().fill("keine Adresse");
    await dialog.getByRole("button", { name: "Sperren" }).click();
    const examples = "etwa 203.0.113.7, 203.0.113.0/24 oder 2001:db8::/48.";
    await dialog.getByText(`Gib eine IP-Adresse oder ein Netz ein, ${examples}`).waitFor();
  });

  async function beginCustomer(email: string) {
    await visit(page, `${dashboard.home}/customers`);
    await page.getByRole("button", { name: "New customer" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New customer" });
    await dialog.getByLabel("Email").fill(email);
    return dialog;
  }
});
