import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { goodPassword, linkIn } from "../support/sign-in-fixture.ts";
import { storedRow } from "../support/stored-rows.ts";

dashboardTests("an organization and its owner", (dashboard) => {
  test("an organization is exported, transferred to a user, scheduled for deletion and kept", async () => {
    const { fixture, manage, organizationId, slug, home: inside } = dashboard;
    const license = await dashboard.addLicense({ customer_email: "carla@example.com" });
    const path = `/organizations/${organizationId}`;
    const permissions = ["organization:manage", "members:view", "audit_log:view"];
    const { id: role_id } = await manage("POST", `${path}/roles`, { name: "Partner", permissions });
    const owner = await dashboard.page();

    // An invited user who is signed in with another account accepts with the invited account.
    const heir = await fixture.createUser();
    await manage("POST", `${path}/invitations`, { email: heir.email, role_id });
    const successor = await dashboard.pageFor(await fixture.createSignedInUser());
    await successor.goto(linkIn((await fixture.emails(heir.email)).at(-1)).href);
    await successor.getByText("but this invitation is for").waitFor();
    expect(await violationsOf(successor)).toEqual([]);
    await successor.getByRole("button", { name: "Sign out and continue" }).click();
    await successor.getByText(`An account with ${heir.email} already exists. Sign in to accept.`).waitFor();
    await successor.getByRole("textbox", { name: "Password" }).fill(goodPassword);
    await successor.getByRole("button", { name: "Sign in", exact: true }).click();
    await successor.getByRole("button", { name: "Accept invitation" }).click();
    await successor.getByRole("heading", { name: "Overview" }).waitFor();

    await visit(owner, `${inside}/settings`);
    const everything = await download(owner, owner.getByRole("link", { name: "Download" }));
    expect(everything.name).toBe(`${slug}.jsonl`);
    expect(everything.text).toContain(license.license_key);
    expect(everything.text).not.toContain(dashboard.apiKey);

    await owner.getByRole("button", { name: "Transfer ownership" }).click();
    const dialog = owner.getByRole("dialog", { name: "Transfer ownership" });
    await dialog.getByRole("textbox", { name: /^Type/ }).fill(dashboard.organizationName);
    expect(await dialog.getByRole("button", { name: "Transfer ownership" }).isDisabled()).toBe(true);
    await dialog.getByRole("combobox", { name: "New owner" }).click();
    await owner.getByRole("option", { name: heir.email }).click();
    await dialog.getByRole("combobox", { name: "Your new role" }).click();
    await owner.getByRole("option", { name: "Partner" }).click();
    expect(await violationsOf(owner)).toEqual([]);
    await dialog.getByRole("button", { name: "Transfer ownership" }).click();
    await owner.getByText(/ is now the owner of /).waitFor();
    // Controls that the new role does not allow disappear at once.
    await owner.getByRole("link", { name: "Licenses" }).waitFor({ state: "detached" });
    expect(await owner.getByRole("button", { name: "Transfer ownership" }).count()).toBe(0);

    await visit(owner, `${inside}/audit-log`);
    await owner.getByRole("button", { name: "Export", exact: true }).click();
    const log = await download(owner, owner.getByRole("menuitem", { name: /^CSV/ }));
    expect(log.name).toBe("audit-log.csv");
    expect(log.text).toContain("organization.ownership_transferred");

    // A reload, because the page of the successor has loaded the organization before it was theirs.
    await successor.goto(`${inside}/settings`);
    await successor.getByRole("button", { name: "Delete organization" }).click();
    const question = successor.getByRole("dialog");
    const action = question.getByRole("button", { name: "Delete organization" });
    expect(await action.isDisabled()).toBe(true);
    await question.getByRole("textbox").fill("N");
    expect(await action.isDisabled()).toBe(true);
    await question.getByRole("textbox").fill(dashboard.organizationName);
    expect(await violationsOf(successor)).toEqual([]);
    await action.click();
    await successor.getByRole("heading", { name: "Deletion pending" }).waitFor();
    expect(await violationsOf(successor)).toEqual([]);
    const stored = () => storedRow(fixture.store.reads, "organizations", { id: organizationId });
    expect((await stored()).delete_after).not.toBeNull();
    await successor.getByRole("button", { name: "Cancel deletion" }).click();
    await successor.getByRole("button", { name: "Delete organization" }).waitFor();
    expect((await stored()).delete_after).toBeNull();
  });

  test("ending all other sessions keeps the current one signed in", async () => {
    const here = await dashboard.pageFor(dashboard.owner);
    const there = await dashboard.pageFor(dashboard.owner);
    await there.goto(`${dashboard.fixture.url}/account`);
    await there.getByRole("heading", { level: 1 }).waitFor();
    await here.goto(`${dashboard.fixture.url}/account/sessions`);
    await here.getByText("This browser").waitFor();
    await here.getByRole("button", { name: "End all other sessions" }).click();
    await here.getByRole("dialog").getByRole("button", { name: "End all other sessions" }).click();
    await here.getByRole("dialog").waitFor({ state: "detached" });
    await here.getByRole("button", { name: "End all other sessions" }).waitFor({ state: "detached" });
    await there.reload();
    await there.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await here.reload();
    await here.getByText("This browser").waitFor();
    expect(await here.getByRole("button", { name: /^End the session/ }).count()).toBe(0);
  });
});

async function download(page: Page, control: Locator) {
  const [file] = await Promise.all([page.waitForEvent("download"), control.click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}
