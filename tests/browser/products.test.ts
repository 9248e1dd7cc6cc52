import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { apiOf } from "../support/api.ts";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  pageErrorsOf,
  violationsOf,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { sqlite } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";
import { until } from "../support/until.ts";

const name = "a product is created, configured, given a custom response and a new key";

if (chromiumPath === null) skipWithReason(name, howToGetChromium);
else
  describe.each([sqlite])("products in the dashboard, on $kind", ({ make }) => {
    let dashboard: Dashboard;
    beforeAll(async () => {
      dashboard = await openDashboard(make);
    });
    afterAll(async () => {
      await dashboard.close();
      await closeChromium();
    });

    test(name, async () => {
      const { fixture, owner, slug, manage } = dashboard;
      const page = await dashboard.pageFor(owner);
      const troubles = pageErrorsOf(page);
      const button = (label: string) => page.getByRole("button", { name: label, exact: true });
      const tab = (label: string) =>
        page.getByRole("navigation", { name: "Product" }).getByRole("link", { name: label }).click();
      const takeSecret = async () => {
        const secret = (await page.getByRole("dialog").locator("pre").textContent()) ?? "";
        expect(await button("Continue").isDisabled()).toBe(true);
        await page.getByLabel("I've saved it somewhere safe").check();
        await button("Continue").click();
        return secret;
      };

      await page.goto(`${fixture.url}/o/${slug}/products/new`);
      await page.getByLabel("Name").fill("Aurora");
      await button("Create product").click();
      const firstKey = await takeSecret();
      await page.waitForURL(/\/integrate$/);
      await page.getByText("Python", { exact: true }).click();
      await page.waitForURL(/\?with=python$/);
      const productId = /products\/([^/]+)/.exec(page.url())?.[1] ?? "";
      const license = await manage("POST", `/products/${productId}/licenses`, {
        customer_email: "carla@example.com",
      });
      const validate = async (key: string, ip = "203.0.113.1") =>
        (
          await apiOf(fixture.url, key).validate(
            { license_key: license.license_key },
            { "x-forwarded-for": ip },
          )
        ).body;
      expect(await validate(firstKey)).toMatchObject({ valid: true, status: "active", custom: null });

      // A setting takes effect with the next request, and so does its reversal.
      await tab("Settings");
      const register = page.getByRole("switch", { name: "Register new IP addresses automatically" });
      // A change that can refuse current customers asks first, with their number.
      await register.press("Space");
      await page.getByText("This affects 1 license from the next request on.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      expect(await validate(firstKey)).toMatchObject({ status: "active" });
      await register.press("Space");
      await button("Stop registering").click();
      await page.getByText("Saved: Register new IP addresses automatically").waitFor();
      expect(await validate(firstKey, "203.0.113.2")).toMatchObject({ status: "ip_not_registered" });
      await button("Undo").click();
      await page
        .getByRole("switch", { name: "Register new IP addresses automatically", checked: true })
        .waitFor();
      const isTaken = async () => (await validate(firstKey, "203.0.113.2")).status === "active";
      await until("it is undone", isTaken);

      // Another user has changed the setting: the control reverts and shows the reason.
      await manage("PATCH", `/products/${productId}`, { expiring_soon_days: 21 });
      await register.press("Space");
      await button("Stop registering").click();
      await page.getByText("Someone else changed this product while you were editing").waitFor();
      await page
        .getByRole("switch", { name: "Register new IP addresses automatically", checked: true })
        .waitFor();
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
      expect(await validate(firstKey)).toMatchObject({
        custom: { plan: "pro", hello: "carla@example.com" },
      });

      // After a new key is created, the old one works until it is revoked.
      await tab("Keys");
      await button("Replace API keys").click();
      await button("Create new key").click();
      const secondKey = await takeSecret();
      expect(secondKey).not.toBe(firstKey);
      for (const key of [firstKey, secondKey]) expect(await validate(key)).toMatchObject({ valid: true });
      await page.getByRole("button", { name: /^Revoke csk_/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("was revoked").waitFor();
      const refused = await apiOf(fixture.url, firstKey).validate({ license_key: license.license_key });
      expect(refused.status).toBe(401);
      expect(await validate(secondKey)).toMatchObject({ valid: true });
      expect(await violationsOf(page)).toEqual([]);

      // Archiving offers to stop sales only, and explains the effect of each choice.
      await tab("Danger zone");
      await button("Archive…").click();
      const archive = page.getByRole("dialog", { name: "Archive Aurora?" });
      await archive.getByText("1 license keeps working.").waitFor();
      await archive.getByLabel("Archive", { exact: true }).click();
      await archive.getByText("1 license will be rejected from the next request on.").waitFor();
      await archive.getByLabel("Stop selling", { exact: true }).click();
      await archive.getByRole("button", { name: "Stop selling" }).click();
      await page.getByText("Active, not for sale").waitFor();
      // The page shows it before the server has saved it.
      await until("it is saved", async () => (await manage("GET", `/products/${productId}`)).closed_for_sale);
      expect(await validate(secondKey)).toMatchObject({ valid: true });
      await expect(
        manage("POST", `/products/${productId}/licenses`, { customer_email: "dora@example.com" }),
      ).rejects.toThrow("closed for sale");
      expect(await violationsOf(page)).toEqual([]);
      await button("Archive…").click();
      await archive.getByText("1 license will be rejected from the next request on.").waitFor();
      await archive.getByRole("button", { name: "Archive product" }).click();
      await page.getByText("Aurora is archived").waitFor();
      expect(await validate(secondKey)).toMatchObject({ valid: false, status: "product_archived" });
      expect(troubles).toEqual([]);
    }, 180_000);

    test("refused input is kept with the reason, a preview uses the chosen license, and a new signing secret takes effect later", async () => {
      const { fixture, owner, slug, manage } = dashboard;
      const created = await manage("POST", `/organizations/${dashboard.organizationId}/products`, {
        name: "Borealis",
        custom_response: { to: "{{customer.email}}" },
      });
      const license = await manage("POST", `/products/${created.id}/licenses`, {
        customer_email: "carla@example.com",
      });
      const page = await dashboard.pageFor(owner);
      const path = `${fixture.url}/o/${slug}/products/${created.id}`;
      await page.goto(path);
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
      expect(await manage("GET", `/products/${created.id}`)).toMatchObject({
        name: "Borealis 2",
        expiring_soon_days: 10,
      });

      await page.goto(`${path}/custom-response`);
      await page.getByRole("combobox", { name: "Preview with" }).click();
      await page.getByRole("option", { name: license.license_key }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("option", { name: license.license_key }).click();
      await page.getByRole("region", { name: "Preview" }).getByText('"to": "carla@example.com"').waitFor();
      expect(page.url()).toEndWith(`?license=${license.id}`);

      await page.goto(`${path}/keys`);
      await page.getByRole("button", { name: "New signing secret" }).click();
      await page.getByRole("dialog").getByRole("button").last().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button").last().click();
      await page.getByText("in 7 days").or(page.getByText("next week")).waitFor();
      expect(await page.getByText(/^[0-9a-f]{64}$/).count()).toBe(2);
    }, 180_000);

    test("API keys are added with a name, renamed, reported when unused, and revoked", async () => {
      const { fixture, owner, slug, manage } = dashboard;
      const product = await manage("POST", `/organizations/${dashboard.organizationId}/products`, {
        name: "Keyring",
      });
      const page = await dashboard.pageFor(owner);
      const troubles = pageErrorsOf(page);
      await page.goto(`${fixture.url}/o/${slug}/products/${product.id}/keys`);
      await page.getByRole("button", { name: "Add API key" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Shop server");
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Add key" }).click();
      await page.getByRole("dialog").locator("pre").getByText(/^csk_/).waitFor();
      await page.getByLabel("I've saved it somewhere safe").check();
      await page.getByRole("button", { name: "Continue", exact: true }).click();
      await page.getByRole("cell", { name: "Shop server" }).waitFor();
      await page
        .getByRole("button", { name: /^Rename csk_/ })
        .last()
        .click();
      await page.getByRole("textbox", { name: "Name" }).fill("Web shop");
      await page.getByRole("button", { name: "Save name" }).click();
      await page.getByRole("cell", { name: "Web shop" }).waitFor();
      await manage("POST", `/products/${product.id}/api-keys`, { name: "Old build server" });
      await dashboard.fixture.store.transaction((db) =>
        db
          .updateTable("product_api_keys")
          .set({ created_at: Date.now() - 40 * 86_400_000 })
          .where("name", "=", "Old build server")
          .execute(),
      );
      await page.reload();
      await page.getByText("1 API key has not been used for 30 days").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `tests/artifacts/api-keys-${width}.png`, fullPage: true });
      }
      await page
        .getByRole("button", { name: /^Revoke csk_/ })
        .first()
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await until("the key is revoked", async () => {
        const { api_keys: keys } = await manage("GET", `/products/${product.id}`);
        return keys.length === 2;
      });
      expect(troubles).toEqual([]);
    }, 180_000);

    test("what customers can do in the portal is explained, asked about and saved", async () => {
      const { fixture, owner, slug, manage } = dashboard;
      const { id } = await manage("POST", `/organizations/${dashboard.organizationId}/products`, {
        name: "Portal product",
      });
      const page = await dashboard.pageFor(owner);
      const troubles = pageErrorsOf(page);
      const saved = () => manage("GET", `/products/${id}`);
      await page.goto(`${fixture.url}/o/${slug}/products/${id}/portal`);
      const removals = page.getByRole("textbox", {
        name: "IP addresses a customer can remove within 30 days",
      });
      expect(await describedBy(removals)).toContain("a customer with 3 IP addresses can remove two of them");
      await removals.fill("2");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: IP addresses a customer can remove within 30 days").waitFor();

      const renewal = page.getByRole("textbox", { name: "Renewal page" });
      await renewal.fill("javascript:alert(1)");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Enter a URL that starts with https:// or http://.").waitFor();
      await renewal.fill("https://example.com/renew");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: Renewal page").waitFor();

      // What customers notice at once is asked about first.
      const days = page.getByRole("textbox", { name: "Waiting period for automatic transfers" });
      expect(await describedBy(days)).toContain("No effect right now: transfers are off.");
      await page.getByRole("combobox", { name: "License transfers" }).selectOption("automatic");
      await page.getByRole("dialog", { name: "Approve transfers automatically?" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Approve automatically" }).click();
      await page.getByText("Saved: License transfers").waitFor();
      expect(await describedBy(days)).not.toContain("No effect");
      await page.getByRole("switch", { name: "Replace the key on transfer" }).press("Space");
      await page.getByText("previous owners can keep using a license").waitFor();
      await page.getByRole("switch", { name: "Show in the customer portal" }).press("Space");
      await page.getByRole("button", { name: "Hide from portal" }).click();
      await page.getByText("Saved: Show in the customer portal").waitFor();
      expect(await describedBy(removals)).toContain(
        "No effect right now: this product is not in the portal.",
      );
      expect(await violationsOf(page)).toEqual([]);
      expect(await saved()).toMatchObject({
        portal_enabled: false,
        portal_ip_removals_per_30_days: 2,
        renewal_url: "https://example.com/renew",
        transfers: "automatic",
        transfer_rotates_key: false,
      });
      await renewal.fill("");
      await page.getByRole("button", { name: "Save" }).click();
      await until("the renewal page is removed", async () => (await saved()).renewal_url === null);

      // The audit log names the settings and their values.
      await page.goto(`${fixture.url}/o/${slug}/audit-log?subject_id=${id}`);
      const row = page.getByRole("row").filter({ hasText: "replace the key on transfer" });
      await row.getByText("off").waitFor();
      await page
        .getByRole("row")
        .filter({ hasText: /license transfers.*automatic/ })
        .waitFor();
      expect(troubles.filter((trouble) => !trouble.includes("422"))).toEqual([]);
      await page.context().close();
    }, 180_000);

    test("downloads are added, edited, moved by keyboard and removed, and no one's change is lost", async () => {
      const { fixture, owner, slug, manage } = dashboard;
      const { id } = await manage("POST", `/organizations/${dashboard.organizationId}/products`, {
        name: "Downloads product",
      });
      const path = `/products/${id}/downloads`;
      const titles = async () =>
        (await manage("GET", path)).data.map(({ title }: { title: string }) => title).join(", ");
      const page = await dashboard.pageFor(owner);
      await page.goto(`${fixture.url}/o/${slug}/products/${id}/portal`);
      const dialog = page.getByRole("dialog", { name: /download$/ });
      const add = () => page.getByRole("button", { name: "Add download" }).first().click();
      const fill = (label: string, text: string) => dialog.getByLabel(label).fill(text);
      await add();
      await fill("Title", "Windows");
      await fill("URL", "ftp://example.com/setup.exe");
      await fill("Minimum version", "two");
      await dialog.getByText("Enter a version such as 2.1.0.").waitFor();
      await fill("Minimum version", "2.0.0");
      await dialog.getByRole("button", { name: "Add download" }).click();
      await dialog.getByText("Enter a URL that starts with https:// or http://.").waitFor();
      const url = dialog.getByLabel("URL");
      await until("the invalid field has the focus", () =>
        url.evaluate((field) => field === field.ownerDocument.activeElement),
      );
      expect(await violationsOf(page)).toEqual([]);
      await url.fill("https://example.com/setup.exe");
      await dialog.getByRole("button", { name: "Add download" }).click();
      await page.getByText("“Windows” added").waitFor();
      for (const title of ["Linux", "Handbook"]) {
        await add();
        await fill("Title", title);
        await fill("URL", `https://example.com/${title}`);
        await dialog.getByRole("button", { name: "Add download" }).click();
        await page.getByText(`“${title}” added`).waitFor();
      }
      expect(await titles()).toBe("Windows, Linux, Handbook");

      // The key can be pressed again, because the focus moves with the download.
      await page.getByRole("button", { name: "Move “Handbook” up" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("“Handbook” is now number 2 of 3.").waitFor();
      await page.keyboard.press("Enter");
      await page.getByText("“Handbook” is now number 1 of 3.").waitFor();
      await until("both moves are saved", async () => (await titles()) === "Handbook, Windows, Linux");
      const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')");
      expect(focused).toBe("Move “Handbook” down");

      await page.getByRole("button", { name: "Remove “Windows”" }).click();
      await page.getByText("“Windows” removed").waitFor();
      expect(await titles()).toBe("Handbook, Linux");
      await page.getByRole("button", { name: "Undo" }).click();
      await until("it is listed again", async () => (await titles()) === "Handbook, Windows, Linux");

      // Someone else changes the list meanwhile: nothing is lost, and the edit can be saved again.
      await page.getByRole("button", { name: "Edit “Linux”" }).click();
      await fill("Title", "Linux (AppImage)");
      const { data } = await manage("GET", path);
      const bodies = data.map(({ id: _, ...download }: { id: string }) => download);
      await manage("PUT", path, { data: bodies.toReversed() });
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Someone else changed the downloads in the meantime").waitFor();
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("“Linux (AppImage)” saved").waitFor();
      expect(await titles()).toBe("Linux (AppImage), Windows, Handbook");

      // What was typed is not lost by accident.
      await page.getByRole("button", { name: "Edit “Windows”" }).click();
      await fill("Title", "Windows 11");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Discard changes?" }).waitFor();
      await page.getByRole("button", { name: "Discard" }).click();
      expect(await violationsOf(page)).toEqual([]);
      await page.context().close();
    }, 180_000);

    test("a concurrent change to the list of versions is not overwritten", async () => {
      const { fixture, owner, slug, manage, productId } = dashboard;
      const path = `/products/${productId}/versions`;
      await manage("POST", path, { version: "1.0.0" });
      const page = await dashboard.pageFor(owner);
      await page.goto(`${fixture.url}/o/${slug}${path}`);
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
    }, 180_000);
  });

/** The accessible description of a control. */
async function describedBy(control: Locator): Promise<string> {
  const ids = ((await control.getAttribute("aria-describedby")) ?? "").split(" ");
  const texts = ids.map((id) => control.page().locator(`[id="${id}"]`).textContent());
  return (await Promise.all(texts)).join(" ");
}
