import { expect, test } from "bun:test";
import { describedBy, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

dashboardTests("the portal of a product in the dashboard", (dashboard) => {
  test("what customers can do in the portal is explained, asked about and saved", async () => {
    const { manage, organizationId } = dashboard;
    const products = `/organizations/${organizationId}/products`;
    const { id } = await manage("POST", products, { name: "Portal product" });
    const page = await dashboard.page();
    const saved = () => manage("GET", `/products/${id}`);
    const save = page.getByRole("button", { name: "Save" });
    await visit(page, `${dashboard.home}/products/${id}/portal`);
    const removedByCustomers = "IP addresses a customer can remove within 30 days";
    const removals = page.getByRole("textbox", { name: removedByCustomers });
    expect(await describedBy(removals)).toContain("a customer with 3 IP addresses can remove two of them");
    await removals.fill("2");
    await save.click();
    await page.getByText(`Saved: ${removedByCustomers}`).waitFor();

    const renewal = page.getByRole("textbox", { name: "Renewal page" });
    await renewal.fill("javascript:alert(1)");
    await save.click();
    await page.getByText("Enter a URL that starts with https:// or http://.").waitFor();
    await renewal.fill("https://example.com/renew");
    await save.click();
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
    expect(await describedBy(removals)).toContain("No effect right now: this product is not in the portal.");
    expect(await violationsOf(page)).toEqual([]);
    expect(await saved()).toMatchObject({
      portal_enabled: false,
      portal_ip_removals_per_30_days: 2,
      renewal_url: "https://example.com/renew",
      transfers: "automatic",
      transfer_rotates_key: false,
    });
    await renewal.fill("");
    await save.click();
    await until("the renewal page is removed", async () => (await saved()).renewal_url === null);

    // The audit log names the settings and their values.
    await visit(page, `${dashboard.home}/audit-log?subject_id=${id}`);
    const row = (hasText: string | RegExp) => page.getByRole("row").filter({ hasText });
    await row("replace the key on transfer").getByText("off").waitFor();
    await row(/license transfers.*automatic/).waitFor();
    // It shows only what was chosen.
    expect(await row("Polaris").count()).toBe(0);
  });

  test("downloads are added, edited, moved by keyboard and removed, and no one's change is lost", async () => {
    const { manage, organizationId } = dashboard;
    const products = `/organizations/${organizationId}/products`;
    const { id } = await manage("POST", products, { name: "Downloads product" });
    const path = `/products/${id}/downloads`;
    const titles = async () =>
      (await manage("GET", path)).data.map(({ title }: { title: string }) => title).join(", ");
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/products/${id}/portal`);
    const dialog = page.getByRole("dialog", { name: /download$/ });
    const add = () => page.getByRole("button", { name: "Add download" }).first().click();
    const fill = (label: string, text: string) => dialog.getByLabel(label).fill(text);
    const submit = () => dialog.getByRole("button", { name: "Add download" }).click();
    await add();
    await fill("Title", "Windows");
    await fill("URL", "ftp://example.com/setup.exe");
    await fill("Minimum version", "two");
    await dialog.getByText("Enter a version such as 2.1.0.").waitFor();
    await fill("Minimum version", "2.0.0");
    await submit();
    await dialog.getByText("Enter a URL that starts with https:// or http://.").waitFor();
    const url = dialog.getByLabel("URL");
    await until("the invalid field has the focus", () =>
      url.evaluate((field) => field === field.ownerDocument.activeElement),
    );
    expect(await violationsOf(page)).toEqual([]);
    await url.fill("https://example.com/setup.exe");
    await submit();
    await page.getByText("“Windows” added").waitFor();
    for (const title of ["Linux", "Handbook"]) {
      await add();
      await fill("Title", title);
      await fill("URL", `https://example.com/${title}`);
      await submit();
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
  });
});
