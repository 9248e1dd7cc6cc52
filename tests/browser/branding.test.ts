import { expect, test } from "bun:test";
import type { Locator, Page, Request } from "playwright-core";
import { expectErrors, openPage, phone, saveScreenshot, violationsOf } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { hostileSvg, pngFile, svgFile } from "../support/logo-files.ts";
import { until } from "../support/until.ts";

dashboardTests("branding of the customer portal", (dashboard) => {
  const open = async (page: Page) => {
    await page.goto(`${dashboard.home}/settings/portal`);
    await page.getByRole("heading", { name: "Branding" }).waitFor();
    return {
      page,
      save: page.getByRole("button", { name: "Save" }),
      preview: page.getByRole("img", { name: /^Preview of the portal/ }),
      field: (name: string) => page.getByRole("textbox", { name, exact: true }),
    };
  };
  const path = () => `/organizations/${dashboard.organizationId}/branding`;
  const stored = () => dashboard.manage("GET", path());

  test("branding is edited with a live preview, refused with a reason, saved, and still there after a reload", async () => {
    const { page, save, preview, field } = await open(await dashboard.page(phone));
    // The preview follows every keystroke.
    await field("Name for customers").fill("Aurora <b>Audio</b>");
    expect(await preview.textContent()).toContain("Aurora <b>Audio</b>");
    expect(await preview.locator("b").count()).toBe(0);
    await field("Support email").fill("help@example.com");
    expect(await preview.textContent()).toContain("help@example.com");

    // A color without enough contrast is refused before it is sent, and the darker one is one click away.
    const color = field("Accent color");
    await color.fill("#ffcc00");
    await page.getByText("White text on this color would be hard to read.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await save.click();
    expect(await color.evaluate((element) => element.matches(":focus"))).toBe(true);
    expect((await stored()).display_name).toBeNull();
    const suggestion = page.getByRole("button", { name: /^Use #/ });
    const suggested = (await suggestion.textContent())?.slice("Use ".length) ?? "";
    await suggestion.click();
    expect(await color.inputValue()).toBe(suggested);
    await page.getByText(/^Contrast with white: 4\.5 to 1/).waitFor();
    expect(await page.getByLabel("Pick an accent color").inputValue()).toBe(suggested);

    // The portal's language is that of the preview, not that of the dashboard.
    await page.getByRole("combobox", { name: "Language" }).click();
    await page.getByRole("option", { name: "Deutsch", exact: true }).click();
    await preview.getByText("Code senden").waitFor();

    await page.getByRole("button", { name: "Add link" }).click();
    await field("Title of link 1").fill("Manual");
    await field("URL of link 1").fill("https://example.com/manual");
    await field("Support page").fill("ftp://example.com");
    await save.click();
    await page.getByText("Enter a URL that starts with https:// or http://.").waitFor();
    await field("Support page").fill("https://example.com/help");
    await save.click();
    await page.getByText("Saved.").waitFor();
    expect(await stored()).toMatchObject({
      display_name: "Aurora <b>Audio</b>",
      accent_color: suggested,
      support_email: "help@example.com",
      support_url: "https://example.com/help",
      links: [{ title: "Manual", url: "https://example.com/manual" }],
      locale: "de",
    });
    expect(await save.isDisabled()).toBe(true);
    await page.reload();
    await preview.getByText("Manual").waitFor();
    expect(await color.inputValue()).toBe(suggested);
    for (const theme of ["Light", "Dark"]) {
      await page.getByText(theme, { exact: true }).first().click();
      expect(await violationsOf(page)).toEqual([]);
      await saveScreenshot(page, `branding-preview-${theme.toLowerCase()}`);
    }
  });

  test("a logo is dropped, shown, replaced and removed, and a bad file is refused with a reason", async () => {
    const { page, save, preview, field } = await open(await dashboard.page());
    const inPreview = preview.locator("img");
    // Typed text survives an upload.
    await field("Name for customers").fill("Aurora");
    await dropFile(page, page.getByText("No logo yet"), svgFile(), "logo.svg");
    await page.getByText("Logo saved.").waitFor();
    await shows(page.getByRole("img", { name: "Your logo" }));
    await shows(inPreview);
    const first = await inPreview.getAttribute("src");
    expect(first).toEndWith(".svg");
    expect(await field("Name for customers").inputValue()).toBe("Aurora");

    await choose(page, "<html><script>alert(1)</script></html>", "logo.svg");
    await page.getByRole("alert").filter({ hasText: "Choose a PNG, JPEG, WebP or SVG file." }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await choose(page, Buffer.alloc(300 * 1024), "logo.png");
    await page.getByRole("alert").filter({ hasText: "of at most 256 KiB" }).waitFor();
    expect(await inPreview.getAttribute("src")).toBe(first);

    await choose(page, pngFile({ width: 64, height: 32 }), "logo.png");
    await page.locator(`img[src="${first}"]`).first().waitFor({ state: "detached" });
    await shows(inPreview);
    expect(await page.getByText("of at most 256 KiB").count()).toBe(0);
    // Saving the form after uploads is not a conflict.
    await save.click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove logo" }).click();
    await page.getByText("No logo yet").waitFor();
    expect((await stored()).logo_url).toBeNull();
  });

  test("branding that someone else saved meanwhile is not overwritten", async () => {
    const { page, save, field } = await open(await dashboard.page());
    await field("Name for customers").fill("Mine");
    await dashboard.manage("PATCH", path(), { display_name: "Theirs", support_email: "new@example.com" });
    await save.click();
    await page.getByRole("button", { name: "Load latest and keep my edits" }).click();
    await page.getByText("Loaded. Your edits are still here").waitFor();
    expect(await field("Name for customers").inputValue()).toBe("Mine");
    expect(await field("Support email").inputValue()).toBe("new@example.com");
    await save.click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ display_name: "Mine", support_email: "new@example.com" });
  });

  test("a branding page that cannot be loaded says so and tries again on request", async () => {
    expectErrors();
    const page = await dashboard.page(phone);
    await page.route("**/api/manage/**/branding", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.goto(`${dashboard.home}/settings/portal`);
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute("**/api/manage/**/branding");
    await retry.click();
    await page.getByRole("heading", { name: "Branding" }).waitFor();
  });

  test("a hostile SVG file runs nothing and loads nothing, opened directly or shown as a picture", async () => {
    expectErrors();
    const { fixture } = dashboard;
    const { page } = await open(await dashboard.page());
    await choose(page, hostileSvg, "logo.svg");
    await page.getByText("Logo saved.").waitFor();
    const { logo_url } = await stored();
    await opensQuietly(page, fixture.url + logo_url);

    // Shown as a picture, on a page where a script could run.
    await page.goto(`${dashboard.home}/settings/portal`);
    await shows(page.getByAltText("Your logo").first());
    expect(await page.title()).not.toBe("ran");

    // The same file with no policy does run: the test would notice.
    const free = await openPage();
    await free.route("**/free.svg", (route) =>
      route.fulfill({ contentType: "image/svg+xml", body: hostileSvg }),
    );
    await free.goto(`${fixture.url}/free.svg`);
    await free.waitForFunction("document.title === 'ran'");
  });

  test("members without the permission see the branding and cannot change it", async () => {
    await dashboard.manage("PATCH", path(), { display_name: "Aurora", support_email: "help@example.com" });
    const { page, save } = await open(await dashboard.pageFor(await dashboard.addMember(["licenses:view"])));
    await page.getByText("Members who manage the organization can change this.").waitFor();
    expect(await page.getByRole("main").getByText("help@example.com").first().isVisible()).toBe(true);
    expect(await page.getByRole("textbox").count()).toBe(0);
    expect(await save.count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});

/** Opens a file as a page: neither a script nor an event handler of it runs, and it loads nothing. */
async function opensQuietly(page: Page, url: string): Promise<void> {
  const loaded = new Set<string>();
  const note = (request: Request) => loaded.add(request.url());
  // What the policy blocks is never sent.
  const forget = (request: Request) => request.failure()?.errorText === "csp" && loaded.delete(request.url());
  page.on("request", note);
  page.on("requestfailed", forget);
  const response = await page.goto(url);
  expect(response?.headers()["content-type"]).toBe("image/svg+xml");
  await page.mouse.move(100, 100);
  await page.mouse.click(200, 200);
  await page.waitForLoadState("networkidle");
  expect(await page.title()).not.toBe("ran");
  expect(page.url()).toBe(url);
  expect([...loaded].filter((one) => one !== url && !one.endsWith("/favicon.ico"))).toEqual([]);
  page.off("request", note);
  page.off("requestfailed", forget);
}

async function shows(image: Locator): Promise<void> {
  await image.waitFor();
  const width = () => image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth);
  await until("the image is loaded", async () => (await width()) > 0);
}

async function choose(page: Page, content: string | Buffer, name: string): Promise<void> {
  const mimeType = name.endsWith(".png") ? "image/png" : "image/svg+xml";
  await page.locator('input[type="file"]').setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
}

async function dropFile(page: Page, target: Locator, text: string, fileName: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ content, title }) => {
      const { DataTransfer } = globalThis as unknown as {
        DataTransfer: new () => { items: { add(file: File): void } };
      };
      const data = new DataTransfer();
      data.items.add(new File([content], title, { type: "image/svg+xml" }));
      return data;
    },
    { content: text, title: fileName },
  );
  await target.dispatchEvent("dragover", { dataTransfer: transfer });
  await target.dispatchEvent("drop", { dataTransfer: transfer });
}
