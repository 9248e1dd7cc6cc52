import { expect, test } from "bun:test";
import { apiOf } from "../support/api.ts";
import { describedBy, looksRight, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { goodPassword } from "../support/sign-in-fixture.ts";
import { until } from "../support/until.ts";

dashboardTests("products in the dashboard", (dashboard) => {
  test("a product is created, configured, given a custom response and a new key", async () => {
    const { manage } = dashboard;
    const page = await dashboard.page();
    const button = (label: string) => page.getByRole("button", { name: label, exact: true });
    const tab = (label: string) =>
      page.getByRole("navigation", { name: "Product" }).getByRole("link", { name: label }).click();
    const takeSecret = async () => {
      const secret = (await page.getByRole("dialog").locator("pre").textContent()) ?? "";
      await page.evaluate("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }");
      await page.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
      expect(await page.evaluate("copied")).toBe(secret);
      expect(await button("Continue").isDisabled()).toBe(true);
      await page.getByLabel("I've saved it somewhere safe").check();
      await button("Continue").click();
      return secret;
    };

    await visit(page, `${dashboard.home}/products/new`);
    await page.getByLabel("Name").fill("Aurora");
    await button("Create product").click();
    const firstKey = await takeSecret();
    await page.waitForURL(/\/integrate$/);
    await page.getByText("Python", { exact: true }).click();
    await page.waitForURL(/\?with=python$/);
    const productId = /products\/([^/]+)/.exec(page.url())?.[1] ?? "";
    const customer = { customer_email: "carla@example.com" };
    const { license_key } = await manage("POST", `/products/${productId}/licenses`, customer);
    await manage("POST", `/products/${productId}/licenses`, customer);

    // A change that can refuse current customers asks first, and says whom it refuses as far as requests are known.
    await tab("Settings");
    const register = page.getByRole("switch", { name: "Register new IP addresses automatically" });
    const isOn = () => register.and(page.getByRole("switch", { checked: true })).waitFor();
    await register.press("Space");
    await page.getByText("No valid request of the last 30 days is known").waitFor();
    // Enter cancels, because what refuses customers never has the focus first.
    await until("Cancel has the focus", () =>
      button("Cancel").evaluate((one) => one === one.ownerDocument.activeElement),
    );
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await isOn();
    await register.press("Space");
    await button("Stop registering").click();
    await page.getByText("Saved: Register new IP addresses automatically").waitFor();
    await button("Undo").click();
    await isOn();
    const settings = () => manage("GET", `/products/${productId}`);
    await until("it is undone", async () => (await settings()).auto_register_ip_on_validate);

    // Another user has changed the setting: the control reverts and shows the reason.
    await manage("PATCH", `/products/${productId}`, { expiring_soon_days: 21 });
    await register.press("Space");
    await button("Stop registering").click();
    await page.getByText("Someone else changed this product while you were editing").waitFor();
    await isOn();
    expect(await page.getByRole("textbox", { name: "Expiry warning" }).inputValue()).toBe("21 days");

    // A custom response that has an error at first.
    await tab("Custom response");
    const template = page.getByRole("textbox", { name: "Template" });
    await template.fill('{\n  "plan": "pro",\n  "hello": "{{customer.nam}}"\n}');
    await page.getByText("Line 3: {{customer.nam}} isn't a known placeholder.").waitFor();
    expect(await button("Save template").isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    // A placeholder is inserted as JSON at the cursor, and one key press undoes it.
    await template.fill('{\n  "plan": "pro",\n  "hello": \n}');
    for (const key of ["ArrowUp", "End"]) await template.press(key);
    await button("customer.email").click();
    expect(await template.inputValue()).toBe('{\n  "plan": "pro",\n  "hello": "{{customer.email}}"\n}');
    await page.keyboard.press("Control+z");
    expect(await template.inputValue()).toBe('{\n  "plan": "pro",\n  "hello": \n}');
    await button("customer.email").click();
    await page.getByRole("region", { name: "Preview" }).getByText('"plan": "pro"').waitFor();
    await button("Save template").click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByRole("switch", { name: "Send the custom response" }).press("Space");
    await page.getByText("Saved: Send the custom response").waitFor();

    await tab("Keys");
    await button("Replace API keys").click();
    await button("Create new key").click();
    expect(await takeSecret()).not.toBe(firstKey);
    expect(await violationsOf(page)).toEqual([]);

    // Of two licenses, one was used.
    await apiOf(new URL(dashboard.home).origin, firstKey).validate({ license_key });
    await until("the request is known", async () => {
      const change = { type: "disable" };
      return (await manage("POST", `/products/${productId}/shadow`, { change })).licenses === 1;
    });
    const refusesUsed =
      /^1 of the 1 licenses used in the last 30 days will be refused from the next request on/;

    // Archiving offers to stop sales only, and explains the effect of each choice.
    await tab("Danger zone");
    await button("Archive…").click();
    const archive = page.getByRole("dialog", { name: "Archive Aurora?" });
    await archive.getByText("2 licenses keep working.").waitFor();
    await archive.getByLabel("Archive", { exact: true }).click();
    await archive.getByText(refusesUsed).waitFor();
    await archive.getByText(/^Requests are known since /).waitFor();
    await archive.getByLabel("Stop selling", { exact: true }).click();
    await archive.getByRole("button", { name: "Stop selling" }).click();
    await page.getByText("Active, not for sale").waitFor();
    // The page shows it before the server has saved it.
    await until("it is saved", async () => (await settings()).closed_for_sale);
    expect(await violationsOf(page)).toEqual([]);
    await button("Archive…").click();
    await archive.getByText(refusesUsed).waitFor();
    await archive.getByRole("button", { name: "Archive product" }).click();
    await page.getByText("Aurora is archived").waitFor();
  });

  test("refused input is kept with the reason, a preview uses the chosen license, and a new signing secret takes effect later", async () => {
    const { manage } = dashboard;
    const product = { name: "Borealis", custom_response: { to: "{{customer.email}}" } };
    const created = await manage("POST", `/organizations/${dashboard.organizationId}/products`, product);
    const buyer = { customer_email: "carla@example.com" };
    const license = await manage("POST", `/products/${created.id}/licenses`, buyer);
    const page = await dashboard.page();
    const path = `${dashboard.home}/products/${created.id}`;
    await visit(page, path);
    const days = page.getByRole("textbox", { name: "Expiry warning" });
    await days.fill("400");
    await days.press("Enter");
    await page.getByText("Enter at most 365").waitFor();
    expect(await days.inputValue()).toBe("400 days");
    expect(await days.getAttribute("aria-invalid")).toBe("true");
    expect(await describedBy(days)).toContain("Enter at most 365");
    expect(await describedBy(days)).toContain("webhooks receive license.expiring_soon");
    await days.fill("10");
    await days.press("Enter");
    await page.getByText("Saved: Expiry warning").waitFor();
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("Borealis 2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Borealis 2" }).waitFor();
    const saved = { name: "Borealis 2", expiring_soon_days: 10 };
    expect(await manage("GET", `/products/${created.id}`)).toMatchObject(saved);

    await visit(page, `${path}/custom-response`);
    await page.getByRole("combobox", { name: "Preview with" }).click();
    await page.getByRole("option", { name: license.license_key }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("option", { name: license.license_key }).click();
    await page.getByRole("region", { name: "Preview" }).getByText('"to": "carla@example.com"').waitFor();
    expect(page.url()).toEndWith(`?license=${license.id}`);

    await visit(page, `${path}/keys`);
    await page.getByRole("button", { name: "New signing secret" }).click();
    await page.getByRole("dialog").getByRole("button").last().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button").last().click();
    await page.getByText("in 7 days").or(page.getByText("next week")).waitFor();
    // The new one; the current one only after a proof of identity, which the page says from then on.
    const secrets = page.getByText(/^[0-9a-f]{64}$/);
    expect(await secrets.count()).toBe(1);
    await page.getByText("It has never been shown.").waitFor();
    await page.getByRole("button", { name: "Show secret" }).click();
    await page.getByRole("dialog").getByLabel("Your password").fill("not the one");
    await page.getByRole("dialog").getByRole("button", { name: "Show secret" }).click();
    await page.getByText("Incorrect password.").waitFor();
    await page.getByRole("dialog").getByLabel("Your password").fill(goodPassword);
    await page.getByRole("dialog").getByRole("button", { name: "Show secret" }).click();
    await page.getByText("Last shown by").waitFor();
    await secrets.nth(1).waitFor();
  });

  test("API keys are added with a name, renamed, reported when unused, and revoked", async () => {
    const { manage } = dashboard;
    const products = `/organizations/${dashboard.organizationId}/products`;
    const product = await manage("POST", products, { name: "Keyring" });
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/products/${product.id}/keys`);
    await page.getByRole("button", { name: "Add API key" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Shop server");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Add key" }).click();
    await page.getByRole("dialog").locator("pre").getByText(/^csk_/).waitFor();
    await page.getByLabel("I've saved it somewhere safe").check();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("cell", { name: "Shop server" }).waitFor();
    const rename = page.getByRole("button", { name: /^Rename csk_/ });
    await rename.last().click();
    await page.getByRole("textbox", { name: "Name" }).fill("Web shop");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByRole("cell", { name: "Web shop" }).waitFor();
    await manage("POST", `/products/${product.id}/api-keys`, { name: "Old build server" });
    const longAgo = { created_at: Date.now() - 40 * 86_400_000 };
    await dashboard.fixture.change("product_api_keys", { name: "Old build server" }, longAgo);
    await page.reload();
    await page.getByText("1 API key has not been used for 30 days").waitFor();
    await looksRight(page, "api-keys");
    const revoke = page.getByRole("button", { name: /^Revoke csk_/ });
    await revoke.first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("was revoked").waitFor();
    expect((await manage("GET", `/products/${product.id}`)).api_keys).toHaveLength(2);
  });

  test("a concurrent change to the list of versions is not overwritten", async () => {
    const { manage, productId } = dashboard;
    const path = `/products/${productId}/versions`;
    await manage("POST", path, { version: "1.0.0" });
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}${path}`);
    await page.getByRole("button", { name: "Replace all…" }).click();
    const list = page.getByRole("dialog").getByRole("textbox");
    await list.fill("2.0.0 latest");
    await manage("POST", path, { version: "1.1.0", state: "blocked" });
    await page.getByRole("button", { name: "Replace list" }).click();
    await page.getByText("Someone else changed the list while you were editing").waitFor();
    await page.getByRole("button", { name: "Use theirs" }).click();
    expect(await list.inputValue()).toBe("1.1.0 blocked\n1.0.0 allowed");
    await list.fill("2.0.0 latest\n1.1.0 blocked");
    await page.getByRole("button", { name: "Replace list" }).click();
    await page.getByText("The list now has 2 versions").waitFor();
    const { data } = await manage("GET", path);
    expect(data.map((row: { version: string }) => row.version)).toEqual(["2.0.0", "1.1.0"]);
  });
});
