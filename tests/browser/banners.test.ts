import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  pageErrorsOf,
  saveScreenshot,
  violationsOf,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { sqlite } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";

if (chromiumPath === null) skipWithReason("banners", howToGetChromium);
// The dashboard behaves the same on both databases.
else
  describe("banners", () => {
    let dashboard: Dashboard;
    let home: string;
    beforeAll(async () => {
      dashboard = await openDashboard(sqlite.make);
      home = `${dashboard.fixture.url}/o/${dashboard.slug}`;
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test("an announcement is shown on every page until it is dismissed, and again when it changes", async () => {
      const { manage, owner } = dashboard;
      const { id } = await manage("POST", "/admin/announcements", {
        level: "warning",
        message: "Maintenance on Sunday, <b>8 pm</b> UTC.",
        url: "https://status.example.com/",
      });
      const page = await dashboard.pageFor(owner, { width: 390 });
      const troubles = pageErrorsOf(page);
      await page.goto(home);
      const announcement = page.getByRole("status", { name: "Announcement" });
      await announcement.filter({ hasText: "<b>8 pm</b>" }).waitFor();
      const link = announcement.getByRole("link", { name: "Learn more" });
      expect(await link.getAttribute("href")).toBe("https://status.example.com/");
      expect(await violationsOf(page)).toEqual([]);
      await saveScreenshot(page, "banner-announcement");
      await page.goto(`${dashboard.fixture.url}/account`);
      await announcement.getByRole("button", { name: "Dismiss announcement" }).click();
      await announcement.waitFor({ state: "detached" });
      await page.goto(home);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(await announcement.count()).toBe(0);

      await manage("PATCH", `/admin/announcements/${id}`, { message: "Maintenance on Monday.", url: null });
      await page.reload();
      await announcement.filter({ hasText: "Maintenance on Monday." }).waitFor();
      await manage("DELETE", `/admin/announcements/${id}`);
      expect(troubles).toEqual([]);
      await page.context().close();
    }, 180_000);

    test("a plan that ends within 14 days is announced to every member", async () => {
      const { manage, organizationId, owner } = dashboard;
      const terms = (plan_ends_at: string | null) =>
        manage("PATCH", `/admin/organizations/${organizationId}`, { plan: "pro", plan_ends_at });
      await terms(new Date(Date.now() + 10 * 86_400_000).toISOString());
      const page = await dashboard.pageFor(owner);
      await page.goto(home);
      const banner = page
        .getByRole("alert")
        .filter({ hasText: /^The Pro plan that the operator of this server set ends on/ });
      await banner.getByRole("link", { name: "Open billing" }).click();
      // The page itself says more about it, so the banner is not repeated there.
      await page.getByRole("heading", { name: "Current plan" }).waitFor();
      await page.getByText(/^The Pro plan ends on/).waitFor();
      expect(await banner.count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      await saveScreenshot(page, "billing-plan-ends");
      await terms(null);
      await page.context().close();
    }, 180_000);

    test("a platform admin who looks at an organization is told so, is offered no changes, and can stop", async () => {
      const { fixture, owner } = dashboard;
      const seller = await fixture.createSignedInUser();
      const { body: acme } = await seller.browser.manage("POST", "/organizations", { name: "Acme" });
      const made = await seller.browser.manage("POST", `/organizations/${acme.id}/products`, {
        name: "Vega",
      });
      expect(made.status).toBe(201);
      const page = await dashboard.pageFor(owner, { width: 1280 });
      const troubles = pageErrorsOf(page);
      await page.goto(`${fixture.url}/account`);
      const started = await page.request.post(
        `${fixture.url}/api/manage/v1/admin/organizations/${acme.id}/impersonation`,
        { data: { reason: "A ticket" }, headers: { origin: fixture.url } },
      );
      expect(started.ok()).toBe(true);
      await page.goto(`${fixture.url}/o/${acme.slug}`);
      const banner = page
        .getByRole("status")
        .filter({ hasText: "You are viewing Acme as a platform admin." });
      await banner.filter({ hasText: "You cannot change anything. Ends at" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await saveScreenshot(page, "banner-impersonation");
      for (const [where, title] of [
        ["", "Overview"],
        ["/licenses", "Licenses"],
        ["/products", "Products"],
        [`/products/${made.body.id}`, "Vega"],
        ["/customers", "Customers"],
        ["/webhooks", "Webhooks"],
        ["/members", "Members"],
        ["/roles", "Roles"],
        ["/usage", "Usage"],
        ["/settings/billing", "Settings"],
        ["/settings/portal", "Settings"],
      ]) {
        await page.goto(`${fixture.url}/o/${acme.slug}${where}`);
        await page.getByRole("heading", { level: 1, name: title ?? "" }).waitFor();
        await page.waitForLoadState("networkidle");
        await banner.waitFor();
        const changes = page
          .getByRole("main")
          .getByRole("button", { name: /create|new|add|invite|delete|edit|save|remove|upgrade/i });
        expect([where, await changes.allTextContents()]).toEqual([where, []]);
        const links = page.getByRole("main").getByRole("link", { name: /^(New|Create|Add|Import)/ });
        expect([where, await links.allTextContents()]).toEqual([where, []]);
        const switches = page.getByRole("main").getByRole("switch", { disabled: false });
        expect([where, await switches.count()]).toEqual([where, 0]);
      }
      await page.goto(`${fixture.url}/o/${acme.slug}/licenses/new`);
      await page.getByRole("heading", { name: "You don't have permission to see this page" }).waitFor();

      await banner.getByRole("button", { name: "Stop" }).click();
      await page.waitForURL(`${fixture.url}/admin/organizations/${acme.id}`);
      await page.goto(`${fixture.url}/o/${acme.slug}`);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      expect(troubles).toEqual([]);
      await page.context().close();
    }, 180_000);
  });
