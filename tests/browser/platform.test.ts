import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { looksRight, openPage, phone, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

const ownServer = {
  why: "changes settings of the platform",
  environment: { COUNTERSIGN_DAILY_EMAILS: "500", COUNTERSIGN_DEFAULT_PLAN: "pro" },
};

dashboardTests(
  "the pages of the platform",
  (dashboard) => {
    let page: Page;
    beforeAll(async () => {
      page = await dashboard.page();
    });

    const open = (path: string) => visit(page, `${dashboard.fixture.url}/admin${path}`);
    const dialog = () => page.getByRole("dialog");
    const button = (name: string | RegExp) => page.getByRole("button", { name });
    // A notification that moves is there twice, and so is one that an earlier test has left.
    const saved = () => page.getByText("Saved. Applies immediately.").first().waitFor();

    test("a plan gets prices in the currency's usual unit, and lower limits after a confirmation", async () => {
      await open("/plans");
      await button("Edit Pro").click();
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
      for (const effect of [
        "1 organization is on this plan.",
        "Products: No limit → 3",
        "Version checks are removed.",
        "keep what they have, but cannot add to it",
      ])
        await question.getByText(effect).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await question.getByRole("button", { name: "Change plan" }).click();
      await saved();
      await form.waitFor({ state: "hidden" });
      await page.getByText("$1,990.00 per year").waitFor();
      const { data } = await dashboard.manage("GET", "/plans");
      const changed = { monthly_price: 1_990, yearly_price: 199_000, max_products: 3, version_module: false };
      const unchanged = { daily_limit: 100_000, max_licenses: null };
      const pro = data.find(({ plan }: { plan: string }) => plan === "pro");
      expect(pro).toMatchObject({ ...changed, ...unchanged });
    });

    test("days for the audit log are set, and nothing is deleted before the operator says what then happens", async () => {
      await open("/plans");
      await button("Edit Free").click();
      const form = page.getByRole("dialog", { name: "Edit the Free plan" });
      await form.getByRole("checkbox", { name: "Days in the audit log: For ever" }).uncheck();
      await form.getByRole("textbox", { name: "Days in the audit log" }).pressSequentially("90");
      await looksRight(page, "plan-form-audit-log");
      await form.getByRole("button", { name: "Save" }).click();
      const question = page.getByRole("dialog", { name: "Change the Free plan?" });
      await question.getByText("Days in the audit log: For ever → 90").waitFor();
      await question.getByText("if the server has an archive for them").waitFor();
      await question.getByRole("button", { name: "Change plan" }).click();
      await form.waitFor({ state: "hidden" });
      await page.getByText("Nothing is deleted from the audit log yet").waitFor();
      await page.getByText("90 days").waitFor();
      await looksRight(page, "plans-audit-log");
      const { data } = await dashboard.manage("GET", "/plans");
      expect(data[0]).toMatchObject({ plan: "free", audit_log_days: 90, request_log_days: null });
    });

    test("an organization's audit log says how long entries are kept, and since when it is complete", async () => {
      const kept = { kept_days: 90, older_entries: "archived", complete_since: "2026-01-05T00:00:00.000Z" };
      await page.route("**/api/manage/v1/organizations/*/audit-log*", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ json: { ...(await answer.json()), ...kept } });
      });
      await visit(page, `${dashboard.home}/audit-log`);
      await page.getByText("They are kept for 90 days. Older ones are archived by the operator").waitFor();
      await page.getByText("entries before Jan 5, 2026 were deleted").waitFor();
      await looksRight(page, "audit-log-kept");
      await page.unroute("**/api/manage/v1/organizations/*/audit-log*");
    });

    test("an organization gets a plan by hand with a note, an end, a grace period and custom limits", async () => {
      const { id } = await dashboard.manage("POST", "/organizations", { name: "Late payers" });
      await open(`/organizations/${id}`);
      await page.getByRole("combobox", { name: "Plan" }).click();
      await page.getByRole("option", { name: "Enterprise" }).click();
      await page.getByLabel("Ends").fill("2090-05-01T12:00");
      await page.getByLabel("Note about the plan").fill("Pays by invoice");
      await page.getByRole("combobox", { name: "Billing" }).click();
      await page.getByRole("option", { name: "Past due" }).click();
      await page.getByText("Everything works for 7 days").waitFor();
      for (const [name, limit] of [
        ["Webhooks", "2"],
        ["Requests per day", "25000"],
      ] as const) {
        await page.getByRole("radiogroup", { name }).getByRole("radio", { name: "Custom limit" }).check();
        await page.getByRole("textbox", { name: new RegExp(`^${name}`) }).fill(limit);
      }
      await button("Save").first().click();
      await saved();
      await page.getByText("0 of 2").waitFor();
      await page.getByText("set by a platform admin").waitFor();
      await page.getByText("Validations stop").waitFor();
      expect(await page.getByRole("textbox", { name: /^Requests per day/ }).inputValue()).toBe("25,000");
      const given = { plan: "enterprise", plan_set_by: "operator", plan_note: "Pays by invoice" };
      const until = { plan_ends_at: "2090-05-01T12:00:00.000Z", billing_state: "grace" };
      const limits = { max_webhooks_override: 2, daily_limit_override: 25_000, max_products_override: null };
      const organization = await dashboard.manage("GET", `/admin/organizations/${id}`);
      expect(organization).toMatchObject({ ...given, ...until, ...limits });
      expect(await violationsOf(page)).toEqual([]);

      await open("/audit-log");
      await page.getByText("requests per day").first().waitFor();
      await open("");
      await page.getByRole("link", { name: "1 organization on Enterprise, billing: Past due" }).click();
      const list = page.getByRole("table", { name: "Organizations" });
      await list.getByRole("link", { name: "Late payers" }).waitFor();
      await page.getByText("Custom limits").waitFor();
    });

    test("an organization is found, suspended with a reason, and the suspension is lifted", async () => {
      await open("/organizations");
      await page.getByRole("searchbox").fill(dashboard.slug);
      await page.waitForURL(/q=/);
      const list = page.getByRole("table", { name: "Organizations" });
      await list.getByRole("link", { name: dashboard.organizationName }).click();
      await page.getByRole("heading", { level: 1, name: dashboard.organizationName }).waitFor();
      await button("Suspend").click();
      await dialog().getByLabel("Reason").fill("Unpaid since March");
      await dialog().getByRole("button", { name: "Suspend" }).click();
      await page.getByText("Unpaid since March").waitFor();
      await button("Lift suspension").click();
      await button("Suspend").waitFor();
    });

    test("an added user sets a password through the link, and is found during typing", async () => {
      await open("/users");
      await button("Add user").click();
      const form = page.getByRole("dialog", { name: "Add a user" });
      await form.getByLabel("Email").fill("dana@example.com");
      await form.getByLabel("Name").fill("Dana");
      await form.getByRole("button", { name: "Add user" }).click();
      const handed = page.getByRole("dialog", { name: "Password link for Dana" });
      const link = (await handed.getByText(/\/reset-password\?token=/).textContent()) ?? "";
      expect(await violationsOf(page)).toEqual([]);
      await handed.getByRole("button", { name: "Done" }).click();
      await page.getByRole("link", { name: "Dana" }).waitFor();

      const other = await openPage(phone);
      const password = other.getByRole("textbox", { name: "Password" });
      await visit(other, `${dashboard.fixture.url}/forgot-password`);
      await other.getByText("Ask a platform admin").waitFor();
      expect(await other.getByRole("textbox").count()).toBe(0);
      await visit(other, link);
      await other.getByRole("heading", { name: "Choose your password" }).waitFor();
      await password.fill("a password of her own");
      await other.getByRole("button", { name: "Set password" }).click();
      await other.getByRole("link", { name: "Sign in" }).click();
      await other.getByLabel("Email").fill("dana@example.com");
      await password.fill("a password of her own");
      await other.getByRole("button", { name: "Sign in", exact: true }).click();
      await other.getByText("You don't belong to an organization yet").waitFor();
      // She does not run the server.
      await visit(other, `${dashboard.fixture.url}/admin/organizations`);
      await other.getByRole("heading", { name: "Page not found" }).waitFor();

      await page.getByRole("searchbox").fill("nobody is called so");
      await page.getByText("No results").waitFor();
      await page.getByRole("searchbox").fill("dana@");
      await page.waitForURL(/q=dana/);
      await page.getByRole("link", { name: "Dana" }).click();
      await button("Create password link").click();
      await handed.getByText("Anyone who has it can sign in as this user").waitFor();
      await handed.getByRole("button", { name: "Done" }).click();
      await handed.waitFor({ state: "hidden" });
    });

    test("an announcement is published, edited and deleted, and the deletion can be undone", async () => {
      await open("/announcements");
      await button("New announcement").click();
      await dialog().getByText("Warning", { exact: true }).click();
      await dialog().getByRole("textbox", { name: "Message" }).fill("Maintenance on Sunday");
      await dialog().getByRole("textbox", { name: /^Link/ }).fill("not a link");
      const preview = dialog().getByRole("status", { name: "Announcement" });
      await preview.getByText("Maintenance on Sunday").waitFor();
      await dialog().getByRole("button", { name: "Publish" }).click();
      await dialog().locator("[aria-invalid=true]").waitFor();
      await dialog().getByRole("textbox", { name: /^Link/ }).fill("https://status.example.com");
      expect(await violationsOf(page)).toEqual([]);
      await dialog().getByRole("button", { name: "Publish" }).click();
      await page.getByRole("cell", { name: /Shown.*Maintenance on Sunday/ }).waitFor();
      // At the top of the dashboard, without a reload.
      await page.getByRole("status", { name: "Announcement" }).getByText("Maintenance on Sunday").waitFor();

      await button("Edit announcement “Maintenance on Sunday”").click();
      await dialog().getByRole("textbox", { name: "Message" }).fill("Maintenance on Monday");
      await dialog().getByRole("button", { name: "Save" }).click();
      const row = page.getByRole("cell", { name: /Shown.*Maintenance on Monday/ });
      await row.waitFor();
      await button("Delete announcement “Maintenance on Monday”").click();
      await page.getByText("No announcements").waitFor();
      await button("Undo").click();
      await row.waitFor();
      await button(/^Delete announcement/).click();
      await page.getByText("No announcements").waitFor();
    });

    test("settings apply at once, and those of the environment name their variable", async () => {
      await dashboard.fixture.change("plans", { id: "pro" }, { max_products: null });
      await open("/settings");
      await page.reload();
      await page.getByText("Set by the environment variable COUNTERSIGN_DAILY_EMAILS.").waitFor();
      await page.getByText("Set by the environment variable COUNTERSIGN_DEFAULT_PLAN.").waitFor();
      const emails = page.getByRole("textbox", { name: "Emails per day and organization" });
      expect(await emails.isDisabled()).toBe(true);
      await page.getByRole("radio", { name: "Everyone" }).check();
      await button("Save").first().click();
      await saved();
      await page.getByText("The daily limit is one per product, and the default plan, Pro, has no").waitFor();
      await page.getByRole("link", { name: "Limit its products" }).click();
      await page.getByRole("dialog", { name: "Edit the Pro plan" }).waitFor();
      await open("/settings");
      await page.getByRole("combobox", { name: "Currency" }).fill("JPY");
      await page.getByRole("option", { name: /^JPY/ }).click();
      await page.getByText("Prices keep their numbers in the new currency.").waitFor();
      const contact = page.getByRole("textbox", { name: "Contact for plans" });
      await contact.fill("nobody");
      await button("Save").last().click();
      await page.locator("[aria-invalid=true]").waitFor();
      await contact.fill("billing@example.com");
      await button("Save").last().click();
      const settings = () => dashboard.manage("GET", "/admin/settings");
      await until("it is saved", async () => (await settings()).billing_contact === "billing@example.com");
      expect(await settings()).toMatchObject({ sign_up: "open", currency: "jpy", daily_emails: 500 });
      await dashboard.manage("PATCH", "/admin/settings", { currency: "usd" });
    });

    test("an IP address of any organization is found and blocked for the whole platform, and the block is changed", async () => {
      const { license_key } = await dashboard.addLicense({ customer_email: "carla@example.com" });
      await dashboard.api.validate({ license_key });
      await until("the IP address and its organization are recorded", async () => {
        const { organizations } = await dashboard.manage("GET", "/admin/ips/127.0.0.1");
        return organizations.length > 0;
      });
      await open("/ips");
      await page.getByRole("link", { name: "127.0.0.1" }).click();
      const organizations = page.getByRole("table", { name: "Organizations" });
      await organizations.getByRole("link", { name: /^Nordlicht/ }).waitFor();
      await button("Block for the whole platform").click();
      await dialog().getByRole("button", { name: "Block", exact: true }).click();
      await page.getByText("are refused on the whole platform").waitFor();
      await page.getByRole("link", { name: "Show platform IP blocks" }).click();

      await button(/^Edit block of 127\.0\.0\.1/).click();
      await dialog().getByLabel("Note").fill("A mistake, until tomorrow");
      await dialog().getByText("1 day").click();
      await dialog().getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "A mistake, until tomorrow" }).waitFor();
      await button(/^Remove block of 127\.0\.0\.1/).click();
      await page.getByText("No blocked IP addresses").waitFor();

      await button("Block an IP address").first().click();
      const block = async (cidr: string) => {
        await dialog().getByLabel("IP address or network").fill(cidr);
        await dialog().getByRole("button", { name: "Block", exact: true }).click();
      };
      await block("127.0.0.999");
      await dialog().locator("[aria-invalid=true]").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await block("203.0.113.0/24");
      await button("Remove block of 203.0.113.0/24").waitFor();
    });

    test("the sidebar of the platform has its pages and the way back, also on a phone", async () => {
      await dashboard.page(phone);
      await open("");
      await button("Menu").click();
      const navigation = page.getByRole("navigation", { name: "Main" });
      expect(await navigation.getByRole("link", { name: "Licenses", exact: true }).count()).toBe(0);
      await navigation.getByRole("link", { name: /^Back to / }).waitFor();
      expect(await violationsOf(page, { shell: true })).toEqual([]);
      await navigation.getByRole("link", { name: "Jobs" }).click();
      await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
      await page.getByRole("row").filter({ hasText: "Deliver webhooks" }).getByText("Completed").waitFor();
    });
  },
  ownServer,
);
