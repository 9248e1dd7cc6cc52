import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { portalTests } from "../support/portal-pages.ts";

portalTests(
  "the customer portal on its own host",
  (portal) => {
    const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
    const isSignedInAt = async (page: Page, url: string) => {
      const answer = await page.context().request.get(`${url}/api/portal/v1/me`);
      return answer.status() === 200;
    };

    test("the URL from an app leads to its license on the portal's host, and a code signs in there", async () => {
      const { fixture } = portal.dashboard;
      const page = await portal.visitor();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(`${fixture.url}/portal/open#${encodeURIComponent(portal.fullLicense.key)}`);
      await heading(page, "Sign in to your licenses");
      // The browser kept the fragment over the redirect, and the page removed it.
      expect(page.url()).toBe(`${portal.url}/open`);
      await page.getByLabel("Email address").fill(portal.email);
      await page.keyboard.press("Enter");
      await heading(page, "Check your email");
      await page.getByLabel("Code from the email").fill(await portal.code(portal.email));
      await heading(page, "Polaris");
      await page.getByText("All 2 IP addresses of this license are in use").waitFor();
      expect(page.url()).toBe(`${portal.url}/licenses/${portal.fullLicense.id}?from=app`);
      // No server gets a fragment, so none gets the key in a URL.
      const { key } = portal.fullLicense;
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

    test("the link in the email signs in on the portal's host", async () => {
      const page = await portal.visitor();
      await page.goto(`${portal.url}/account`);
      await page.getByLabel("Email address").fill(portal.email);
      await page.keyboard.press("Enter");
      await heading(page, "Check your email");
      const other = await portal.visitor();
      await other.goto(await portal.link(portal.email));
      await other.getByRole("button", { name: "Sign in" }).click();
      await heading(other, "Your account");
      expect(other.url()).toBe(`${portal.url}/account`);
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
