import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openContext, phone, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

dashboardTests("the platform pages", (dashboard) => {
  let page: Page;
  let licenseKey: string;
  beforeAll(async () => {
    const license = await dashboard.addLicense({
      customer_email: "carla@example.com",
      is_lifetime: true,
    });
    licenseKey = license.license_key;
    page = await dashboard.page();
  });

  test("suspend an organization, which refuses its licenses, and lift the suspension", async () => {
    expect(await validity()).toBe(true);
    await visit(page, `${dashboard.fixture.url}/admin/organizations`);
    await page.getByRole("searchbox").fill(dashboard.slug);
    await page.waitForURL(/q=/);
    await page.getByRole("link", { name: dashboard.organizationName }).click();
    await page.getByRole("button", { name: "Suspend" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("Unpaid since March");
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await page.getByText("Unpaid since March").waitFor();
    await until("the license is refused", async () => !(await validity()));

    await page.getByRole("button", { name: "Lift suspension" }).click();
    await page.getByRole("button", { name: "Suspend" }).waitFor();
    await until("the license is valid again", validity);
  });

  test("set a custom limit for an organization and show it", async () => {
    await visit(page, `${dashboard.fixture.url}/admin/organizations/${dashboard.organizationId}`);
    await page.getByRole("radio", { name: "Custom limit" }).first().check();
    await page.getByRole("textbox", { name: /^Requests per day/ }).fill("25000");
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByText("Saved. Applies immediately.").waitFor();
    await page.reload();
    expect(await page.getByRole("textbox", { name: /^Requests per day/ }).inputValue()).toBe("25,000");
    await visit(page, `${dashboard.fixture.url}/admin/audit-log`);
    await page.getByText("requests per day").first().waitFor();
  });

  test("find users, and organizations by their owner's name, during typing", async () => {
    await visit(page, `${dashboard.fixture.url}/admin/users`);
    await page.getByRole("searchbox").fill(dashboard.owner.email);
    await page.getByRole("link").filter({ hasText: /./ }).first().waitFor();
    await page.getByText(dashboard.owner.email).first().waitFor();
    await page.waitForURL(/q=/);
    await page.getByRole("searchbox").fill("nobody is called so");
    await page.getByText("No results").waitFor();
  });

  test("add a user, who sets a password through the link; the sign-up page adds no user", async () => {
    await visit(page, `${dashboard.fixture.url}/admin/users`);
    await page.getByRole("button", { name: "Add user" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a user" });
    await dialog.getByLabel("Email").fill("dana@example.com");
    await dialog.getByLabel("Name").fill("Dana");
    await dialog.getByRole("button", { name: "Add user" }).click();
    const handed = page.getByRole("dialog", { name: "Password link for Dana" });
    const link = (await handed.getByText(/\/reset-password\?token=/).textContent()) ?? "";
    expect(await violationsOf(page)).toEqual([]);
    await handed.getByRole("button", { name: "Done" }).click();
    await page.getByRole("link", { name: "Dana" }).waitFor();

    const context = await openContext(phone);
    const other = await context.newPage();
    await other.goto(`${dashboard.fixture.url}/forgot-password`);
    await other.getByText("Ask a platform admin").waitFor();
    expect(await other.getByRole("textbox").count()).toBe(0);
    await other.goto(link);
    await other.getByRole("heading", { name: "Choose your password" }).waitFor();
    await other.getByRole("textbox", { name: "Password" }).fill("a password of her own");
    await other.getByRole("button", { name: "Set password" }).click();
    await other.getByRole("link", { name: "Sign in" }).click();
    await other.getByLabel("Email").fill("dana@example.com");
    await other.getByRole("textbox", { name: "Password" }).fill("a password of her own");
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.getByText("You don't belong to an organization yet").waitFor();
    await context.close();

    await page.getByRole("link", { name: "Dana" }).click();
    await page.getByRole("button", { name: "Create password link" }).click();
    await handed.getByText("Anyone who has it can sign in as this user").waitFor();
    await handed.getByRole("button", { name: "Done" }).click();
    await handed.waitFor({ state: "hidden" });
  });

  test("block an IP address for all organizations, change the reason, and remove the block", async () => {
    await visit(page, `${dashboard.fixture.url}/admin/ip-blocks`);
    await page.getByRole("button", { name: "Block an IP address" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("IP address or network").fill("127.0.0.999");
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await dialog.locator("[aria-invalid=true]").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel("IP address or network").fill("127.0.0.1");
    await dialog.getByLabel("Note").fill("Tries keys one after the other");
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await page.getByRole("cell", { name: "Tries keys one after the other" }).waitFor();
    await until("the license is refused", async () => !(await validity()));

    await page.getByRole("button", { name: /^Edit block of 127\.0\.0\.1/ }).click();
    await dialog.getByLabel("Note").fill("A mistake, until tomorrow");
    await dialog.getByText("1 day").click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "A mistake, until tomorrow" }).waitFor();

    await page.getByRole("button", { name: /^Remove block of 127\.0\.0\.1/ }).click();
    await page.getByText("No blocked IP addresses").waitFor();
    await until("the license is valid again", validity);
  });

  test("are not available to users who do not run the server", async () => {
    const other = await dashboard.pageFor(await dashboard.fixture.createSignedInUser());
    await other.goto(`${dashboard.fixture.url}/admin/organizations`);
    await other.getByRole("heading", { name: "Page not found" }).waitFor();
  });

  async function validity(): Promise<boolean> {
    return (await dashboard.api.validate({ license_key: licenseKey })).body.valid === true;
  }
});
