import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import {
  changeLook,
  contrastOnly,
  desktop,
  expectErrors,
  overflowOf,
  saveScreenshot,
  violationsOf,
} from "../support/chromium.ts";
import { oldIp, type PortalPages, portalTests, thirdIp } from "../support/portal-pages.ts";
import { until } from "../support/until.ts";
import { ask } from "./in-page.ts";

const maxKilobytes = 150;

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name }).waitFor();

portalTests("signing in to the customer portal", (portal) => {
  test("a customer signs in with the code, and comes to the page that was asked for", async () => {
    const page = await portal.visitor();
    await page.goto(`${portal.url}/transfers?seller=${portal.dashboard.slug}`);
    await heading(page, "Sign in to your licenses");
    // What a seller types is shown as text.
    await page.getByText("Nordlicht <b>Software</b>").first().waitFor();
    await page.getByLabel("Email address").fill(portal.email);
    await page.keyboard.press("Enter");
    await heading(page, "Check your email");
    const field = page.getByLabel("Code from the email");
    expect(await field.getAttribute("autocomplete")).toBe("one-time-code");
    expect(await page.evaluate("document.activeElement.name")).toBe("code");
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
  });

  test("the link in the email signs in with one click, once, in another browser too", async () => {
    const page = await portal.visitor();
    await page.goto(`${portal.url}/account`);
    await page.getByLabel("Email address").fill(portal.email);
    await page.getByRole("button", { name: "Send code" }).click();
    await heading(page, "Check your email");
    const link = await portal.link(portal.email);
    const follow = async () => {
      const other = await portal.visitor();
      await other.goto(link);
      await other.getByRole("button", { name: "Sign in" }).click();
      return other;
    };
    const second = await follow();
    await heading(second, "Your account");
    expect(new URL(second.url()).hash).toBe("");
    const third = await follow();
    await third.getByRole("alert").getByText(/link/).waitFor();
    await third.getByRole("link", { name: "Request another code" }).click();
    await heading(third, "Sign in to your licenses");
  });

  test("Discord signs in, a refusal there is explained, and a key from an app is not forgotten on the way", async () => {
    const visitor = { id: "80351110224678912", username: "mara.k", email: null, verified: false };
    const page = await portal.visitor();
    await page.goto(`${portal.url}/open#${portal.fullLicense.key}`);
    portal.discord.visitor = null;
    await page.getByRole("button", { name: "Continue with Discord" }).click();
    await page.getByRole("alert").getByText("Discord sign-in was cancelled").waitFor();
    portal.discord.visitor = visitor;
    await page.getByRole("button", { name: "Continue with Discord" }).click();
    await page.getByRole("heading", { name: "This license is not in your account" }).waitFor();
    await page.getByRole("link", { name: "Account" }).click();
    await heading(page, "Your account");
    await page.getByText(visitor.id).waitFor();
  });

  test("signing out everywhere ends the session in other browsers, and their open pages say so", async () => {
    const here = await portal.signedIn(portal.email);
    const there = await portal.signedIn(portal.email);
    await there.goto(`${portal.url}/account`);
    await heading(there, "Your account");
    await here.goto(`${portal.url}/account`);
    await here.getByRole("button", { name: "Sign out everywhere" }).click();
    await here.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await heading(here, "Sign in to your licenses");
    await there.getByRole("link", { name: "Transfers" }).click();
    await there.getByText("Your session has ended").waitFor();
  });

  test("nothing of the previous customer is shown to the next one on the same device", async () => {
    const next = "next@studio.example";
    const { manage, organizationId } = portal.dashboard;
    await manage("POST", `/organizations/${organizationId}/customers`, { email: next });
    const page = await portal.signedIn(portal.email);
    await page.goto(portal.url);
    const license = page.getByRole("link", { name: /Polaris/ }).first();
    await license.waitFor();
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await heading(page, "Sign in to your licenses");
    // Before the list of the next customer has arrived, nothing is listed.
    const released = Promise.withResolvers<void>();
    await page.route("**/api/portal/v1/licenses*", async (route) => {
      await released.promise;
      await route.continue();
    });
    await signInWithCode(portal, page, next);
    await page.getByRole("link", { name: "Licenses", exact: true }).click();
    await heading(page, "Your licenses");
    expect(await license.count()).toBe(0);
    released.resolve();
    await page.getByRole("heading", { name: "No licenses found" }).waitFor();
  });
});

portalTests("the customer portal", (portal) => {
  test("no page of the portal has accessibility or layout problems in either theme", async () => {
    const inside = await portal.signedIn(portal.email);
    const outside = await portal.visitor();
    const license = `/licenses/${portal.fullLicense.id}`;
    const stops: [page: Page, path: string, ...dialogs: string[]][] = [
      [outside, `/?seller=${portal.dashboard.slug}`],
      [outside, "/sign-in/link#token"],
      [inside, "/nothing"],
      [inside, "/"],
      [inside, license, `Remove ${oldIp}`, "Remove all 2 IP addresses", "Replace key", "Transfer license"],
      [inside, `/licenses/${portal.plainLicense.id}`],
      [inside, "/licenses/00000000-0000-7000-8000-000000000000"],
      [inside, "/transfers"],
      [inside, "/account", "Delete portal account"],
      [inside, "/open#NO-SUCH-KEY"],
    ];
    for (const [page, path, ...dialogs] of stops) {
      await page.goto(portal.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("[aria-busy]").waitFor({ state: "detached" });
      await looksRightInPortal(page, path);
      for (const dialog of dialogs) {
        await page.getByRole("button", { name: dialog }).click();
        await looksRightInPortal(page, dialog);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    }
  });

  test("each license in the portal's list opens its own page", async () => {
    const page = await portal.signedIn(portal.email);
    await page.goto(portal.url);
    for (const product of ["Polaris", "Atlas"]) {
      await page.getByRole("link", { name: product }).first().click();
      await heading(page, product);
      await page.getByRole("link", { name: "Licenses", exact: true }).click();
    }
  });

  test("an IP address is removed after a confirmation that names the cost, and its slot is free at once", async () => {
    const { fullLicense, validate } = portal;
    const page = await portal.signedIn(portal.email);
    expect(await validate(fullLicense.key, thirdIp)).toBe("ip_limit_reached");
    // Refusals are counted a moment after the response.
    await until("both refusals are shown", async () => {
      await page.goto(`${portal.url}/licenses/${fullLicense.id}`);
      await page.getByText("This is you").waitFor();
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
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(`Remove ${oldIp}`);
    await remove.click();
    await dialog.getByRole("button", { name: "Remove IP address" }).click();
    await page.getByRole("status").getByText(`${oldIp} was removed`).waitFor();
    await page.getByText("You can remove 2 more IP addresses of 3 in 30 days.").waitFor();
    await until("the heading has the focus", async () => {
      return (await page.evaluate("document.activeElement.id")) === "ip-addresses";
    });
    expect(await validate(fullLicense.key, thirdIp)).toBe("active");
  });

  test("the key is hidden until asked for, and a replaced key ends the old one", async () => {
    const { key, id } = await portal.sell(portal.email, { max_ips: 5 });
    const page = await portal.signedIn(portal.email);
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
    const shown = page.locator("dd").filter({ hasText: /^\S{8,}$/ });
    expect(await portal.validate(key, oldIp)).toBe("license_not_found");
    expect(await portal.validate((await shown.first().textContent()) ?? "", oldIp)).toBe("active");
  });

  test("a transfer is requested after a summary of what it means, shown, and cancelled", async () => {
    const { id } = await portal.sell(portal.email);
    const page = await portal.signedIn(portal.email);
    await page.goto(`${portal.url}/licenses/${id}`);
    await page.getByRole("button", { name: "Transfer license" }).click();
    const dialog = page.getByRole("dialog");
    const target = dialog.getByLabel("Email address of the recipient");
    await target.fill(portal.email);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("button", { name: "Request transfer" }).click();
    // What is wrong with the recipient is shown beside the field.
    const problem = dialog.getByRole("alert").getByText(/already/);
    await problem.waitFor();
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
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel transfer of Polaris" }).click();
    await dialog.getByRole("button", { name: "Cancel transfer" }).click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
  });

  test("without a license, the portal names the email address and how to add another, which brings its licenses", async () => {
    const { manage, organizationId } = portal.dashboard;
    const lonely = "lonely@studio.example";
    const second = "second@studio.example";
    await manage("POST", `/organizations/${organizationId}/customers`, { email: lonely });
    await portal.sell(second);
    const page = await portal.signedIn(lonely);
    await page.goto(portal.url);
    await page.getByRole("heading", { name: "No licenses found" }).waitFor();
    await page.getByText(lonely).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole("link", { name: "Add an email address or Discord" }).click();
    await heading(page, "Your account");
    await page.getByRole("button", { name: "Add email address" }).click();
    await page.getByLabel("Email address to add").fill(second);
    await page.getByRole("button", { name: "Send code" }).click();
    const code = page.getByLabel("Code from the email");
    await code.waitFor();
    await code.fill(await portal.code(second, "portal_email"));
    await page.getByRole("status").getByText(`${second} was added`).waitFor();
    const licenses = page.getByRole("link", { name: "Licenses", exact: true });
    await licenses.click();
    await page.getByRole("link", { name: /Polaris/ }).waitFor();

    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("button", { name: `Remove ${second}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await licenses.click();
    await page.getByRole("heading", { name: "No licenses found" }).waitFor();
  });

  test("without a connection and after a failure, a page of the portal says so and can be tried again", async () => {
    expectErrors();
    const page = await portal.signedIn(portal.email);
    const license = page.getByRole("link", { name: /Polaris/ }).first();
    await page.goto(portal.url);
    await license.waitFor();
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Transfers" }).click();
    await page.getByText("No connection").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No connection").waitFor({ state: "detached" });

    const failure = { contentType: "application/problem+json", json: { code: "internal_error" } };
    await page.route("**/api/portal/v1/me/sessions", (route) => route.fulfill({ status: 500, ...failure }));
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByText("An unexpected error occurred").waitFor();
    await page.unroute("**/api/portal/v1/me/sessions");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("This browser").waitFor();
  });

  test("the language and the theme are kept, and the page says which language it is in", async () => {
    const page = await portal.signedIn(portal.email);
    await page.goto(`${portal.url}/account`);
    await page.getByLabel("Language").selectOption("de");
    await heading(page, "Dein Konto");
    await page.getByLabel("Farbschema").selectOption("light");
    await page.reload();
    await heading(page, "Dein Konto");
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("light");
    await page.getByLabel("Sprache").selectOption("es");
    await heading(page, "Tu cuenta");
  });

  test(`the whole portal is at most ${maxKilobytes} kB of gzipped script`, async () => {
    const page = await portal.signedIn(portal.email);
    const scripts = new Map<string, Promise<number>>();
    page.on("response", (response) => {
      if (!response.headers()["content-type"]?.startsWith("text/javascript")) return;
      expect(response.headers()["cache-control"]).toContain("immutable");
      const size = response.body().then((body) => gzipSync(body).length);
      scripts.set(response.url(), size);
    });
    for (const path of ["/", `/licenses/${portal.fullLicense.id}`, "/transfers", "/account"])
      await page.goto(portal.url + path, { waitUntil: "networkidle" });
    expect(scripts.size).toBeGreaterThan(1);
    const bytes = (await Promise.all(scripts.values())).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(maxKilobytes * 1_000);
  });
});

portalTests(
  "the customer portal with its own host",
  (portal) => {
    const isSignedInAt = async (page: Page, url: string) =>
      (await page.context().request.get(`${url}/api/portal/v1/me`)).status() === 200;

    test("an app that was refused leads to its license on the portal's host, with the remedy on top", async () => {
      const { fixture } = portal.dashboard;
      const { key, id } = portal.fullLicense;
      const page = await portal.visitor();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(`${fixture.url}/portal/open#${encodeURIComponent(key)}`);
      await heading(page, "Sign in to your licenses");
      // The browser kept the fragment over the redirect, and the page removed it.
      expect(page.url()).toBe(`${portal.url}/open`);
      await signInWithCode(portal, page, portal.email);
      await heading(page, "Polaris");
      await page.getByText("All 2 IP addresses of this license are in use").waitFor();
      expect(page.url()).toBe(`${portal.url}/licenses/${id}?from=app`);
      await page.getByRole("button", { name: "Choose an IP address to remove" }).click();
      expect(await page.evaluate("document.activeElement.textContent")).toBe("IP addresses");
      // No server gets a fragment, so none gets the key in a URL.
      expect(asked.filter((url) => url.split("#")[0]?.includes(key))).toEqual([]);

      // Links within the portal have no base path.
      await page.getByRole("link", { name: "Transfers" }).click();
      await heading(page, "Transfers");
      expect(page.url()).toBe(`${portal.url}/transfers`);
      await page.reload();
      await heading(page, "Transfers");
      expect(await isSignedInAt(page, portal.url)).toBe(true);
      expect(await isSignedInAt(page, fixture.url)).toBe(false);
    });

    test("the dashboard's pages are not on the portal's host, for any session", async () => {
      const page = await portal.dashboard.pageFor(portal.dashboard.owner);
      for (const path of ["/admin", `/o/${portal.dashboard.slug}`, "/docs"]) {
        await page.goto(portal.url + path);
        await heading(page, "Page not found");
      }
      await page.goto(portal.url);
      await heading(page, "Sign in to your licenses");
    });
  },
  { hasOwnHost: true },
);

async function signInWithCode(portal: PortalPages, page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.keyboard.press("Enter");
  const field = page.getByLabel("Code from the email");
  await field.waitFor();
  await field.fill(await portal.code(email));
}

/** On a small phone in the dark theme, and on a desktop in the light one. */
async function looksRightInPortal(page: Page, name: string): Promise<void> {
  for (const look of [{ width: 360, scheme: "dark" } as const, desktop]) {
    await changeLook(page, look);
    await saveScreenshot(page, `portal-${name.replaceAll(/\W+/g, "-")}-${look.width}`);
    // Behind a dialog, no field can get the focus.
    const focusFaults = name === "Delete portal account" ? [] : await ask<string[]>(page, "focusFaults");
    const violations = await violationsOf(page, look === desktop ? {} : contrastOnly);
    expect([name, look, ...focusFaults, ...violations]).toEqual([name, look]);
    expect([name, await overflowOf(page)]).toEqual([name, 0]);
  }
}
