import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { phone, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

const ownServer = {
  why: "changes settings of the platform",
  environment: { COUNTERSIGN_DAILY_EMAILS: "500", COUNTERSIGN_DEFAULT_PLAN: "pro" },
};

dashboardTests(
  "the platform's plans, settings and messages",
  (dashboard) => {
    let page: Page;
    beforeAll(async () => {
      page = await dashboard.page();
    });

    const open = (path: string) => visit(page, `${dashboard.fixture.url}/admin${path}`);

    test("a plan gets prices in the currency's usual unit, and lower limits after a confirmation", async () => {
      await open("/plans");
      await page.getByRole("button", { name: "Edit Pro" }).click();
      const form = page.getByRole("dialog", { name: "Edit the Pro plan" });
      await form.getByText("These prices are examples.").waitFor();
      await form.getByRole("textbox", { name: "Price per month" }).fill("19,9");
      await form.getByText("$19.90 per month").waitFor();
      await form.getByRole("textbox", { name: "Price per year" }).fill("1.999");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("This has more decimals than the currency.").waitFor();
      await form.getByRole("textbox", { name: "Price per year" }).fill("1,990");
      await form.getByRole("checkbox", { name: "Products: No limit" }).uncheck();
      await form.getByRole("textbox", { name: "Products" }).fill("3");
      await form.getByRole("switch", { name: "Version checks" }).uncheck();
      expect(await violationsOf(page)).toEqual([]);
      await form.getByRole("button", { name: "Save" }).click();
      const question = page.getByRole("dialog", { name: "Change the Pro plan?" });
      await question.getByText("1 organization is on this plan.").waitFor();
      await question.getByText("Products: No limit → 3").waitFor();
      await question.getByText("Version checks are removed.").waitFor();
      await question.getByText("keep what they have, but cannot add to it").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await question.getByRole("button", { name: "Change plan" }).click();
      await page.getByText("Saved. Applies immediately.").waitFor();
      await form.waitFor({ state: "hidden" });
      await page.getByText("$1,990.00 per year").waitFor();

      const { data } = await dashboard.manage("GET", "/plans");
      const pro = data.find(({ plan }: { plan: string }) => plan === "pro");
      expect(pro).toMatchObject({
        monthly_price: 1_990,
        yearly_price: 199_000,
        max_products: 3,
        version_module: false,
        daily_limit: 100_000,
        max_licenses: null,
      });
    });

    test("an organization gets a plan by hand with a note, an end and a grace period", async () => {
      const { id } = await dashboard.manage("POST", "/organizations", { name: "Late payers" });
      await open(`/organizations/${id}`);
      await page.getByRole("combobox", { name: "Plan" }).click();
      await page.getByRole("option", { name: "Enterprise" }).click();
      await page.getByLabel("Ends").fill("2090-05-01T12:00");
      await page.getByLabel("Note about the plan").fill("Pays by invoice");
      await page.getByRole("combobox", { name: "Billing" }).click();
      await page.getByRole("option", { name: "Past due" }).click();
      await page.getByText("Everything works for 7 days").waitFor();
      await page
        .getByRole("radiogroup", { name: "Webhooks" })
        .getByRole("radio", { name: "Custom limit" })
        .check();
      await page.getByRole("textbox", { name: /^Webhooks/ }).fill("2");
      await page.getByRole("button", { name: "Save" }).first().click();
      await page.getByText("Saved. Applies immediately.").waitFor();
      await page.getByText("0 of 2").waitFor();
      await page.getByText("set by a platform admin").waitFor();
      await page.getByText("Validations stop").waitFor();
      const saved = await dashboard.manage("GET", `/admin/organizations/${id}`);
      expect(saved).toMatchObject({
        plan: "enterprise",
        plan_set_by: "operator",
        plan_note: "Pays by invoice",
        plan_ends_at: "2090-05-01T12:00:00.000Z",
        billing_state: "grace",
        max_webhooks_override: 2,
        daily_limit_override: null,
      });
      expect(await violationsOf(page)).toEqual([]);

      await open("");
      await page.getByRole("link", { name: "1 organization on Enterprise, billing: Past due" }).click();
      const list = page.getByRole("table", { name: "Organizations" });
      await list.getByRole("link", { name: "Late payers" }).waitFor();
      await page.getByText("Custom limits").waitFor();
    });

    test("an admin views an organization, read-only and with a reason, and stops", async () => {
      const other = await dashboard.fixture.createSignedInUser();
      const made = await other.browser.manage("POST", "/organizations", { name: "Somewhere else" });
      const { id, slug } = made.body as { id: string; slug: string };
      await open(`/organizations/${id}`);
      await page.getByRole("button", { name: "View read-only" }).click();
      const dialog = page.getByRole("dialog", { name: "View Somewhere else?" });
      await dialog.getByLabel("Reason").fill("Their ticket 12");
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole("button", { name: "View this organization" }).click();
      await page.waitForURL(`${dashboard.fixture.url}/o/${slug}`);
      await page.getByRole("heading", { level: 1 }).waitFor();

      await open(`/organizations/${id}`);
      await page.getByRole("button", { name: "Stop viewing" }).click();
      await page.getByRole("button", { name: "View read-only" }).waitFor();
      await page.goto(`${dashboard.fixture.url}/o/${slug}`);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
    });

    test("an announcement is published, edited and deleted, and the deletion can be undone", async () => {
      await open("/announcements");
      await page.getByRole("button", { name: "New announcement" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Warning", { exact: true }).click();
      await dialog.getByRole("textbox", { name: "Message" }).fill("Maintenance on Sunday");
      await dialog.getByRole("textbox", { name: /^Link/ }).fill("not a link");
      await dialog.getByRole("status", { name: "Announcement" }).getByText("Maintenance on Sunday").waitFor();
      await dialog.getByRole("button", { name: "Publish" }).click();
      await dialog.locator("[aria-invalid=true]").waitFor();
      await dialog.getByRole("textbox", { name: /^Link/ }).fill("https://status.example.com");
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Publish" }).click();
      await page.getByRole("cell", { name: /Shown.*Maintenance on Sunday/ }).waitFor();
      // At the top of the dashboard, without a reload.
      await page.getByRole("status", { name: "Announcement" }).getByText("Maintenance on Sunday").waitFor();

      await page.getByRole("button", { name: "Edit announcement “Maintenance on Sunday”" }).click();
      await dialog.getByRole("textbox", { name: "Message" }).fill("Maintenance on Monday");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: /Shown.*Maintenance on Monday/ }).waitFor();
      await page.getByRole("button", { name: "Delete announcement “Maintenance on Monday”" }).click();
      await page.getByText("No announcements").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("cell", { name: /Shown.*Maintenance on Monday/ }).waitFor();
      await page.getByRole("button", { name: /^Delete announcement/ }).click();
      await page.getByText("No announcements").waitFor();
    });

    test("settings apply at once, and those of the environment name their variable", async () => {
      await open("/settings");
      await page.getByText("Set by the environment variable COUNTERSIGN_DAILY_EMAILS.").waitFor();
      await page.getByText("Set by the environment variable COUNTERSIGN_DEFAULT_PLAN.").waitFor();
      expect(await page.getByRole("textbox", { name: "Emails per day and organization" }).isDisabled()).toBe(
        true,
      );
      await page.getByRole("radio", { name: "Everyone" }).check();
      await page.getByRole("button", { name: "Save" }).first().click();
      await page.getByText("Saved. Applies immediately.").waitFor();
      await page.getByRole("combobox", { name: "Currency" }).fill("JPY");
      await page.getByRole("option", { name: /^JPY/ }).click();
      await page.getByText("Prices keep their numbers in the new currency.").waitFor();
      await page.getByRole("textbox", { name: "Contact for plans" }).fill("nobody");
      await page.getByRole("button", { name: "Save" }).last().click();
      await page.locator("[aria-invalid=true]").waitFor();
      await page.getByRole("textbox", { name: "Contact for plans" }).fill("billing@example.com");
      await page.getByRole("button", { name: "Save" }).last().click();
      await until("the settings are saved", async () => {
        const settings = await dashboard.manage("GET", "/admin/settings");
        return settings.billing_contact === "billing@example.com";
      });
      expect(await dashboard.manage("GET", "/admin/settings")).toMatchObject({
        sign_up: "open",
        currency: "jpy",
        payments: "off",
        daily_emails: 500,
      });
      await dashboard.manage("PATCH", "/admin/settings", { currency: "usd" });
    });

    test("jobs are listed with their last run", async () => {
      await open("/jobs");
      const row = page.getByRole("row").filter({ hasText: "Deliver webhooks" });
      await row.getByText("Completed").waitFor();
    });

    test("an IP address of any organization is found and blocked for the whole platform", async () => {
      const { license_key } = await dashboard.addLicense({
        customer_email: "carla@example.com",
        is_lifetime: true,
      });
      expect((await dashboard.api.validate({ license_key })).body).toMatchObject({ valid: true });
      await until("the IP address and its organization are recorded", async () => {
        const { organizations } = await dashboard.manage("GET", "/admin/ips/127.0.0.1");
        return organizations.length > 0;
      });
      await open("/ips");
      await page.getByRole("link", { name: "127.0.0.1" }).click();
      const organizations = page.getByRole("table", { name: "Organizations" });
      await organizations.getByRole("link", { name: /^Nordlicht/ }).waitFor();
      await page.getByRole("button", { name: "Block for the whole platform" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Block", exact: true }).click();
      await page.getByText("are rejected on the whole platform").waitFor();
      await page.getByRole("link", { name: "Show platform IP blocks" }).click();
      await page.getByRole("button", { name: /^Remove block of 127\.0\.0\.1/ }).click();
      await page.getByText("No blocked IP addresses").waitFor();
    });

    test("on a phone, one menu has every page", async () => {
      await dashboard.page(phone);
      await open("");
      await page.getByRole("button", { name: "Platform Health" }).click();
      await page.getByRole("menuitem").first().waitFor();
      expect(await page.getByRole("menuitem").count()).toBe(12);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("menuitem", { name: "Outbox" }).click();
      await page.getByRole("heading", { name: "Outbox", level: 1 }).waitFor();
      await page.getByRole("button", { name: "Platform Outbox" }).waitFor();
    });
  },
  ownServer,
);
