import { expect, test } from "bun:test";
import { phone, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { signedInWith } from "../support/portal-client.ts";
import { newId } from "../support/test-organization.ts";

dashboardTests("license transfers in the dashboard", (dashboard) => {
  test("without a product that offers transfers, the list of transfers says how to turn them on", async () => {
    const { manage, productId } = dashboard;
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/transfers`);
    await page.getByRole("heading", { name: "Transfers are turned off" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Open the “Customer portal” tab" }).click();
    await page.waitForURL(`${dashboard.home}/products/${productId}/portal`);
    await page.getByRole("combobox", { name: "License transfers" }).selectOption("review");
    await page.getByText("Saved: License transfers").waitFor();
    expect(await manage("GET", `/products/${productId}`)).toMatchObject({ transfers: "review" });
    await visit(page, `${dashboard.home}/transfers`);
    await page.getByRole("heading", { name: "No transfers are waiting" }).waitFor();
  });

  test("a waiting transfer is counted, and its approval names everything that it does and what to consider", async () => {
    const { manage, organizationId } = dashboard;
    const to = { email: "ben@example.com" };
    const message = "<b>Thanks</b>\nfor everything";
    const { license, transfer, customer } = await requested({ to });
    await manage("POST", `/transfers/${transfer.id}/reject`, { reason: "Not yet." });
    const ben = await manage("POST", `/organizations/${organizationId}/customers`, to);
    const blocks = `/organizations/${organizationId}/customers/${ben.id}/ip-blocks`;
    await manage("POST", blocks, { cidr: "203.0.113.9" });
    await customer.post(`/licenses/${license.id}/transfers`, { ...to, message });
    await dashboard.api.validate({ license_key: license.license_key });
    const permissions = ["transfers:review", "licenses:view", "products:view", "customers:view"];
    const reviewer = await dashboard.addMember(permissions);
    const page = await dashboard.pageFor(reviewer);

    await visit(page, dashboard.home);
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "Customers 1 waiting" }).waitFor();
    await page.getByText("1 license transfer is waiting for your decision").waitFor();
    await visit(page, `${dashboard.home}/licenses/${license.id}`);
    await page.getByText("A transfer to ben@example.com is waiting for your decision").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("x");
    await page.getByRole("heading", { level: 1, name: "Transfers" }).waitFor();
    await page.getByRole("link", { name: "Carla → ben@example.com" }).click();
    await page.getByRole("heading", { level: 1, name: "Transfer to ben@example.com" }).waitFor();
    // The customer's message is text, whatever it contains.
    await page.getByText("<b>Thanks</b>").waitFor();
    expect(await page.getByRole("main").locator("b").count()).toBe(0);
    await page.getByText("You have IP blocks for the recipient").waitFor();
    await page.getByRole("table", { name: "Other transfers of this license" }).waitFor();

    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve this transfer?" });
    for (const effect of [
      "ben@example.com becomes the owner of the license. Carla no longer sees it in the portal.",
      "The key is replaced. Apps with the old key stop working.",
      "1 registered IP address is removed.",
      "ben@example.com gets an email about it.",
    ])
      await dialog.getByText(effect).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Approve transfer" }).click();
    await page.getByText("License transferred to ben@example.com").waitFor();
    await page.getByText("Approved by Test Person").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await navigation.getByRole("link", { name: "Transfers", exact: true }).waitFor();
  });

  test("the rejection of a transfer needs a reason, and the list can be filtered by state on a phone", async () => {
    await requested({ to: { discord_id: "80351110224678912" } });
    const page = await dashboard.page(phone);
    // Loaded, because the list on the owner's page does not have the transfer yet.
    await page.goto(`${dashboard.home}/transfers`);
    await page.getByRole("link", { name: "Carla → Discord ID 80351110224678912" }).click();
    await page.getByRole("button", { name: "Reject" }).click();
    const dialog = page.getByRole("dialog", { name: "Reject this transfer?" });
    const submit = dialog.getByRole("button", { name: "Reject transfer" });
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByRole("textbox", { name: "Reason" }).fill("Ask your own customer service first.");
    // A reason that was typed is not lost by accident. The question is loaded with the first form.
    await page.waitForLoadState("networkidle");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog", { name: "Discard changes?" }).waitFor();
    await page.getByRole("button", { name: "Keep editing" }).click();
    await page.getByRole("dialog", { name: "Discard changes?" }).waitFor({ state: "detached" });
    await submit.click();
    await page.getByText("Transfer rejected").waitFor();
    await page.getByText("Reason: Ask your own customer service first.").waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await visit(page, `${dashboard.home}/transfers`);
    await page.getByRole("combobox", { name: "State" }).selectOption("rejected");
    await page.waitForURL(`${dashboard.home}/transfers?state=rejected`);
    await page.getByRole("link", { name: "Carla → Discord ID 80351110224678912" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Carla → Discord ID 80351110224678912" }).waitFor();
  });

  test("a decision on a transfer that is no longer possible shows why, and the current state", async () => {
    const { transfer, customer } = await requested();
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/transfers/${transfer.id}`);
    await page.getByRole("button", { name: "Approve" }).click();
    await customer.post(`/transfers/${transfer.id}/cancel`);
    await page.getByRole("button", { name: "Approve transfer" }).click();
    await page.getByRole("alert").getByText("already approved, rejected or cancelled").waitFor();
    await page.getByText("Cancelled by the customer").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("a revoked license cannot be approved: the page says what to do, also if it happens meanwhile", async () => {
    const { manage } = dashboard;
    const { license, transfer } = await requested();
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/transfers/${transfer.id}`);
    await page.getByRole("button", { name: "Approve" }).click();
    await manage("POST", `/licenses/${license.id}/revoke`, { reason: "Chargeback" });
    await page.getByRole("button", { name: "Approve transfer" }).click();
    await page.getByRole("alert").getByText("The license is revoked").waitFor();
    await page.getByText("Reinstate it first, or reject the transfer.").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);

    // After a reinstatement on the license's page, it can be approved.
    await page.getByRole("link", { name: "View license" }).click();
    await page.getByRole("button", { name: "Reinstate" }).click();
    await page.getByRole("link", { name: "Review transfer" }).click();
    await page.getByRole("button", { name: "Approve", disabled: false }).waitFor();
  });

  test("the permission to review transfers is enough to decide", async () => {
    const { transfer } = await requested();
    const page = await dashboard.pageFor(await dashboard.addMember(["transfers:review"]));
    await page.goto(`${dashboard.home}/transfers`);
    await page.getByRole("link", { name: "Carla → ben@example.com" }).first().click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Depending on the product's settings").waitFor();
    await page.getByRole("button", { name: "Approve transfer" }).click();
    await page.getByText("Approved by Test Person").waitFor();
    expect(page.url()).toBe(`${dashboard.home}/transfers/${transfer.id}`);
  });

  /** A license of Carla, who has asked to give it to someone else. */
  async function requested({ to = { email: "ben@example.com" } as object } = {}) {
    await dashboard.manage("PATCH", `/products/${dashboard.productId}`, { transfers: "review" });
    const email = `${newId()}@example.com`;
    const carla = { customer_email: email, customer_name: "Carla" };
    const license = await dashboard.addLicense({ ...carla, is_lifetime: true });
    const customer = await signedInWith(dashboard.fixture, { emails: [email] });
    const { body: transfer } = await customer.post(`/licenses/${license.id}/transfers`, to);
    return { license, customer, transfer };
  }
});
