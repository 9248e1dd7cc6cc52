import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { freePort } from "../support/free-port.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { storedRow } from "../support/stored-rows.ts";
import { until } from "../support/until.ts";
import { makeDeliveries, makeDelivery, makeEndpoint } from "../support/webhooks.ts";

dashboardTests("webhooks in the dashboard", (dashboard) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  beforeEach(() => {
    receiver.reply = () => ({ status: 200 });
  });
  afterAll(() => receiver.close());

  /** The owner's page, and what is used on all pages of webhooks. */
  const openPage = async () => {
    const page = await dashboard.page();
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    return { page, button, dialog: page.getByRole("dialog") };
  };
  /** Where deliveries to this endpoint belong. */
  const ownerOf = (endpointId: string) => {
    const { fixture, organizationId } = dashboard;
    return { store: fixture.store, organizationId, endpointId };
  };

  test("a webhook is created, tested, fails, and is sent again", async () => {
    const { page, button, dialog } = await openPage();
    await visit(page, `${dashboard.home}/webhooks/new`);
    await page.getByRole("textbox", { name: "URL" }).fill("ftp://nowhere.example");
    await page.getByLabel("Name").fill("Order desk");
    await button("Create endpoint").click();
    await page.getByText("Enter a URL that starts with https:// or http://.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Order desk");
    await page.getByRole("textbox", { name: "URL" }).fill(`${receiver.url}/orders`);
    await button("Create endpoint").click();
    const secret = dialog.locator("pre").getByText(/^whsec_/);
    await secret.waitFor();
    await page.getByLabel("I've saved it somewhere safe").check();
    await button("Continue").click();
    await page.getByRole("heading", { level: 1, name: "Order desk" }).waitFor();
    const endpointId = new URL(page.url()).pathname.split("/").at(-1) ?? "";

    await button("Send test").click();
    await page.getByText(/Responded with 200/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();

    // The receiver fails. A delivery that waits for its last attempt can be sent at once.
    receiver.reply = () => ({ status: 500, body: "the database is locked" });
    const waiting = { state: "pending", attempts: 9, next_attempt_at: Date.now() + 3_600_000 } as const;
    const delivery = await makeDelivery(ownerOf(endpointId), { ...waiting, event_type: "license.created" });
    await page.reload();
    const retrying = page.getByRole("row").filter({ hasText: "Retrying" });
    await retrying.getByRole("button", { name: "Send now" }).click();
    const rowOf = () => storedRow(dashboard.fixture.store.reads, "deliveries", { id: delivery.id });
    await until("it failed", async () => (await rowOf()).state === "failed");
    await page.reload();
    await page.getByRole("table").getByText("Failed").waitFor();
    await button("License created license.created").click();
    await dialog.getByText("10 attempts").waitFor();
    await dialog.getByText("the database is locked").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // The receiver recovers, and missed events are sent again.
    receiver.reply = () => ({ status: 200 });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await button("Resend events").click();
    await page.getByText("1 event matches.").waitFor();
    await dialog.getByRole("button", { name: "Resend", exact: true }).click();
    const failed = page.getByRole("row").filter({ hasText: "license.created" });
    await failed.filter({ hasText: "Delivered" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("an endpoint's headers, format and status are changed in turn, and it is deleted", async () => {
    const { store } = dashboard.fixture;
    const all = `/organizations/${dashboard.organizationId}/webhooks`;
    const settings = { url: `${receiver.url}/chat`, description: "Chat" };
    const { id } = await dashboard.manage("POST", all, settings);
    await makeDelivery(ownerOf(id), { event_type: "license.created" });
    const { page, button, dialog } = await openPage();
    const save = async () => {
      await button("Save").click();
      await page.getByText("Endpoint saved.").last().waitFor();
      const { format, sealed_headers: sealed } = await storedRow(store.reads, "webhook_endpoints", { id });
      return [format, sealed && JSON.parse(Buffer.from(store.sealer.open(sealed)).toString())];
    };

    await visit(page, `${dashboard.home}/webhooks/${id}?tab=settings`);
    await button("Add header").click();
    await page.getByLabel("Header name").fill("host");
    await page.getByLabel("Value of host").fill("first");
    await button("Save").click();
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await page.getByLabel("Value of host").inputValue()).toBe("first");
    await page.getByLabel("Header name").fill("x-tenant");
    expect(await save()).toEqual(["standard", { "x-tenant": "first" }]);

    // A change made outside the form neither invalidates it nor discards what was typed.
    await page.getByLabel("Value of x-tenant").fill("second");
    await button("Disable").click();
    await dialog.getByText("new events are not kept for it").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Endpoint disabled.").waitFor();
    expect(await page.getByLabel("Value of x-tenant").inputValue()).toBe("second");
    await page.getByText("Discord", { exact: true }).click();
    expect(await save()).toEqual(["discord", { "x-tenant": "second" }]);
    await button("Enable").click();
    await dialog.getByRole("button", { name: "Enable" }).click();
    await page.getByText("Endpoint enabled.").waitFor();
    await button("Remove x-tenant").click();
    await page.getByText("Slack", { exact: true }).click();
    expect(await save()).toEqual(["slack", null]);

    // One delivery is sent again and shows its progress.
    await page.getByRole("tab", { name: "Deliveries" }).click();
    const created = page.getByRole("row").filter({ hasText: "license.created" });
    await created.getByRole("button", { name: /^Resend/ }).click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Resend", exact: true }).click();
    await dialog.getByText("1 attempt").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });

    await page.getByRole("tab", { name: "Settings" }).click();
    await button("Delete endpoint").click();
    expect(await dialog.getByRole("button", { name: "Delete endpoint" }).isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("textbox").fill("Chat");
    await dialog.getByRole("button", { name: "Delete endpoint" }).click();
    await page.getByText("Endpoint deleted.").waitFor();
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    expect((await dashboard.manage("GET", all)).data.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test("the page of an endpoint that answered 410 says so, and how many events it gets when it is enabled again", async () => {
    const { fixture, organizationId } = dashboard;
    const disabled = { status: "disabled", disabled_reason: "gone", disabled_at: Date.now() } as const;
    const { id } = await makeEndpoint(fixture.store, organizationId, `${receiver.url}/moved`, disabled);
    await makeDeliveries(ownerOf(id), [{ state: "held" }, { state: "held" }]);
    const { page, button, dialog } = await openPage();
    await visit(page, `${dashboard.home}/webhooks/${id}`);
    const gone = page.getByText("It responded with 410 Gone, so nothing more is sent.");
    await gone.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await button("Enable").click();
    await dialog.getByText("2 waiting events will be sent now.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Enable" }).click();
    await gone.waitFor({ state: "detached" });
  });

  test("the reason for a failed attempt is translated", async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const { id } = await makeEndpoint(dashboard.fixture.store, dashboard.organizationId, url);
    const page = await dashboard.germanPage();
    await visit(page, `${dashboard.home}/webhooks/new`);
    await page.getByRole("textbox", { name: "URL" }).fill("http://10.0.0.1/");
    await page.getByRole("button", { name: "Endpunkt erstellen" }).click();
    await page.getByText("Gib eine URL mit einer öffentlichen IP-Adresse ein.").waitFor();

    await page.goto(`${dashboard.home}/webhooks/${id}`);
    await page.getByRole("button", { name: "Test senden" }).click();
    const why = page.getByText("Die Verbindung wurde abgelehnt: Unter der URL antwortet kein Server.");
    await why.waitFor();
    await page.getByRole("button", { name: "Schließen" }).last().click();
    await why.waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Testereignis/ }).click();
    await why.waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
