import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const candidates = [
  process.env.CHROMIUM ?? "",
  // The headless shell uses a fifth less processor time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Null if there is none. */
export const chromiumPath = candidates.find((candidate) => candidate !== "" && existsSync(candidate)) ?? null;

export const howToGetChromium =
  "it needs Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM to where it is.";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Screenshots, for people to look at. Not committed. */
const artifacts = join(import.meta.dir, "..", "artifacts");

let running: Promise<Browser> | null = null;

/** One browser for all tests of a file. Each user has a separate context. */
export async function openContext(
  options: { readonly scheme?: "light" | "dark"; readonly width?: number } = {},
): Promise<BrowserContext> {
  running ??= chromium.launch({
    executablePath: chromiumPath ?? "",
    // One process and some threads fewer use less processor time.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--in-process-gpu",
      "--num-raster-threads=1",
      "--disable-lcd-text",
    ],
  });
  const context = await (await running).newContext({
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: options.scheme ?? "light",
    locale: "en-US",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(30_000);
  return context;
}

export async function closeChromium(): Promise<void> {
  await (await running)?.close();
  running = null;
}

/** Problems of a page that are not visible: uncaught errors and content security policy violations. */
export function pageErrorsOf(page: Page): string[] {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) troubles.push(message.text());
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") troubles.push(`asked ${request.url()}`);
  });
  return troubles;
}

/** The axe violations of the current page, one per line, for the given rules or for all. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await settled(page);
  // Injected as an extension would, because the page's policy allows no inline script.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (runOnly) =>
      (
        globalThis as unknown as {
          axe: {
            run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
          };
        }
      ).axe.run({
        resultTypes: ["violations"],
        preload: false,
        ...(runOnly === undefined ? {} : { runOnly }),
      }),
    rules,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
  );
}

/** Changes the system theme under an open page. Returns when the page has changed and no colour is in transition. */
export async function changeScheme(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction((wanted) => {
    const { document } = globalThis as unknown as InBrowser;
    return document.querySelector("html")?.getAttribute("data-mantine-color-scheme") === wanted;
  }, scheme);
  await settled(page);
}

/** Finishes all animations and transitions that end, because waiting for them would take a third of a second. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { document } = globalThis as unknown as InBrowser;
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  });
}

/**
 * Navigates as a link on the page would, which is much faster than a reload of the dashboard. An empty page does load
 * it. Returns when the page or its title has changed.
 */
export async function visit(page: Page, url: string): Promise<void> {
  if (page.url() === "about:blank") {
    await page.goto(url);
    return;
  }
  await page.evaluate((to) => {
    const { document, history } = globalThis as unknown as InBrowser;
    document.querySelector("h1")?.setAttribute("data-left", document.title);
    history.pushState({}, "", to);
  }, url);
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as InBrowser;
    const heading = document.querySelector("h1");
    return heading !== null && heading.getAttribute("data-left") !== document.title;
  });
}

/** The parts of a page's global scope that are used here. */
interface InBrowser {
  readonly document: {
    readonly title: string;
    getAnimations(): {
      finish(): void;
      readonly effect: { getComputedTiming(): { readonly endTime: number } } | null;
    }[];
    querySelector(selector: string): {
      getAttribute(name: string): string | null;
      setAttribute(name: string, value: string): void;
    } | null;
  };
  readonly history: { pushState(state: object, unused: string, url: string): void };
}

/** For people to look at. In CI nobody does, and two hundred screenshots take a while. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.CI === "true") return;
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.jpg`), type: "jpeg", quality: 85, fullPage: true });
}
