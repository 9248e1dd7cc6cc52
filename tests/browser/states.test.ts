import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  openContext,
  pageErrorsOf,
  violationsOf,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { sqlite } from "../support/databases.ts";
import { goodPassword, linkIn, type TestUser, tokenIn } from "../support/sign-in-fixture.ts";
import { skipWithReason } from "../support/skip.ts";

if (chromiumPath === null) skipWithReason("rare states", howToGetChromium);
// The dashboard behaves the same on both databases.
else
  describe("rare states", () => {
    let dashboard: Dashboard;
    let home: string;
    beforeAll(async () => {
      // Email is configured, so emails wait in the outbox.
      dashboard = await openDashboard(sqlite.make, {
        COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
        COUNTERSIGN_MAIL_FROM: "license@example.com",
      });
      home = `${dashboard.fixture.url}/o/${dashboard.slug}`;
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test("a used password link offers a new link on the same page", async () => {
      const { fixture } = dashboard;
      const person = await fixture.createUser();
      const ask = () => fixture.browser().auth("/request-password-reset", { email: person.email });
      await ask();
      const token = tokenIn((await fixture.emails(person.email)).at(-1));
      await fixture.browser().auth("/reset-password", { token, newPassword: "a first one, long enough" });
      const before = (await fixture.emails(person.email)).length;

      const page = await (await openContext()).newPage();
      const troubles = pageErrorsOf(page);
      await page.goto(`${fixture.url}/reset-password?token=${token}`);
      await page.getByRole("heading", { name: "This link doesn't work" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByLabel("Email").fill(person.email);
      await page.getByRole("button", { name: "Send reset link" }).click();
      await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      expect((await fixture.emails(person.email)).length).toBe(before + 1);
      expect(troubles).toEqual([]);
      await page.context().close();
    }, 180_000);

    test("without a product, pages that need one link to its creation", async () => {
      const { fixture, manage, owner } = dashboard;
      const { slug } = await manage("POST", "/organizations", { name: "Fresh start" });
      const page = await dashboard.pageFor(owner);
      for (const where of ["licenses", "licenses/new", "licenses/import"]) {
        await page.goto(`${fixture.url}/o/${slug}/${where}`);
        await page.getByRole("heading", { name: "Create a product first" }).waitFor();
        await page.getByRole("link", { name: "New product" }).click();
        await page.waitForURL(`${fixture.url}/o/${slug}/products/new`);
      }
      // An empty list offers its action once and has no filters.
      for (const [where, what] of [
        ["products", "New product"],
        ["customers", "New customer"],
        ["ip-blocks", "Block an IP address"],
        ["access-tokens", "New access token"],
      ] as const) {
        await page.goto(`${fixture.url}/o/${slug}/${where}`);
        const offer = page.getByRole(where === "customers" || where === "ip-blocks" ? "button" : "link", {
          name: what,
        });
        await page.getByRole("heading", { level: 2 }).waitFor();
        expect(await offer.count()).toBe(1);
        expect(await page.getByRole("searchbox").count()).toBe(0);
      }
      expect(await violationsOf(page)).toEqual([]);
      await page.context().close();
    }, 180_000);

    test("members who can only view licenses have no checkboxes to select them", async () => {
      await addLicense("carla@example.com");
      const page = await dashboard.pageFor(await member(["licenses:view"]));
      await page.goto(`${home}/licenses`);
      await page.getByRole("row").filter({ hasText: "carla@example.com" }).waitFor();
      expect(await page.getByRole("checkbox").count()).toBe(0);
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      expect(await page.getByText("1 chosen").count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      await page.context().close();
    }, 180_000);

    test("the reason why an email was not sent is translated and includes the mail server's response", async () => {
      const { fixture, owner } = dashboard;
      const { email } = await member(["licenses:view"]);
      // Marked as given up, because a retry would fail at a missing server.
      const failure = JSON.stringify({
        code: "email_rejected",
        params: { response: "550 5.1.1 User unknown" },
      });
      await fixture.store.transaction((db) =>
        db
          .updateTable("outbox")
          .set({ failure, next_attempt_at: null })
          .where("recipient", "=", email)
          .execute(),
      );
      const [message] = await fixture.emails(email);
      const page = await dashboard.pageFor(owner);
      await speak(page, "de");
      await page.goto(`${fixture.url}/admin/outbox/${message?.id}`);
      await page.getByText("Der Mailserver hat die E-Mail abgelehnt: 550 5.1.1 User unknown").waitFor();
      await page.goto(`${fixture.url}/admin/outbox?recipient=${encodeURIComponent(email)}`);
      await page.getByText("Fehlgeschlagen", { exact: true }).first().hover();
      await page.getByRole("tooltip").filter({ hasText: "Der Mailserver hat" }).waitFor();
      await page.context().close();
    }, 180_000);

    test("in a suspended organization, settings and tokens are visible, and everything can be removed", async () => {
      const { manage, organizationId, owner } = dashboard;
      await manage("POST", `/organizations/${organizationId}/access-tokens`, {
        name: "Shop",
        permissions: ["licenses:view"],
        password: goodPassword,
      });
      await manage("POST", `/admin/organizations/${organizationId}/suspend`, { reason: "An open invoice" });
      const page = await dashboard.pageFor(owner);
      await page.goto(`${home}/settings`);
      await page.getByText("nothing can be changed. Reason: An open invoice").waitFor();
      await page.getByRole("heading", { name: "Plan" }).waitFor();
      await page.getByRole("link", { name: "Download" }).waitFor();
      expect(await page.getByRole("button", { name: /Save|Delete|Transfer ownership/ }).count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      await page.goto(`${home}/access-tokens`);
      await page.getByText("Shop", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: /Revoke/ }).count()).toBe(0);
      expect(await page.getByRole("link", { name: "New access token" }).count()).toBe(0);
      await manage("POST", `/admin/organizations/${organizationId}/restore`, {});
      await page.context().close();
    }, 180_000);

    function addLicense(email: string) {
      return dashboard.manage("POST", `/products/${dashboard.productId}/licenses`, { customer_email: email });
    }

    async function member(permissions: readonly string[]): Promise<TestUser> {
      const { fixture, manage, organizationId } = dashboard;
      const someone = await fixture.createSignedInUser();
      const role = await manage("POST", `/organizations/${organizationId}/roles`, {
        name: `Role of ${someone.userId}`,
        permissions,
      });
      await manage("POST", `/organizations/${organizationId}/invitations`, {
        email: someone.email,
        role_id: role.id,
      });
      const [message] = (await fixture.emails(someone.email)).filter(({ kind }) => kind === "invitation");
      const token = linkIn(message).pathname.split("/").at(-1);
      await someone.browser.manage("POST", `/invitations/${token}/accept`, {});
      return someone;
    }
  });

async function speak(page: Page, language: string): Promise<void> {
  // Emails are displayed in a frame without storage.
  await page.addInitScript(
    `try { localStorage.setItem("countersign.language", ${JSON.stringify(language)}) } catch {}`,
  );
}
