import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openPage, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";

dashboardTests("members", (dashboard) => {
  test("an invited member sees only what the role allows, and more once the role allows it", async () => {
    const { fixture, home: inside } = dashboard;
    const license = await dashboard.addLicense({ customer_email: "carla@example.com" });
    const owner = await dashboard.page();
    await visit(owner, `${inside}/roles/new`);
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

    const member = await openPage();
    await member.goto(link);
    await member.getByText("You'll sign in with bo@example.com").waitFor();
    expect(await violationsOf(member)).toEqual([]);
    await member.getByLabel("Name").fill("Bo");
    await member.getByRole("textbox", { name: "Password" }).fill("a password of his own");
    await member.getByRole("button", { name: "Create account and join" }).click();
    await member.getByRole("heading", { name: "Overview" }).waitFor();
    // A used link says so and leads to the sign-in page.
    const late = await openPage();
    await late.goto(link);
    await late.getByRole("heading", { name: "This invitation was already accepted" }).waitFor();
    expect(await violationsOf(late)).toEqual([]);
    await late.getByRole("link", { name: "Sign in" }).click();
    await late.getByLabel("Password").first().waitFor();
    expect(await placesOf(member)).toEqual(["Overview", "Licenses", "IP addresses", "Customer portal"]);

    await visit(member, `${inside}/licenses`);
    await member.getByText(license.license_key).first().waitFor();
    expect(await offers(member, /^(New license|Import|Export|Revoke)$/)).toBe(0);
    await visit(member, `${inside}/licenses/${license.id}`);
    await member.getByText(license.license_key).first().waitFor();
    expect(await offers(member, /^(Renew|Revoke|Edit|Delete|Reset)\b/)).toBe(0);

    await visit(member, `${inside}/products`);
    await member.getByRole("heading", { name: "You don't have permission to see this page" }).waitFor();
    expect(await violationsOf(member)).toEqual([]);
    expect(await placesOf(member)).toEqual(["Overview", "Licenses", "IP addresses", "Customer portal"]);

    await visit(owner, `${inside}/roles`);
    await owner.getByRole("link", { name: "Front desk" }).click();
    await owner.getByRole("checkbox", { name: "Create licenses" }).check();
    await owner.getByRole("checkbox", { name: "View products" }).check();
    await owner.getByRole("button", { name: "Save" }).click();
    await owner.getByText("Applies immediately to 1 member").waitFor();
    await owner.getByRole("link", { name: "Duplicate" }).click();
    await owner.getByRole("button", { name: "Create role" }).click();
    await owner.getByRole("link", { name: "Front desk (copy)" }).waitFor();

    await member.goto(`${inside}/licenses`);
    await member.getByRole("link", { name: "New license" }).click();
    await member.getByRole("heading", { name: "New license" }).waitFor();
    expect(await placesOf(member)).toEqual([
      ...["Overview", "Licenses", "Products", "IP addresses", "Usage", "Customer portal"],
    ]);

    await visit(member, `${fixture.url}/account`);
    await member.getByRole("button", { name: /^Leave Nordlicht/ }).click();
    await member.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await member.getByText("You don't belong to any organization").waitFor();
  });
});

async function placesOf(page: Page): Promise<string[]> {
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  const names = await links.and(page.locator(":not([href='/docs/'])")).allInnerTexts();
  return names.map((words) => words.trim());
}

/** The number of buttons and links with these names. */
function offers(page: Page, name: RegExp): Promise<number> {
  const main = page.getByRole("main");
  return main.getByRole("button", { name }).or(main.getByRole("link", { name })).count();
}
