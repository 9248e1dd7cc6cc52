import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../support/chromium.ts";
import { type Picture, pictures } from "./pictures.ts";
import { openSeller, takenAtMs } from "./seller.ts";

/** `npm run screenshots`: takes the pictures of the documentation, or those whose names are given. */
const folder = join(import.meta.dir, "../../docs/public/screenshots");
const wanted = process.argv.slice(2);
/** Sharp on most screens, and still small. */
const scale = 1.5;
const maxBytes = 120 * 1024;

if (chromiumPath === undefined)
  throw new Error(
    "It needs Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM to its path.",
  );
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--disable-gpu"],
});
const seller = await openSeller();
try {
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sessions = { seller: await sellerSession(), customer: await customerSession() };
  for (const picture of pictures)
    if (wanted.length === 0 || wanted.includes(picture.name)) await take(picture, sessions[picture.as]);
} finally {
  await browser.close();
  await seller.close();
}

type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function take(picture: Picture, storageState: Session): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    const context = await newContext({ viewport: picture.size, colorScheme: theme, storageState });
    const page = await context.newPage();
    await picture.open(page, seller);
    const file = `${picture.name}-${theme}.webp`;
    const content = await photographed(page);
    if (content.length > maxBytes)
      throw new Error(`${file} has ${content.length} bytes, more than ${maxBytes}.`);
    writeFileSync(join(folder, file), content);
    if (process.env.SCREENSHOTS_PNG)
      await page.screenshot({ path: `${process.env.SCREENSHOTS_PNG}/${picture.name}-${theme}.png` });
    process.stdout.write(`${file}: ${Math.ceil(content.length / 1024)} kB\n`);
    await context.close();
  }
}

async function newContext(options: Parameters<typeof browser.newContext>[0]): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: "en-US",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    deviceScaleFactor: scale,
    ...options,
  });
  context.setDefaultTimeout(20_000);
  await context.clock.setFixedTime(takenAtMs);
  // The customer's computer is at one of the registered IP addresses.
  await context.setExtraHTTPHeaders({ "x-forwarded-for": "203.0.113.24" });
  return context;
}

/** When everything is loaded. Chromium writes WebP, which is a third of a PNG. */
async function photographed(page: Page): Promise<Buffer> {
  await page.waitForLoadState("networkidle");
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
  const heading = (await page.getByRole("heading", { level: 1 }).first().textContent()) ?? "";
  if (/not found|sign in/i.test(heading)) throw new Error(`${page.url()} shows "${heading}".`);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  return Buffer.from(data, "base64");
}

async function sellerSession(): Promise<Session> {
  const context = await newContext({});
  const answer = await context.request.post(`${seller.url}/api/auth/sign-in/email`, {
    data: seller.owner,
    headers: { origin: seller.url },
  });
  if (!answer.ok()) throw new Error(`The sign-in failed: ${await answer.text()}`);
  return context.storageState();
}

/** Signs in with the code, which waits in the outbox, because there is no mail server. */
async function customerSession(): Promise<Session> {
  const context = await newContext({});
  const post = async (path: string, data: object) => {
    const answer = await context.request.post(`${seller.url}/api/portal/v1${path}`, {
      data,
      headers: { origin: seller.url },
    });
    if (!answer.ok()) throw new Error(`The sign-in failed: ${await answer.text()}`);
  };
  const { customer: email, manage } = seller;
  await post("/sign-in", { email });
  const { data: emails } = await manage("GET", `/admin/outbox?recipient=${encodeURIComponent(email)}`);
  const { body_text: text } = await manage("GET", `/admin/outbox/${emails[0].id}`);
  const [, code] = /: (\d{6})$/m.exec(text) ?? [];
  await post("/sign-in/verify", { email, code });
  return context.storageState();
}
