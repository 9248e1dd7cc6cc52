import { expect, test } from "bun:test";
import { violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { goodPassword } from "../support/sign-in-fixture.ts";

dashboardTests("customers in the dashboard", (dashboard) => {
  test("erasing a customer names what is deleted, and requires the password", async () => {
    const { manage, organizationId, productId } = dashboard;
    const body = { customer_email: "erased@example.com", customer_name: "Erased Person", is_lifetime: true };
    const license = await manage("POST", `/products/${productId}/licenses`, body);
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/customers/${license.global_customer_id}`);
    await page.getByRole("button", { name: "Erase everything" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase customer" });
    const erase = dialog.getByRole("button", { name: "Erase customer and 1 license" });
    await erase.waitFor();
    expect(await dialog.textContent()).toContain("Erased Person, their licenses");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel("Your password").fill("wrong");
    await erase.click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Your password").fill(goodPassword);
    await erase.click();
    await page.getByText("The customer is being erased.").waitFor();
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    expect(
      await manage("GET", `/organizations/${organizationId}/customers?search=erased@example.com`),
    ).toMatchObject({
      data: [],
    });
  });
});
