import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  pageErrorsOf,
  saveScreenshot,
  violationsOf,
} from "../support/chromium.ts";
import { databases } from "../support/databases.ts";
import { type Look, oldIp, openPortalPages, type PortalPages, thirdIp } from "../support/portal-pages.ts";
import { skipWithReason } from "../support/skip.ts";
import { until } from "../support/until.ts";
import { ask } from "./in-page.ts";

const mostKilobytes = 150;
const looks: Readonly<Record<"sqlite" | "postgres", Look & { readonly name: string }>> = {
  sqlite: { name: "desktop", width: 1280, scheme: "light" },
  postgres: { name: "phone", width: 390, scheme: "dark" },
};
const sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

for (const { kind, make } of databases) {
  const title = `the customer portal on ${kind}`;
  if (chromiumPath === null) {
    skipWithReason(title, howToGetChromium);
    continue;
  }
  describe(title, () => {
    const look = looks[kind];
    let portal: PortalPages;
    beforeAll(async () => {
      portal = await openPortalPages(make);
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await portal.close();
    });

    const heading = (page: Page, name: string | RegExp) =>
      page.getByRole("heading", { level: 1, name }).waitFor();
    const openFull = async (page: Page) => {
      await page.goto(`${portal.url}/licenses/${portal.fullLicense.id}`);
      await heading(page, "Polaris");
    };

    test("a customer signs in with the code, and comes to the page that was asked for", async () => {
      const page = await portal.visitor(look);
      const troubles = pageErrorsOf(page);
      await page.goto(`${portal.url}/transfers?seller=${portal.dashboard.slug}`);
      await heading(page, "Sign in to your licenses");
      // What a seller types is shown as text.
      await page.getByText("Nordlicht <b>Software</b>").first().waitFor();
      await page.getByLabel("Email address").fill(portal.email);
      await page.keyboard.press("Enter");
      await heading(page, "Check your email");
      const field = page.getByLabel("Code from the email");
      expect(await field.getAttribute("autocomplete")).toBe("one-time-code");
      expect(await page.evaluate(`document.activeElement.name`)).toBe("code");
      expect(await page.getByRole("button", { name: "Send another code" }).isDisabled()).toBe(true);

      const code = await portal.code(portal.email);
      await field.fill(code === "000000" ? "111111" : "000000");
      await page.getByRole("alert").getByText("code is incorrect or has expired").waitFor();
      expect(await field.inputValue()).toBe("");
      // The step survives a reload: phones discard pages while the person reads the email.
      await page.reload();
      await heading(page, "Check your email");
      await field.fill(`Code: ${code.slice(0, 3)} ${code.slice(3)}`);
      await heading(page, "Transfers");
      // What had the focus is gone, so the heading has it.
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
      expect(troubles).toEqual([]);
    }, 180_000);

    test("the link in the email signs in with one click, once, in another browser too", async () => {
      const page = await portal.visitor(look);
      await page.goto(`${portal.url}/account`);
      await page.getByLabel("Email address").fill(portal.email);
      await page.getByRole("button", { name: "Send code" }).click();
      await heading(page, "Check your email");
      const link = await portal.link(portal.email);

      const other = await portal.visitor(look);
      const troubles = pageErrorsOf(other);
      await other.goto(link);
      await other.getByRole("button", { name: "Sign in" }).click();
      await heading(other, "Your account");
      expect(new URL(other.url()).hash).toBe("");
      expect(troubles).toEqual([]);

      const third = await portal.visitor(look);
      await third.goto(link);
      await third.getByRole("button", { name: "Sign in" }).click();
      await third.getByRole("alert").getByText(/link/).waitFor();
      await third.getByRole("link", { name: "Request another code" }).click();
      await heading(third, "Sign in to your licenses");
    }, 180_000);

    test("every page has no accessibility or layout problems in either theme", async () => {
      const inside = await portal.signedIn(portal.email, look);
      const outside = await portal.visitor(look);
      const troubles = [pageErrorsOf(inside), pageErrorsOf(outside)];
      const license = `/licenses/${portal.fullLicense.id}`;
      const stops: [name: string, page: Page, path: string, open?: string][] = [
        ["sign-in", outside, `/?seller=${portal.dashboard.slug}`],
        ["link", outside, "/sign-in/link#token"],
        ["missing", inside, "/nothing"],
        ["licenses", inside, "/"],
        ["license", inside, license],
        ["license-plain", inside, `/licenses/${portal.plainLicense.id}`],
        ["license-missing", inside, "/licenses/00000000-0000-7000-8000-000000000000"],
        ["remove-ip", inside, license, `Remove ${oldIp}`],
        ["reset-ips", inside, license, "Remove all 2 IP addresses"],
        ["rotate-key", inside, license, "Replace key"],
        ["transfer", inside, license, "Transfer license"],
        ["transfers", inside, "/transfers"],
        ["account", inside, "/account"],
        ["delete-account", inside, "/account", "Delete portal account"],
        ["open-missing", inside, "/open#NO-SUCH-KEY"],
      ];
      for (const [name, page, path, open] of stops) {
        await page.goto(portal.url + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.locator("[aria-busy]").waitFor({ state: "detached" });
        if (open !== undefined) await page.getByRole("button", { name: open }).click();
        for (const scheme of look.scheme === "dark"
          ? (["dark", "light"] as const)
          : (["light", "dark"] as const)) {
          await page.emulateMedia({ colorScheme: scheme });
          await saveScreenshot(page, `portal-${name}-${look.name}-${scheme}`);
          const rules = scheme === look.scheme ? undefined : ["color-contrast"];
          expect([name, scheme, await violationsOf(page, rules)]).toEqual([name, scheme, []]);
          // Behind a dialog, no field can get the focus.
          const faults = name === "delete-account" ? [] : await ask<string[]>(page, "focusFaults");
          expect([name, scheme, faults]).toEqual([name, scheme, []]);
        }
        expect([name, await page.evaluate(sideways)]).toEqual([name, 0]);
        await page.setViewportSize({ width: 360, height: 800 });
        expect([name, await page.evaluate(sideways)]).toEqual([name, 0]);
        await page.setViewportSize({ width: look.width ?? 1280, height: 900 });
      }
      expect(troubles.flat()).toEqual([]);
    }, 300_000);

    test("an app that was refused leads to its license, with the remedy on top", async () => {
      const page = await portal.visitor(look);
      await page.goto(`${portal.url}/open#${encodeURIComponent(portal.fullLicense.key)}`);
      await heading(page, "Sign in to your licenses");
      // The key does not stay in the address bar.
      expect(page.url()).not.toContain("#");
      await page.getByLabel("Email address").fill(portal.email);
      await page.keyboard.press("Enter");
      await page.getByLabel("Code from the email").waitFor();
      await page.getByLabel("Code from the email").fill(await portal.code(portal.email));
      await heading(page, "Polaris");
      await page.getByText("All 2 IP addresses of this license are in use").waitFor();
      expect(page.url()).toContain(portal.fullLicense.id);
      await page.getByRole("button", { name: "Choose an IP address to remove" }).click();
      expect(await page.evaluate("document.activeElement.textContent")).toBe("IP addresses");
    }, 180_000);

    test("an IP address is removed after a confirmation that names the cost, and its slot is free at once", async () => {
      const { fullLicense, validate } = portal;
      const page = await portal.signedIn(portal.email, look);
      const troubles = pageErrorsOf(page);
      expect(await validate(fullLicense.key, thirdIp)).toBe("ip_limit_reached");
      await openFull(page);
      await page.getByText("This is you").waitFor();
      // Refusals are counted a moment after the response.
      await until("both refusals are shown", async () => {
        await openFull(page);
        return page.getByText(/Refused \d+ times today: one IP address more than the 2 allowed/).isVisible();
      });
      await page.getByText("You can remove 3 more IP addresses of 3 in 30 days.").waitFor();
      const remove = page.getByRole("button", { name: `Remove ${oldIp}` });
      await remove.click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("It uses 1 of your removals. Left afterwards: 2.").waitFor();
      // Escape changes nothing, and the button gets the focus back.
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
        `Remove ${oldIp}`,
      );
      await remove.click();
      await dialog.getByRole("button", { name: "Remove IP address" }).click();
      await page.getByRole("status").getByText(`${oldIp} was removed`).waitFor();
      await page.getByText("You can remove 2 more IP addresses of 3 in 30 days.").waitFor();
      await until("the heading has the focus", async () => {
        return (await page.evaluate("document.activeElement.id")) === "ip-addresses";
      });
      expect(await validate(fullLicense.key, thirdIp)).toBe("active");
      expect(troubles).toEqual([]);
    }, 180_000);

    test("the key is hidden until asked for, and a replaced key ends the old one", async () => {
      const { key, id } = await portal.sell(portal.email, { max_ips: 5 });
      const page = await portal.signedIn(portal.email, look);
      await page.goto(`${portal.url}/licenses/${id}`);
      await heading(page, "Polaris");
      expect(await page.content()).not.toContain(key);
      await page.getByRole("button", { name: "Show key" }).click();
      await page.getByText(key).waitFor();
      await page.getByRole("button", { name: "Hide key" }).click();
      await page.getByText(key).waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Replace key" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("The current key stops working everywhere at once").waitFor();
      await dialog.getByRole("button", { name: "Replace key" }).click();
      await page.getByRole("status").getByText("The license has a new key").waitFor();
      const shown =
        (await page
          .locator("dd")
          .filter({ hasText: /^\S{8,}$/ })
          .first()
          .textContent()) ?? "";
      expect(await portal.validate(key, oldIp)).toBe("license_not_found");
      expect(await portal.validate(shown, oldIp)).toBe("active");
    }, 180_000);

    test("a transfer is requested after a summary of what it means, shown, and cancelled", async () => {
      const { id } = await portal.sell(portal.email);
      const page = await portal.signedIn(portal.email, look);
      const troubles = pageErrorsOf(page);
      await page.goto(`${portal.url}/licenses/${id}`);
      await page.getByRole("button", { name: "Transfer license" }).click();
      const dialog = page.getByRole("dialog");
      const target = dialog.getByLabel("Email address of the recipient");
      await target.fill(portal.email);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await dialog.getByRole("button", { name: "Request transfer" }).click();
      // What is wrong with the recipient is shown beside the field.
      await dialog
        .getByRole("alert")
        .getByText(/already/)
        .waitFor();
      await target.fill("ines@studio.example");
      await dialog.getByLabel(/^Message to/).fill("Ines takes over.");
      await dialog.getByRole("button", { name: "Continue" }).click();
      await dialog.getByText("Your license for Polaris goes to ines@studio.example.").waitFor();
      await dialog.getByRole("button", { name: "Request transfer" }).click();
      await page.getByText("Transfer pending").waitFor();
      await page.getByText("Ines takes over.").waitFor();

      await page.getByRole("link", { name: "Transfers" }).click();
      await heading(page, "Transfers");
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
      await saveScreenshot(page, `portal-transfers-filled-${look.name}`);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Cancel transfer of Polaris" }).click();
      await dialog.getByRole("button", { name: "Cancel transfer" }).click();
      await page.getByText("Cancelled", { exact: true }).waitFor();
      expect(troubles).toEqual([]);
    }, 180_000);

    test("without a license, the page names the email address and how to add another, which brings its licenses", async () => {
      const { manage, organizationId } = portal.dashboard;
      const lonely = `lonely-${kind}@studio.example`;
      const second = `second-${kind}@studio.example`;
      await manage("POST", `/organizations/${organizationId}/customers`, { email: lonely });
      await portal.sell(second);
      const page = await portal.signedIn(lonely, look);
      await page.goto(portal.url);
      await page.getByRole("heading", { name: "No licenses found" }).waitFor();
      await page.getByText(lonely).waitFor();
      await saveScreenshot(page, `portal-licenses-empty-${look.name}`);
      expect(await violationsOf(page)).toEqual([]);

      await page.getByRole("link", { name: "Add an email address or Discord" }).click();
      await heading(page, "Your account");
      await page.getByRole("button", { name: "Add email address" }).click();
      await page.getByLabel("Email address to add").fill(second);
      await page.getByRole("button", { name: "Send code" }).click();
      await page.getByLabel("Code from the email").fill(await sentTo(second));
      await page.getByRole("status").getByText(`${second} was added`).waitFor();
      await page.getByRole("link", { name: "Licenses", exact: true }).click();
      await page.getByRole("link", { name: /Polaris/ }).waitFor();

      await page.getByRole("link", { name: "Account" }).click();
      await page.getByRole("button", { name: `Remove ${second}` }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("link", { name: "Licenses", exact: true }).click();
      await page.getByRole("heading", { name: "No licenses found" }).waitFor();
    }, 180_000);

    test("Discord signs in, and a refusal there is explained", async () => {
      const page = await portal.visitor(look);
      await page.goto(`${portal.url}/account`);
      portal.discord.visitor = null;
      await page.getByRole("button", { name: "Continue with Discord" }).click();
      await page.getByRole("alert").getByText("Discord sign-in was cancelled").waitFor();
      portal.discord.visitor = { id: "80351110224678912", username: "mara.k", email: null, verified: false };
      await page.goto(`${portal.url}/account`);
      await page.getByRole("button", { name: "Continue with Discord" }).click();
      await heading(page, "Your account");
      await page.getByText("80351110224678912").waitFor();

      // A key that an app passed is not forgotten on the way over Discord.
      const other = await portal.visitor(look);
      await other.goto(`${portal.url}/open#${portal.fullLicense.key}`);
      const { visitor } = portal.discord;
      portal.discord.visitor = null;
      await other.getByRole("button", { name: "Continue with Discord" }).click();
      await other.getByRole("alert").getByText("Discord sign-in was cancelled").waitFor();
      portal.discord.visitor = visitor;
      await other.getByRole("button", { name: "Continue with Discord" }).click();
      await other.getByRole("heading", { name: "This license is not in your account" }).waitFor();
    }, 180_000);

    test("signing out everywhere ends the session in other browsers, and their open pages say so", async () => {
      const here = await portal.signedIn(portal.email, look);
      const there = await portal.signedIn(portal.email, look);
      await there.goto(`${portal.url}/account`);
      await heading(there, "Your account");
      await here.goto(`${portal.url}/account`);
      await here.getByRole("button", { name: "Sign out everywhere" }).click();
      await here.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
      await heading(here, "Sign in to your licenses");
      await there.getByRole("link", { name: "Transfers" }).click();
      await there.getByText("Your session has ended").waitFor();
    }, 180_000);

    test("without a connection and after a failure, a page says so and can be tried again", async () => {
      const page = await portal.signedIn(portal.email, look);
      await page.goto(portal.url);
      await page
        .getByRole("link", { name: /Polaris/ })
        .first()
        .waitFor();
      await page.context().setOffline(true);
      await page.getByRole("link", { name: "Transfers" }).click();
      await page.getByText("No connection").waitFor();
      await saveScreenshot(page, `portal-offline-${look.name}`);
      expect(await violationsOf(page)).toEqual([]);
      await page.context().setOffline(false);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("No connection").waitFor({ state: "detached" });

      await page.route("**/api/portal/v1/me/sessions", (route) =>
        route.fulfill({
          status: 500,
          contentType: "application/problem+json",
          body: '{"code":"internal_error"}',
        }),
      );
      await page.getByRole("link", { name: "Account" }).click();
      await page.getByText("An unexpected error occurred").waitFor();
      await page.unroute("**/api/portal/v1/me/sessions");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("This browser").waitFor();
    }, 180_000);

    test("the language and the theme are kept, and the page says which language it is in", async () => {
      const page = await portal.signedIn(portal.email, look);
      await page.goto(`${portal.url}/account`);
      await page.getByLabel("Language").selectOption("de");
      await heading(page, "Dein Konto");
      await page.getByLabel("Farbschema").selectOption("dark");
      await page.reload();
      await heading(page, "Dein Konto");
      expect(await page.evaluate("document.documentElement.lang")).toBe("de");
      expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
      await page.getByLabel("Sprache").selectOption("es");
      await heading(page, "Tu cuenta");
    }, 180_000);

    test(`the whole portal is at most ${mostKilobytes} kB of gzipped script`, async () => {
      const page = await portal.signedIn(portal.email, look);
      const scripts = new Map<string, Promise<number>>();
      page.on("response", (response) => {
        if (!response.headers()["content-type"]?.startsWith("text/javascript")) return;
        expect(response.headers()["cache-control"]).toContain("immutable");
        scripts.set(
          response.url(),
          response.body().then((body) => gzipSync(body).length),
        );
      });
      for (const path of ["/", `/licenses/${portal.fullLicense.id}`, "/transfers", "/account"])
        await page.goto(portal.url + path, { waitUntil: "networkidle" });
      expect(scripts.size).toBeGreaterThan(1);
      const bytes = (await Promise.all(scripts.values())).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeLessThan(mostKilobytes * 1_000);
    }, 180_000);

    async function sentTo(email: string): Promise<string> {
      let code = "";
      await until(`a code for ${email} is in the outbox`, async () => {
        code = await portal.code(email, "portal_email").catch(() => "");
        return code !== "";
      });
      return code;
    }
  });
}
