import { expect, test } from "bun:test";
import { looksRight, phone, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";

dashboardTests("banners", (dashboard) => {
  test("an announcement is shown on every page until it is dismissed, and again when it changes", async () => {
    const { manage } = dashboard;
    const url = "https://status.example.com/";
    const message = "Maintenance on Sunday, <b>8 pm</b> UTC.";
    const { id } = await manage("POST", "/admin/announcements", { level: "warning", message, url });
    const page = await dashboard.page(phone);
    await visit(page, dashboard.home);
    const announcement = page.getByRole("status", { name: "Announcement" });
    await announcement.filter({ hasText: "<b>8 pm</b>" }).waitFor();
    const link = announcement.getByRole("link", { name: "Learn more" });
    expect(await link.getAttribute("href")).toBe(url);
    await looksRight(page, "banner-announcement");
    await visit(page, `${dashboard.fixture.url}/account`);
    await announcement.getByRole("button", { name: "Dismiss announcement" }).click();
    await announcement.waitFor({ state: "detached" });
    await page.goto(dashboard.home, { waitUntil: "networkidle" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await announcement.count()).toBe(0);

    await manage("PATCH", `/admin/announcements/${id}`, { message: "Maintenance on Monday.", url: null });
    await page.reload();
    await announcement.filter({ hasText: "Maintenance on Monday." }).waitFor();
    await manage("DELETE", `/admin/announcements/${id}`);
  });

  test("a plan that ends within 14 days is announced to every member", async () => {
    const { manage, organizationId } = dashboard;
    const terms = (plan_ends_at: string | null) =>
      manage("PATCH", `/admin/organizations/${organizationId}`, { plan: "pro", plan_ends_at });
    await terms(new Date(Date.now() + 10 * 86_400_000).toISOString());
    const page = await dashboard.page();
    await page.goto(dashboard.home);
    const hasText = /^The Pro plan that the operator of this server set ends on/;
    const banner = page.getByRole("alert").filter({ hasText });
    await banner.getByRole("link", { name: "Open billing" }).click();
    // The page itself says more about it, so the banner is not repeated there.
    await page.getByRole("heading", { name: "Current plan" }).waitFor();
    await page.getByText(/^The Pro plan ends on/).waitFor();
    expect(await banner.count()).toBe(0);
    await looksRight(page, "billing-plan-ends");
    await terms(null);
  });

  test("a platform admin who looks at an organization is told so, is offered no changes, and can stop", async () => {
    const { fixture } = dashboard;
    const seller = await fixture.createSignedInUser();
    const { body: acme } = await seller.browser.manage("POST", "/organizations", { name: "Acme" });
    const products = `/organizations/${acme.id}/products`;
    const { body: product } = await seller.browser.manage("POST", products, { name: "Vega" });
    const page = await dashboard.page();
    await visit(page, `${fixture.url}/admin/organizations/${acme.id}`);
    await page.getByRole("button", { name: "View read-only" }).click();
    const dialog = page.getByRole("dialog", { name: "View Acme?" });
    await dialog.getByLabel("Reason").fill("A ticket");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "View this organization" }).click();
    await page.waitForURL(`${fixture.url}/o/${acme.slug}`);
    const banner = page.getByRole("status").filter({ hasText: "You are viewing Acme as a platform admin." });
    await banner.filter({ hasText: "You cannot change anything. Ends at" }).waitFor();
    await looksRight(page, "banner-impersonation");
    for (const [where, title] of [
      ["", "Overview"],
      ["/licenses", "Licenses"],
      ["/products", "Products"],
      [`/products/${product.id}`, "Vega"],
      ["/customers", "Customers"],
      ["/webhooks", "Webhooks"],
      ["/members", "Members"],
      ["/roles", "Roles"],
      ["/usage", "Usage"],
      ["/settings/billing", "Billing"],
      ["/settings/portal", "Customer portal"],
    ]) {
      await visit(page, `${fixture.url}/o/${acme.slug}${where}`);
      await page.getByRole("heading", { level: 1, name: title ?? "" }).waitFor();
      await banner.waitFor();
      const main = page.getByRole("main");
      const changes = main
        .getByRole("button", { name: /create|new|add|invite|delete|edit|save|remove|upgrade/i })
        .or(main.getByRole("link", { name: /^(New|Create|Add|Import)/ }))
        .or(main.getByRole("switch", { disabled: false }));
      expect([where, await changes.allTextContents()]).toEqual([where, []]);
    }
    await visit(page, `${fixture.url}/o/${acme.slug}/licenses/new`);
    await page.getByRole("heading", { name: "You don't have permission to see this page" }).waitFor();

    await banner.getByRole("button", { name: "Stop" }).click();
    await page.waitForURL(`${fixture.url}/admin/organizations/${acme.id}`);
    await page.goto(`${fixture.url}/o/${acme.slug}`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });
});
