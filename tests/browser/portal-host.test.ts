import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chromiumPath, closeChromium, howToGetChromium, openContext } from "../support/chromium.ts";
import { sqlite, type TestDatabase } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";

const title = "a portal with its own host";
if (chromiumPath === null) skipWithReason(title, howToGetChromium);
else
  describe(title, () => {
    let database: TestDatabase;
    let server: ServerProcess;
    let main: string;
    let portal: string;
    beforeAll(async () => {
      database = await sqlite.make();
      const port = await freePort();
      main = `http://127.0.0.1:${port}`;
      portal = `http://localhost:${port}`;
      server = await startServerProcess({
        ...database.environment,
        PORT: String(port),
        COUNTERSIGN_URL: main,
        COUNTERSIGN_PORTAL_URL: portal,
        COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
      });
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await server.stop();
      database.remove();
    });

    test("is at the root of that host, for every path, and signs in there", async () => {
      const page = await (await openContext()).newPage();
      for (const path of ["/", "/licenses/lic_1", "/transfers"]) {
        await page.goto(portal + path);
        await page.getByRole("heading", { level: 1, name: "Sign in to your licenses" }).waitFor();
        expect(page.url()).toBe(portal + path);
      }
      await page.goto(`${portal}/o/nordlicht`);
      await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
      await page.getByRole("link", { name: "Go to your licenses" }).click();
      expect(page.url()).toBe(`${portal}/`);
      await page.getByLabel("Email address").fill("mara@studio.example");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Check your email" }).waitFor();
    }, 180_000);

    test("is where the main host's /portal leads, with path, query and fragment", async () => {
      const page = await (await openContext()).newPage();
      await page.goto(`${main}/portal/sign-in/link?x=1#token`);
      expect(page.url()).toBe(`${portal}/sign-in/link?x=1#token`);
      await page.goto(`${main}/portal`);
      expect(page.url()).toBe(`${portal}/`);
    }, 180_000);

    test("does not change the dashboard on the main host", async () => {
      const page = await (await openContext()).newPage();
      await page.goto(`${main}/sign-in`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.title()).toEndWith(" · Countersign");
    }, 180_000);
  });
