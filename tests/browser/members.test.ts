import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  openContext,
  pageErrorsOf,
  violationsOf,
  visit,
} from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { sqlite } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";

const name = "an invited member sees only what the role allows, and more once the role allows it";

if (chromiumPath === null) skipWithReason(name, howToGetChromium);
else
  describe.each([sqlite])("members, on $kind", ({ make }) => {
    let dashboard: Dashboard;
    afterEach(() => dashboard.close());
    afterAll(closeChromium);

    test(name, async () => {
      dashboard = await openDashboard(make);
      const { fixture, manage, productId, organizationId, slug } = dashboard;
      const inside = `${fixture.url}/o/${slug}`;
      const license = await manage("POST", `/products/${productId}/licenses`, {
        customer_email: "carla@example.com",
      });
      const owner = await dashboard.pageFor(dashboard.owner);
      const troubles = pageErrorsOf(owner);

      await owner.goto(`${inside}/roles/new`);
      await owner.getByLabel("Name").fill("Front desk");
      await owner.getByRole("checkbox", { name: "View licenses" }).check();
      await owner.getByRole("button", { name: "Create role" }).click();
      await owner.getByRole("link", { name: "Front desk" }).waitFor();

      await visit(owner, `${inside}/members`);
      await owner.getByRole("button", { name: "Invite" }).click();
      const dialog = owner.getByRole("dialog");
      await dialog.getByLabel("Email").fill("bo@example.com");
      await dialog.getByRole("combobox", { name: "Role" }).click();
      // The default roles, each with its permissions.
      await owner.getByRole("option", { name: /^Support.*reset IP addresses/ }).waitFor();
      await owner.getByRole("option", { name: /^Read-only.*change nothing/ }).waitFor();
      await owner.getByRole("option", { name: /^Front desk.*1 permission: Licenses/ }).click();
      await dialog.getByText("Email is not set up on this server.").waitFor();
      await dialog.getByRole("button", { name: "Create link" }).click();
      const linkDialog = owner.getByRole("dialog", { name: "Invitation for bo@example.com" });
      await linkDialog.getByText("Email is not set up on this server").waitFor();
      const link = (await linkDialog.getByText(/\/invitations\//).textContent()) ?? "";
      await linkDialog.getByRole("button", { name: "Copy link" }).click();
      await linkDialog.getByRole("button", { name: "Done" }).click();
      await owner.getByRole("cell", { name: /^bo@example.com/ }).waitFor();

      const signedInUser = await (await openContext()).newPage();
      troubles.push(...pageErrorsOf(signedInUser));
      await signedInUser.goto(link);
      await signedInUser.getByText("You'll sign in with bo@example.com").waitFor();
      expect(await violationsOf(signedInUser)).toEqual([]);
      await signedInUser.getByLabel("Name").fill("Bo");
      await signedInUser.getByRole("textbox", { name: "Password" }).fill("a password of his own");
      await signedInUser.getByRole("button", { name: "Create account and join" }).click();
      await signedInUser.getByRole("heading", { name: "Overview" }).waitFor();
      // A used link says so and leads to the sign-in page.
      const late = await (await openContext()).newPage();
      await late.goto(link);
      await late.getByRole("heading", { name: "This invitation was already accepted" }).waitFor();
      await late.getByRole("link", { name: "Sign in" }).click();
      await late.getByLabel("Password").first().waitFor();
      await late.close();
      expect(await placesOf(signedInUser)).toEqual(["Overview", "Licenses", "IP addresses"]);

      await visit(signedInUser, `${inside}/licenses`);
      await signedInUser.getByText(license.license_key).first().waitFor();
      expect(await offers(signedInUser, /^(New license|Import|Export|Revoke)$/)).toBe(0);
      await visit(signedInUser, `${inside}/licenses/${license.id}`);
      await signedInUser.getByText(license.license_key).first().waitFor();
      expect(await offers(signedInUser, /^(Renew|Revoke|Edit|Delete|Reset)\b/)).toBe(0);

      for (const path of closed) {
        await visit(signedInUser, inside);
        await visit(signedInUser, `${inside}/${path}`);
        await signedInUser
          .getByRole("heading", { name: "You don't have permission to see this page" })
          .waitFor();
      }
      expect(await violationsOf(signedInUser)).toEqual([]);
      expect(await placesOf(signedInUser)).toEqual(["Overview", "Licenses", "IP addresses"]);

      // The server refuses it, too.
      const refused = [
        ["POST", `/products/${productId}/licenses`],
        ["POST", `/licenses/${license.id}/revoke`],
        ["PATCH", `/organizations/${organizationId}`],
        ["GET", `/organizations/${organizationId}/audit-log`],
        ["GET", `/organizations/${organizationId}/members`],
      ] as const;
      for (const [method, path] of refused)
        expect([path, await statusOf(signedInUser, method, path)]).toEqual([path, 403]);

      await visit(owner, `${inside}/roles`);
      await owner.getByRole("link", { name: "Front desk" }).click();
      await owner.getByRole("checkbox", { name: "Create licenses" }).check();
      await owner.getByRole("checkbox", { name: "View products" }).check();
      await owner.getByRole("button", { name: "Save" }).click();
      await owner.getByText("Applies immediately to 1 member").waitFor();
      await owner.getByRole("link", { name: "Duplicate" }).click();
      await owner.getByRole("button", { name: "Create role" }).click();
      await owner.getByRole("link", { name: "Front desk (copy)" }).waitFor();

      await signedInUser.goto(`${inside}/licenses`);
      await signedInUser.getByRole("link", { name: "New license" }).click();
      await signedInUser.getByRole("heading", { name: "New license" }).waitFor();
      expect(await placesOf(signedInUser)).toEqual([
        "Overview",
        "Licenses",
        "Products",
        "IP addresses",
        "Usage",
      ]);
      expect(await statusOf(signedInUser, "POST", `/products/${productId}/licenses`)).toBe(422);

      await visit(signedInUser, `${fixture.url}/account`);
      await signedInUser.getByRole("button", { name: /^Leave Nordlicht/ }).click();
      await signedInUser.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
      await signedInUser.getByText("You don't belong to any organization").waitFor();
      expect(await statusOf(signedInUser, "GET", `/organizations/${organizationId}`)).toBe(404);
      expect(troubles).toEqual([]);
    }, 180_000);
  });

/** What a role with only `licenses:view` hides. */
const closed = [
  "licenses/new",
  "licenses/import",
  "products",
  "products/new",
  "customers",
  "transfers",
  "webhooks",
  "audit-log",
  "members",
  "roles",
  "access-tokens",
  "settings",
];

async function placesOf(page: Page): Promise<string[]> {
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  const names = await links.and(page.locator(":not([href='/docs'])")).allInnerTexts();
  return names.map((words) => words.trim());
}

/** The number of buttons and links with these names. */
async function offers(page: Page, words: RegExp): Promise<number> {
  const main = page.getByRole("main");
  return (
    (await main.getByRole("button", { name: words }).count()) +
    (await main.getByRole("link", { name: words }).count())
  );
}

/** The same request that the page sends. */
async function statusOf(page: Page, method: string, path: string): Promise<number> {
  return page.evaluate(
    async ([how, where]) => {
      const body = how === "GET" ? {} : { headers: { "content-type": "application/json" }, body: "{}" };
      return (await fetch(`/api/manage/v1${where}`, { method: how, ...body })).status;
    },
    [method, path] as const,
  );
}
