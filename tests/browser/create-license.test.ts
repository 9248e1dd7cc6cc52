import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

dashboardTests("creating licenses in the dashboard", (dashboard) => {
  let page: Page;
  beforeAll(async () => {
    page = await dashboard.page();
  });

  const at = (path: string) => `${dashboard.home}${path}`;

  test("a license is created, found, revoked with a reason and reinstated", async () => {
    await visit(page, at("/licenses"));
    await page.getByRole("link", { name: "New license" }).first().click();
    await page.getByLabel("Customer email", { exact: true }).fill("carla.voss@example.com");
    await page.getByLabel("Customer name", { exact: true }).fill("Carla Voss");
    await page.getByRole("button", { name: "Create license" }).click();
    await page.getByRole("heading", { name: "License created" }).waitFor();
    const { data } = await dashboard.manage("GET", `/organizations/${dashboard.organizationId}/licenses`);
    const key: string = data[0].license_key;
    await page.getByText(key, { exact: true }).waitFor();
    const facts = page.locator("dl");
    await facts.getByText("Carla Voss · carla.voss@example.com").waitFor();
    await facts.getByText("Polaris").waitFor();
    await facts.getByText("Not sent: email is not set up on this server.").waitFor();
    await facts.getByRole("button", { name: "Copy email text" }).click();
    await facts.getByRole("button", { name: "Copied" }).waitFor();

    await visit(page, at("/licenses"));
    await page.getByRole("searchbox", { name: "Search licenses" }).fill("la.voss@");
    await page.waitForURL(/q=la\.voss/);
    await page.getByRole("link", { name: key }).waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or run a command" }).fill(key);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("option", { name: new RegExp(key) }).click();
    await page.getByRole("heading", { level: 1, name: key }).waitFor();

    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByLabel("Reason").fill("charged back");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("License revoked.").waitFor();
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("Revoked", { exact: false }).first().waitFor();
    await history.getByText("charged back").waitFor();

    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Revoke" }).waitFor();

    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Reinstate" }).click();
    await page.getByText("License reinstated.").waitFor();
  });

  test("a concurrent edit of a license is reported to the second user and loses nothing", async () => {
    const license = await dashboard.addLicense({ customer_email: "otto@example.com", max_ips: 2 });
    const other = await dashboard.pageFor(dashboard.owner);
    for (const one of [page, other]) await visit(one, at(`/licenses/${license.id}?do=edit`));
    const mine = page.getByRole("dialog");
    const theirs = other.getByRole("dialog");
    await mine.getByLabel("Notes").fill("mine");
    await mine.getByLabel("IP limit").fill("9");
    await theirs.getByLabel("Notes").fill("theirs");
    await theirs.getByLabel("Customer name").fill("Otto");
    await theirs.getByRole("button", { name: "Save" }).click();
    await theirs.waitFor({ state: "detached" });

    await mine.getByRole("button", { name: "Save" }).click();
    await mine.getByText("Someone else changed this while you were editing").waitFor();
    await mine.getByRole("button", { name: "Load latest and keep my edits" }).click();
    await mine.getByText("You both changed: Notes.").waitFor();
    expect(await mine.getByLabel("Notes").inputValue()).toBe("mine");
    expect(await mine.getByLabel("Customer name").inputValue()).toBe("Otto");
    await mine.getByRole("button", { name: "Save" }).click();
    await mine.waitFor({ state: "detached" });
    const merged = { notes: "mine", max_ips: 9, customer_name: "Otto" };
    expect(await dashboard.manage("GET", `/licenses/${license.id}`)).toMatchObject(merged);
  });

  test("a number can be typed character by character, with a fraction and over a zero in front", async () => {
    const license = await dashboard.addLicense({ customer_email: "zoe@example.com", max_ips: 105 });
    await visit(page, at(`/licenses/${license.id}?do=edit`));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("A set time after first use").click();
    const days = dialog.getByLabel("Days after first use");
    await days.fill("");
    await days.pressSequentially("1.5");
    const limit = dialog.getByLabel("IP limit");
    await limit.press("Home");
    await limit.press("Delete");
    await limit.pressSequentially("2");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const saved = { term_seconds: 1.5 * 86_400, max_ips: 205 };
    expect(await dashboard.manage("GET", `/licenses/${license.id}`)).toMatchObject(saved);
  });

  test("a concurrent change to a customer is reported and survives the save", async () => {
    const customers = `/organizations/${dashboard.organizationId}/customers`;
    const customer = await dashboard.manage("POST", customers, { email: "nora@example.com" });
    await visit(page, at(`/customers/${customer.id}?edit=true`));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Nora");
    await dashboard.manage("PATCH", `${customers}/${customer.id}`, { discord_id: "234567890123456789" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Load latest and keep my edits" }).click();
    await dialog.getByText("Someone else changed this while you were editing").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Nora" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    const merged = { email: "nora@example.com", name: "Nora", discord_id: "234567890123456789" };
    expect(await dashboard.manage("GET", `${customers}/${customer.id}`)).toMatchObject(merged);
  });

  test("the history of a license shows a block with its reason, and the focus returns", async () => {
    const license = await dashboard.addLicense({ customer_email: "ida@example.com" });
    await visit(page, at(`/licenses/${license.id}`));
    const block = page.getByRole("button", { name: "Block an IP address" });
    await block.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("IP address or network").fill("203.0.113.0/24");
    await dialog.getByLabel("Note").fill("thousands of tries");
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await until("the focus has returned", () =>
      block.evaluate((element) => element === element.ownerDocument.activeElement),
    );
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("203.0.113.0/24").waitFor();
    await history.getByText("thousands of tries").waitFor();
    await page.getByRole("button", { name: "Remove block of 203.0.113.0/24" }).click();
    await history.getByText("Block removed:").waitFor();
  });
});
