import { beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Response } from "playwright-core";
import { openContext } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { createExamples, type Examples, pages } from "./page-list.ts";

const mostKilobytes = 300;
/** Translations that are loaded after the page is idle. */
const loadedLater = /\/assets\/(rest|en|de|es)-[^/]+\.js$/;
const first = ["identity /sign-in", "overview /", "licenses /licenses", "licenses /licenses/$licenseId"];

dashboardTests("the first visit", (dashboard) => {
  let examples: Examples;
  beforeAll(async () => {
    examples = await createExamples(dashboard);
  });

  test.each(first)(`%s needs at most ${mostKilobytes} kB of gzipped script`, async (name) => {
    const { where, isOutside = false } = pages[name] ?? {};
    const page = isOutside ? await (await openContext()).newPage() : await dashboard.pageFor(dashboard.owner);
    const scripts: Promise<number>[] = [];
    const count = (response: Response) => {
      if (!response.headers()["content-type"]?.startsWith("text/javascript")) return;
      if (loadedLater.test(response.url())) return;
      scripts.push(response.body().then((body) => gzipSync(body).length));
      expect(response.headers()["cache-control"]).toContain("immutable");
    };
    page.on("response", count);
    await page.goto(dashboard.fixture.url + (where?.(examples) ?? ""), { waitUntil: "networkidle" });
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    // What is loaded from now on would have no body once the page is closed.
    page.off("response", count);
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(mostKilobytes * 1_000);
  });
});
