import { beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { openColdPage } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { createExamples } from "./examples.ts";

const maxKilobytes = 300;
/** Translations that are loaded after the page is idle. */
const loadedLater = /\/assets\/(rest|en|de|es)-[^/]+\.js$/;

dashboardTests("first visits", (dashboard) => {
  // A license that has been used: what is further down its page is loaded once it is near.
  let licenseId: string;
  beforeAll(async () => {
    licenseId = (await createExamples(dashboard)).licenses;
  });

  test.each([
    "/sign-in",
    "/o/$organization",
    "/o/$organization/licenses",
    "/o/$organization/licenses/$licenseId",
  ])(`the first visit to %s loads at most ${maxKilobytes} kB of gzipped script`, async (path) => {
    const { owner, slug } = dashboard;
    const server = dashboard.fixture.url;
    const page = await openColdPage();
    const cookies = [...owner.browser.cookies].map(([name, value]) => ({ name, value, url: server }));
    if (path !== "/sign-in") await page.context().addCookies(cookies);
    const url = server + path.replace("$organization", slug).replace("$licenseId", licenseId);
    const bytes = await bytesOfScripts(page, url);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(maxKilobytes * 1_000);
  });
});

async function bytesOfScripts(page: Page, url: string): Promise<number> {
  const scripts: Promise<number>[] = [];
  const count = (response: Response) => {
    if (!response.headers()["content-type"]?.startsWith("text/javascript")) return;
    if (loadedLater.test(response.url())) return;
    scripts.push(response.body().then((body) => gzipSync(body).length));
    expect(response.headers()["cache-control"]).toContain("immutable");
  };
  page.on("response", count);
  await page.goto(url, { waitUntil: "networkidle" });
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  // What is loaded from now on would have no body once the page has left.
  page.off("response", count);
  return (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
}
