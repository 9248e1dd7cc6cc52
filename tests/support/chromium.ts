import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const candidates = [
  process.env.CHROMIUM ?? "",
  // The same without windows: it takes a fifth less of the processor.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Null where there is none. */
export const chromiumPath = candidates.find((candidate) => candidate !== "" && existsSync(candidate)) ?? null;

export const howToGetChromium =
  "it needs Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM to where it is.";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Pictures of what was seen, for whoever wants to look. Not committed. */
const artifacts = join(import.meta.dir, "..", "artifacts");

let running: Promise<Browser> | null = null;

/** One browser for all tests of a file; each person in it has a context of their own. */
export async function openContext(
  options: { readonly scheme?: "light" | "dark"; readonly width?: number } = {},
): Promise<BrowserContext> {
  running ??= chromium.launch({
    executablePath: chromiumPath ?? "",
    // In one process less, and with fewer threads, it takes less of the processor.
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

/** What went wrong on a page that nobody should see: uncaught errors, and what the page's policy refused. */
export function troublesOf(page: Page): string[] {
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

/** What axe has against the page as it is now, one line each; by the rules named, or by all. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await settled(page);
  // As an extension would put it there: the page's own policy lets no script in.
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

/** As if the system changed it under an open page; returns when the page has noticed, and no colour is on its way. */
export async function changeScheme(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction((wanted) => {
    const { document } = globalThis as unknown as InBrowser;
    return document.querySelector("html")?.getAttribute("data-mantine-color-scheme") === wanted;
  }, scheme);
  await settled(page);
}

/** Ends what moves or changes its colour on the page, but what does so for ever: waiting would take a third of a second. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { document } = globalThis as unknown as InBrowser;
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  });
}

/**
 * Goes to an address as a link on the page would, which takes a fraction of what it takes to load the dashboard anew.
 * A page that shows nothing yet does load it. Returns when another page, or another title, is there.
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

/** What of a page's own world is used here. */
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

/** For people to look at. Where a machine runs the tests, nobody does, and two hundred of them take a while. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.CI === "true") return;
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.jpg`), type: "jpeg", quality: 85, fullPage: true });
}
