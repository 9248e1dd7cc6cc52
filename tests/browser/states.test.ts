import { expect, test } from "bun:test";
import { violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { goodPassword } from "../support/sign-in-fixture.ts";

dashboardTests("rare states", (dashboard) => {
  test("without a product, pages that need one link to its creation", async () => {
    const { fixture, manage } = dashboard;
    const { slug } = await manage("POST", "/organizations", { name: "Fresh start" });
    const page = await dashboard.page();
    for (const where of ["licenses", "licenses/new", "licenses/import", "usage"]) {
      await visit(page, `${fixture.url}/o/${slug}/${where}`);
      await page.getByRole("heading", { name: "Create a product first" }).waitFor();
      await page.getByRole("link", { name: "New product" }).click();
      await page.waitForURL(`${fixture.url}/o/${slug}/products/new`);
    }
    // An empty list offers its action once and has no filters.
    for (const [where, role, what] of [
      ["products", "link", "New product"],
      ["customers", "button", "New customer"],
      ["ip-blocks", "button", "Block an IP address"],
      ["access-tokens", "link", "New access token"],
    ] as const) {
      await visit(page, `${fixture.url}/o/${slug}/${where}`);
      const offer = page.getByRole(role, { name: what });
      await page.getByRole("heading", { level: 2 }).waitFor();
      expect(await offer.count()).toBe(1);
      expect(await page.getByRole("searchbox").count()).toBe(0);
    }
    expect(await violationsOf(page)).toEqual([]);
  });

  test("members who can only view licenses have no checkboxes to select them", async () => {
    await dashboard.addLicense({ customer_email: "carla@example.com" });
    const page = await dashboard.pageFor(await dashboard.addMember(["licenses:view"]));
    await visit(page, `${dashboard.home}/licenses`);
    await page.getByRole("row").filter({ hasText: "carla@example.com" }).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    expect(await page.getByText("1 selected").count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("the reason why an email was not sent is translated and includes the mail server's response", async () => {
    const { fixture } = dashboard;
    const { email } = await fixture.createUser();
    await fixture.browser().auth("/request-password-reset", { email });
    // Marked as given up, because a retry would fail at a missing server.
    const rejected = { code: "email_rejected", params: { response: "550 5.1.1 User unknown" } };
    const gaveUp = { failure: JSON.stringify(rejected), next_attempt_at: null };
    await fixture.change("outbox", { recipient: email }, gaveUp);
    const [message] = await fixture.emails(email);
    const page = await dashboard.germanPage();
    await visit(page, `${fixture.url}/admin/outbox/${message?.id}`);
    await page.getByText("Der Mailserver hat die E-Mail abgelehnt: 550 5.1.1 User unknown").waitFor();
    await visit(page, `${fixture.url}/admin/outbox?recipient=${encodeURIComponent(email)}`);
    await page.getByText("Fehlgeschlagen", { exact: true }).first().hover();
    await page.getByRole("tooltip").filter({ hasText: "Der Mailserver hat" }).waitFor();
  });

  test("in a suspended organization, settings and tokens are visible, and everything can be removed", async () => {
    const { manage, organizationId } = dashboard;
    const token = { name: "Shop", permissions: ["licenses:view"], password: goodPassword };
    await manage("POST", `/organizations/${organizationId}/access-tokens`, token);
    await manage("POST", `/admin/organizations/${organizationId}/suspend`, { reason: "An open invoice" });
    const page = await dashboard.page();
    // Loaded again, because the page does not know the suspension yet.
    await page.goto(`${dashboard.home}/settings`);
    await page.getByText("nothing can be changed. Reason: An open invoice").waitFor();
    await page.getByRole("heading", { name: "Plan" }).waitFor();
    await page.getByRole("link", { name: "Download" }).waitFor();
    expect(await page.getByRole("button", { name: /Save|Delete|Transfer ownership/ }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await visit(page, `${dashboard.home}/access-tokens`);
    await page.getByText("Shop", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /Revoke/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "New access token" }).count()).toBe(0);
    await manage("POST", `/admin/organizations/${organizationId}/restore`, {});
  });
});
