import { afterAll, afterEach, beforeEach, describe, expect, setDefaultTimeout } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { on, type TestedDatabase } from "./databases.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { skipWithReason } from "./skip.ts";

const candidates = [
  process.env.CHROMIUM ?? "",
  // The headless shell uses a fifth less processor time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export const chromiumPath = candidates.find((candidate) => candidate !== "" && existsSync(candidate));

/**
 * Tests in a browser, which are skipped where there is none. Each fails if one of its pages has an error that people do
 * not see. The dashboard and the portal are the same on both databases.
 */
export function browserTests(title: string, tests: (make: TestedDatabase["make"]) => void): void {
  if (chromiumPath === undefined) {
    const how = "Install it (on Debian: apt-get install chromium), or set CHROMIUM to where it is.";
    skipWithReason(title, `it needs Chromium. ${how}`);
    return;
  }
  setDefaultTimeout(180_000);
  describe.each(on("sqlite"))(`${title}, on $kind`, ({ make }) => {
    beforeEach(() => {
      isInTest = true;
    });
    afterEach(async () => {
      isInTest = false;
      const found = areErrorsExpected ? [] : errors;
      await handBackPages("test");
      errors = [];
      areErrorsExpected = false;
      expect(found).toEqual([]);
    });
    tests(make);
    afterAll(() => handBackPages("file"));
  });
}

let errors: string[] = [];
let areErrorsExpected = false;

/** For a test that makes a page fail. */
export function expectErrors(): void {
  areErrorsExpected = true;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Screenshots, for people to look at. Not committed. */
const artifacts = join(import.meta.dir, "..", "artifacts");

let running: Promise<Browser> | null = null;

/** A page that is used until the end of the test or file that opened it. */
interface OpenedPage {
  readonly page: Page;
  until: "test" | "file";
}

let opened: OpenedPage[] = [];
/** Pages that nobody uses, signed out. Their caches and compiled scripts save most of the time of a page load. */
const idle: Page[] = [];
let isInTest = false;

/**
 * A page on which nobody is signed in, for the rest of the test, or of the file if it is opened before the first test.
 * Each has its own cookies. It may have been used before, so it is not empty: `visit` and `goto` load the page.
 */
export async function openPage(look: Look = {}): Promise<Page> {
  const page = idle.pop() ?? (await newPage());
  opened.push({ page, until: isInTest ? "test" : "file" });
  await changeLook(page, { ...desktop, ...look });
  return page;
}

/** A page with an empty cache, for the rest of the test. */
export async function openColdPage(): Promise<Page> {
  const page = await newPage();
  opened.push({ page, until: "test" });
  return page;
}

/** Also for the following tests of the file. */
export function keepPage(page: Page): void {
  for (const one of opened) if (one.page === page) one.until = "file";
}

/** One browser for all test files of a process, with a context for each user that is signed in at the same time. */
async function newPage(): Promise<Page> {
  running ??= launch();
  const context = await (await running).newContext({
    viewport: { width: desktop.width, height: 900 },
    locale: "en-US",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(30_000);
  watchErrors(context);
  return context.newPage();
}

/** Signs out on the pages of a test, or on all pages of a file, and keeps them for the next one. */
export async function handBackPages(scope: OpenedPage["until"]): Promise<void> {
  const isDone = ({ until }: OpenedPage) => scope === "file" || until === "test";
  const done = opened.filter(isDone);
  opened = opened.filter((one) => !isDone(one));
  for (const { page } of done) {
    await reset(page);
    idle.push(page);
  }
}

/** Signs out, and undoes what tests change. */
async function reset(page: Page): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const event of ["request", "requestfailed", "response", "dialog", "load"])
    page.removeAllListeners(event);
  await page.unrouteAll();
  await context.unrouteAll();
  await context.setOffline(false);
  await context.setExtraHTTPHeaders({});
  await context.clearCookies();
  // What is under the pointer loads more.
  await page.mouse.move(0, 0);
  // A page without scripts. An empty one would get another process, which has compiled nothing.
  if (!page.url().startsWith("http")) return;
  const empty = new URL("/favicon.svg", page.url()).href;
  await page.goto(empty);
  await page.evaluate("localStorage.clear(); sessionStorage.clear();");
}

async function launch(): Promise<Browser> {
  // One process and some threads fewer use less processor time.
  const fewer = ["--disable-gpu", "--in-process-gpu", "--num-raster-threads=1", "--disable-lcd-text"];
  // Most scripts of a page run once.
  const args = ["--no-sandbox", ...fewer, "--js-flags=--no-opt --no-maglev"];
  const browser = await chromium.launch({ executablePath: chromiumPath ?? "", args });
  afterAllFiles.push(() => browser.close());
  return browser;
}

/** Uncaught errors, violations of the content security policy, and requests to other hosts. */
function watchErrors(context: BrowserContext): void {
  context.on("weberror", (error) => errors.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
  });
  context.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && !["127.0.0.1", "localhost"].includes(hostname))
      errors.push(`asked ${request.url()}`);
  });
}

interface AxeOptions {
  /** All, unless given. */
  readonly rules?: readonly string[];
  /** Whether the header and the navigation are checked, too. They are the same on every page. */
  readonly shell?: boolean;
}

/** The axe violations of the current page, one per line. */
export async function violationsOf(page: Page, { rules, shell = false }: AxeOptions = {}): Promise<string[]> {
  await settled(page);
  // Injected as an extension would, because the page's policy allows no inline script.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const only = { resultTypes: ["violations"], preload: false, selectors: false };
  const options = JSON.stringify({ ...only, ...(rules && { runOnly: rules }) });
  const exclude = shell ? [] : [[".mantine-AppShell-header"], [".mantine-AppShell-navbar"]];
  const found = `axe.run(${JSON.stringify({ exclude })}, ${options})`;
  return page.evaluate<string[]>(`${found}.then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" | ")))`);
}

/** How a page is seen: its width, and the theme of the system. */
export interface Look {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

/** Every page is checked in both. */
export const desktop = { width: 1440, scheme: "light" } as const;
export const phone = { width: 390, scheme: "dark" } as const;

/** The dark theme changes only colours. */
export const contrastOnly: AxeOptions = { rules: ["color-contrast"] };

/** The theme of each page. */
const schemes = new WeakMap<Page, string>();

/** Returns when the page has changed and no colour is in transition. */
export async function changeLook(page: Page, { width, scheme }: Required<Look>): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
  if (schemes.get(page) === scheme) return;
  schemes.set(page, scheme);
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction(hasScheme, scheme, { polling: 25 });
  await settled(page);
}

/**
 * Checks what a page shows as on a desktop and as on a phone: that axe finds nothing, and that nothing is wider than the
 * window. All rules run once, because the other theme changes only colours.
 */
export async function looksRight(page: Page, name: string): Promise<void> {
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
  for (const look of looksOf(page).toReversed()) {
    await changeLook(page, look);
    expect(await violationsOf(page, look === phone ? contrastOnly : {})).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await saveScreenshot(page, `${name}-${look.width}`);
  }
}

/** Both, beginning with the one that the page has, because a change costs as much as a check. */
export function looksOf(page: Page): readonly (typeof phone | typeof desktop)[] {
  return page.viewportSize()?.width === phone.width ? [phone, desktop] : [desktop, phone];
}

/** By how many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** The accessible description of a control. */
export async function describedBy(control: Locator): Promise<string> {
  const ids = ((await control.getAttribute("aria-describedby")) ?? "").split(" ");
  const texts = ids.map((id) => control.page().locator(`[id="${id}"]`).textContent());
  return (await Promise.all(texts)).join(" ");
}

/** Finishes all animations and transitions that end, because waiting for them would take a third of a second. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`for (const animation of document.getAnimations())
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();`);
}

/**
 * Goes to a page of the dashboard as its links do, which takes far less time than loading the dashboard. Loads it where
 * it is not loaded yet. Returns when the page is shown with its heading.
 */
export async function visit(page: Page, url: string): Promise<void> {
  const { origin, pathname, search, hash } = new URL(url);
  const isLoaded =
    page.url().startsWith(`${origin}/`) &&
    (await page.evaluate(`"__TSR_ROUTER__" in globalThis &&
      (__TSR_ROUTER__.history.push(${JSON.stringify(pathname + search + hash)}), true)`));
  if (!isLoaded) await page.goto(url);
  await page.waitForFunction(hasArrived, undefined, { polling: 25 });
}

/** Until the router has rendered the next page, the previous one is shown. Then its heading may wait for data. */
function hasArrived(): boolean {
  const { document, __TSR_ROUTER__: router } = globalThis as unknown as InBrowser;
  const { status, location, resolvedLocation } = router?.state ?? {};
  if (status !== "idle" || resolvedLocation?.href !== location?.href) return false;
  return document.querySelector("h1") !== null && document.querySelector(".mantine-Skeleton-root") === null;
}

/** The portal has no attribute for it, only style sheets. */
function hasScheme(scheme: "light" | "dark"): boolean {
  const { document } = globalThis as unknown as InBrowser;
  const shown = document.querySelector("html")?.getAttribute("data-mantine-color-scheme");
  return (shown ?? scheme) === scheme;
}

/** The parts of a page's global scope that are used here. */
interface InBrowser {
  readonly document: {
    querySelector(selector: string): { getAttribute(name: string): string | null } | null;
  };
  readonly __TSR_ROUTER__?: {
    readonly state: {
      readonly status: "idle" | "pending";
      readonly location: { readonly href: string };
      readonly resolvedLocation?: { readonly href: string };
    };
  };
}

/** For people to look at, if they ask for it: it takes more time than any check. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.COUNTERSIGN_TEST_SCREENSHOTS !== "true") return;
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.jpg`), type: "jpeg", quality: 85, fullPage: true });
}
