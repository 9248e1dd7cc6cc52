import { expect, test } from "bun:test";
import { apiOf } from "../support/api.ts";
import { browserTests, handBackPages, openPage, violationsOf } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

browserTests("the first run", (make) => {
  test("the printed set-up link leads to the first valid response", async () => {
    const database = await make();
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const server = await startServerProcess({ ...database.environment, PORT: port, COUNTERSIGN_URL: url });
    try {
      await until("the link is printed", () => server.output().includes("/setup?token="));
      const link = /http:\/\/\S+\/setup\?token=[\w-]+/.exec(server.output())?.[0] ?? "";
      const page = await openPage();
      // Another name of this machine leads to the server's URL, from which alone it accepts changes.
      await page.goto(link.replace("127.0.0.1", "localhost"));
      await page.waitForURL(link);

      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email").fill("ada@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill("a password of her own");
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Create account" }).click();

      await page.getByRole("heading", { name: "Who will use this server?" }).waitFor();
      await page.getByText("Just me or my company").click();
      await page.getByRole("button", { name: "Continue" }).click();

      await page.getByLabel("Organization name").fill("Nordlicht");
      await page.getByRole("button", { name: "Create organization" }).click();

      // The next step is known only after a moment. Until then the key and the ticked box remain.
      let answerNow = () => {};
      const answered = new Promise<void>((resolve) => {
        answerNow = resolve;
      });
      const asked = page.waitForRequest(/\/products\/[^/]+\/licenses\?/);
      await page.route(/\/products\/[^/]+\/licenses\?/, async (route) => {
        await answered;
        await route.continue();
      });
      await page.getByLabel("Product name").fill("Polaris");
      await page.getByRole("button", { name: "Create product" }).click();
      await page.getByRole("heading", { name: "The product's API key" }).waitFor();
      const apiKey = (await page.locator("pre").first().textContent()) ?? "";
      expect(apiKey).toStartWith("csk_");
      await page.getByText("Don't ship this key inside an app").waitFor();
      await asked;
      await page.getByLabel("I've saved it somewhere safe").check();
      const next = page.waitForResponse(/\/products\/[^/]+\/licenses\?/);
      answerNow();
      await next;
      await page.getByRole("button", { name: "Continue" }).click();

      await page.getByLabel("Customer email").fill("carla@example.com");
      await page.getByRole("button", { name: "Create license" }).click();

      await page.getByText("Waiting for the first request").waitFor();
      const curl = (await page.locator("pre").first().textContent()) ?? "";
      expect(curl).toContain(apiKey);
      await page.getByRole("tab", { name: "Node.js" }).click();
      const [program, commands] = await page.locator("pre").allTextContents();
      expect(program).toContain('from "@countersign/node"');
      expect(program).toContain(url);
      expect(commands).toContain(`COUNTERSIGN_API_KEY='${apiKey}'`);
      expect(await violationsOf(page)).toEqual([]);
      const licenseKey = /"license_key": ?"([^"]+)"/.exec(curl)?.[1] ?? "";
      const { validate } = apiOf(url, apiKey);
      const unknown = await validate({ license_key: "YOUR_LICENSE_KEY" });
      expect(unknown.body).toMatchObject({ status: "license_not_found" });
      await page.getByText("The last request was refused: license_not_found").waitFor();
      await page.getByText("The product has no license with the key that was sent.").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const valid = await validate({ license_key: licenseKey });
      expect(valid.body).toMatchObject({ valid: true, status: "active" });
      await page.getByText("It works: the license is valid").waitFor();

      await page.getByRole("link", { name: "Go to the dashboard" }).click();
      await page.waitForURL(`${url}/o/nordlicht`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    } finally {
      await handBackPages("file");
      await server.stop();
      database.remove();
    }
  });
});
