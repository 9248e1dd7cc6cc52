import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserTests, openPage, phone, violationsOf } from "../support/chromium.ts";
import { buildDocs } from "../support/docs.ts";
import { openServer } from "../support/test-server.ts";

/** Each test also fails if a page violates its policy or asks another host. */
browserTests("the documentation", (make) => {
  let url: string;
  beforeAll(async () => {
    buildDocs();
    url = (await openServer(make)).url;
  });

  test("its pages are readable on a phone in the dark, and on a desktop", async () => {
    for (const look of [phone, {}]) {
      const page = await openPage(look);
      for (const path of [
        "/docs/",
        "/docs/operating/",
        "/docs/operating/settings",
        "/docs/concepts/custom-responses",
      ]) {
        await page.goto(url + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect([path, await isWide(page)]).toEqual([path, false]);
        // Of VitePress: the shortcut on the button is not part of its name.
        const violations = (await violationsOf(page, { shell: true })).filter(
          (line) => !/^label-content-name-mismatch: <button[^|]*DocSearch-Button[^|]*$/.test(line),
        );
        expect([path, violations]).toEqual([path, []]);
      }
    }
  });

  test("the search finds a page, and a link leads there without loading the site again", async () => {
    const page = await openPage();
    await page.goto(`${url}/docs/`);
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("litestream");
    await page.getByRole("option").filter({ hasText: "Backups" }).first().click();
    await page.getByRole("heading", { name: "Backups", level: 1 }).waitFor();
    expect(page.url()).toStartWith(`${url}/docs/operating/backups`);
  });

  test("the theme can be switched, and stays", async () => {
    const page = await openPage();
    await page.goto(`${url}/docs/`);
    const isDark = () => page.evaluate<boolean>("document.documentElement.classList.contains('dark')");
    expect(await isDark()).toBe(false);
    await page.getByRole("switch").first().click();
    expect(await isDark()).toBe(true);
    await page.reload();
    expect(await isDark()).toBe(true);
  });

  test("the API reference shows an operation of this server, also from a link within the site", async () => {
    const page = await openPage();
    await page.goto(`${url}/docs/reference/`);
    await page.getByRole("main").getByRole("link", { name: "API reference" }).first().click();
    await page.getByText("/api/v1/validate").first().waitFor();
    expect(await page.getByRole("button", { name: /test request|^ask ai/i }).count()).toBe(0);
    expect(await isWide(page)).toBe(false);
  });

  test("a page that does not exist is the site's own", async () => {
    const page = await openPage();
    const answer = await page.goto(`${url}/docs/nothing`);
    expect(answer?.status()).toBe(404);
    await page.getByText("PAGE NOT FOUND").waitFor();
  });
});

function isWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
}
