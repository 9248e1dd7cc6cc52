import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { sampleFile } from "../support/import-samples/expected.ts";
import { csvFile } from "../support/license-files.ts";

const rowCount = 2_000;
const badRows = [17, 400, 1_999];

dashboardTests("importing in the dashboard", (dashboard) => {
  let page: Page;
  beforeAll(async () => {
    page = await dashboard.page();
  });

  test("a file is imported, with a manually mapped column and some invalid rows", async () => {
    await visit(page, `${dashboard.home}/licenses/import`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file" }).click();
    await (await chooser).setFiles({ name: "sold.csv", mimeType: "text/csv", buffer: Buffer.from(file()) });

    await page.getByRole("combobox", { name: "Import Bought by as" }).click();
    await page.getByRole("option", { name: "Customer email" }).click();
    await page.getByRole("button", { name: "Check file" }).click();
    const errors = page.getByRole("table", { name: "Rows with errors" });
    for (const row of badRows) {
      const number = page.getByRole("cell", { name: row.toLocaleString("en"), exact: true });
      const line = errors.getByRole("row").filter({ has: number });
      await line.waitFor({ timeout: 60_000 });
      const words = await line.textContent();
      expect(words).toContain("Bought by");
      expect(words).toContain("nobody at all");
    }
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download errors.csv" }).click();
    const saved = await readFile(await (await download).path(), "utf8");
    const [header, first, ...others] = saved.trimEnd().split("\r\n");
    expect(header).toBe("import_row,import_error,Key,Bought by,Name,Seats,Labels");
    expect(first).toMatch(/^17,"?Bought by: .*,SOLD-17,nobody at all,Buyer 17,3,/);
    expect(others).toHaveLength(badRows.length - 1);

    // Observed from before the start, because a fast machine may finish before the page asks for the progress.
    const toLicenses = page.getByRole("link", { name: "Go to licenses" });
    const isSeen = Promise.race([
      page.getByText("You can leave this page; the import continues.").waitFor({ timeout: 60_000 }),
      toLicenses.waitFor({ timeout: 60_000 }),
    ]);
    await page.getByRole("button", { name: "Import 1,997 valid rows" }).click();
    await isSeen;
    await toLicenses.click({ timeout: 60_000 });
    await page.getByText("1,997 licenses").waitFor();
  });

  test("the export of another service is recognized, and its columns are used as its map says", async () => {
    await visit(page, `${dashboard.home}/licenses/import`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file" }).click();
    const buffer = readFileSync(sampleFile("keygen.json"));
    await (await chooser).setFiles({ name: "keygen.json", mimeType: "application/json", buffer });
    const source = page.getByRole("combobox", { name: "Source" });
    await source.waitFor();
    expect(await source.inputValue()).toBe("Keygen");
    const use = (column: string) => page.getByRole("combobox", { name: `Import ${column} as` }).inputValue();
    expect(await use("attributes.key")).toBe("Keygen: License key");
    expect(await use("attributes.status")).toBe("Keygen: Status");
    expect(await use("relationships.owner.data.id")).toBe("Keygen: Customer email");
    expect(await use("relationships.product.data.id")).toBe("Keygen: Must be one product");
    expect(await use("attributes.uses")).toBe("Keygen: Don't import");
    await page.getByRole("combobox", { name: "Import attributes.maxMachines as" }).click();
    await page.getByRole("option", { name: "IP limit" }).click();
    await page.getByLabel("Customer for rows without one").fill("nobody@example.com");
    await page.getByRole("button", { name: "Check file" }).click();
    const errors = page.getByRole("table", { name: "Rows with errors" });
    const line = errors.getByRole("row").filter({ hasText: "PAUSED" });
    await line.waitFor({ timeout: 60_000 });
    expect(await line.textContent()).toContain("attributes.status");
    await page.getByRole("button", { name: "Import 4 valid rows" }).click();
    await page.getByRole("link", { name: "Go to licenses" }).waitFor({ timeout: 60_000 });
    await visit(page, `${dashboard.home}/licenses?q=C1B6DE-39A6E3`);
    await page.getByText("C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3").first().waitFor();
  });

  test("the list of imports shows the file and the product, and an import can be undone", async () => {
    await visit(page, `${dashboard.home}/licenses/import`);
    const finished = page.getByRole("row").filter({ hasText: "Finished" }).filter({ hasNotText: "check" });
    const row = finished.filter({ hasText: "sold.csv" });
    expect(await row.textContent()).toContain("1,997");
    await row.getByRole("link", { name: "sold.csv" }).click();
    await page.getByRole("button", { name: "Undo import" }).click();
    const dialog = page.getByRole("dialog", { name: "Undo this import?" });
    await dialog.getByText("1,997 licenses created by the import will be deleted.").waitFor();
    await dialog.getByRole("button", { name: "Undo import" }).click();
    await page
      .getByText("Licenses deleted: 1,997, restored: 0, left unchanged: 0.")
      .waitFor({ timeout: 60_000 });
    await visit(page, `${dashboard.home}/licenses`);
    await page.getByText("1,997 licenses").waitFor({ state: "detached" });
  });
});

/** Numbered as in a spreadsheet, where the header is row 1. */
function file(): string {
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const row = index + 2;
    const email = badRows.includes(row) ? "nobody at all" : `buyer${row}@example.com`;
    return [`SOLD-${row}`, email, `Buyer ${row}`, 3, "shop; 2026"];
  });
  return csvFile(["Key", "Bought by", "Name", "Seats", "Labels"], ...rows);
}
