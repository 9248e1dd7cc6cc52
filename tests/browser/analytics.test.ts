import { expect, test } from "bun:test";
import { looksRight, phone, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";
import { answerAnalytics } from "./analytics-answers.ts";

dashboardTests("analytics", (dashboard) => {
  test("the analytics pages show what the server counted, for the range, product and time zone in the URL", async () => {
    const { fixture, manage, organizationId } = dashboard;
    const carla = { customer_email: "carla@example.com", is_lifetime: true };
    const { license_key: key } = await dashboard.addLicense(carla);
    for (const license_key of [key, key, "no such key"])
      await dashboard.api.validate({ license_key, version: "2.1.0" });
    await until("the validations are counted", async () => {
      const { totals } = await manage("GET", `/organizations/${organizationId}/analytics`);
      return totals.validations === 3;
    });
    const page = await dashboard.page();
    await visit(page, dashboard.home);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Analytics" }).click();
    await page.getByRole("heading", { level: 1, name: "Analytics" }).waitFor();
    await page.getByText("3 in total").waitFor();
    await page.getByRole("combobox", { name: "Product" }).click();
    await page.getByRole("option", { name: "Polaris" }).click();
    await page.waitForURL(/product=/);
    await page.getByRole("slider", { name: "Versions in use" }).waitFor();
    await page.getByRole("button", { name: /^Period \(UTC\)/ }).click();
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await page.waitForURL(/range=24h/);
    await page.getByRole("button", { name: /^Period \(UTC\)/ }).click();
    await page.getByRole("combobox", { name: "Time zone" }).fill("tokyo");
    await page.getByRole("option", { name: "Asia/Tokyo" }).click();
    await page.waitForURL(/zone=/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Period (Asia/Tokyo): Last 24 hours" }).waitFor();
    await page.getByRole("switch", { name: "Compare with the period before" }).click();
    await page.waitForURL(/compare=false/);
    // All of it survives a reload.
    await page.reload();
    const chart = page.getByRole("slider", { name: "Validations by outcome" });
    await chart.focus();
    const words = (await chart.getAttribute("aria-valuetext")) ?? "";
    expect(words).toMatch(/, so far: Total 3, Valid 2, License not found 1$/);
    expect(await page.getByRole("combobox", { name: "Product" }).inputValue()).toBe("Polaris");
    const link = page.getByRole("link", { name: "Download CSV: Validations by outcome" });
    const file = await page.request.get(fixture.url + (await link.getAttribute("href")));
    expect(file.headers()["content-type"]).toContain("text/csv");
  });

  test("the analytics of a busy month can be read and used with the keyboard", async () => {
    const page = await dashboard.page();
    await answerAnalytics(page);
    await page.goto(`${dashboard.home}/products/${dashboard.productId}/analytics`);
    const chart = page.getByRole("slider", { name: "Validations by outcome" });
    await chart.focus();
    const words = () => chart.getAttribute("aria-valuetext");
    await page.keyboard.press("ArrowLeft");
    expect(await words()).toStartWith("Monday, November 16, 2026: Total ");
    await page.keyboard.press("Home");
    expect(await words()).toContain("October 19, 2026: Total ");
    expect(await words()).toContain("Valid 820, Expired 49");
    await page.getByText("Monday, October 19, 2026").waitFor();
    // The same by pointer: it is over the last day.
    const { width: chartWidth } = (await chart.boundingBox()) ?? { width: 0 };
    await chart.hover({ position: { x: chartWidth - 10, y: 100 } });
    await page.getByText(/^Tuesday, November 17, 2026/).waitFor();
    await page.getByText("9,740 km apart within 18 minutes").waitFor();
    // Also what only occurred in the period before.
    const compared = page.getByRole("table", { name: "Outcomes, compared" }).getByRole("row");
    expect(await compared.last().textContent()).toContain("Product disabled");
    const views = page.getByRole("radiogroup", { name: "View of Validations by outcome" });
    await views.getByText("Table").click();
    const rows = page.getByRole("table", { name: "Validations by outcome" }).getByRole("row");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(31);
    expect(await rows.last().textContent()).toContain("October 19, 2026");
    await looksRight(page, "analytics");
    await page.getByRole("button", { name: "Actions for 7KQ4-MZ21" }).click();
    await page.getByRole("menuitem", { name: "Try a lower limit" }).waitFor();
  });

  test("without requests, the analytics page says what to do next", async () => {
    const { slug } = await dashboard.manage("POST", "/organizations", { name: "Fresh start" });
    const page = await dashboard.page();
    // Loaded again, because the list of organizations has changed.
    await page.goto(`${dashboard.fixture.url}/o/${slug}/analytics`);
    await page.getByRole("heading", { name: "No requests in this period" }).waitFor();
    await page.getByRole("link", { name: "Open products" }).waitFor();
  });

  test("a change of a rule is tried against past requests, and leads to the setting", async () => {
    const { manage, productId, home } = dashboard;
    const dora = { customer_email: "dora@example.com", customer_name: "Dora", is_lifetime: true };
    const { license_key } = await dashboard.addLicense(dora);
    for (const ip of ["203.0.113.7", "198.51.100.4"])
      await dashboard.api.validate({ license_key }, { "x-forwarded-for": ip });
    const change = { type: "block_ip", cidr: "203.0.113.0/24" };
    await until("the validations are in the log", async () => {
      const tried = await manage("POST", `/products/${productId}/shadow`, { change });
      return tried.refused.requests === 1;
    });
    const page = await dashboard.page(phone);
    await visit(page, `${home}/products/${productId}`);
    await page.getByRole("link", { name: "Try a change first" }).click();
    await page.getByRole("radio", { name: "Block an IP address or network" }).click();
    const network = page.getByRole("textbox", { name: "IP address or network" });
    await network.fill("somewhere");
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText(/^Enter an IP address or a network/).waitFor();
    await network.fill("203.0.113.0/24");
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("heading", { name: "Would have refused 1 customer" }).waitFor();
    await page.getByRole("cell", { name: "Dora" }).waitFor();
    await looksRight(page, "shadow");
    await page.getByRole("link", { name: "Block it" }).click();
    await page.getByRole("dialog", { name: "Block an IP address" }).waitFor();
  });

  test("the sandbox has a command for every outcome, and its key can be replaced", async () => {
    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/products/${dashboard.productId}/sandbox`);
    const key = page.getByText(/^cskt_/);
    const before = await key.textContent();
    await page.getByRole("button", { name: "Copy the curl command for SANDBOX-REVOKED" }).waitFor();
    await page.getByRole("button", { name: "Replace key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace key" }).click();
    await page.getByText("The test API key was replaced.").waitFor();
    const after = (await key.textContent()) ?? "";
    expect(after).toStartWith("cskt_");
    expect(after).not.toBe(before);
  });
});
