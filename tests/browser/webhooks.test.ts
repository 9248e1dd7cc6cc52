import { afterAll, beforeAll, expect, test } from "bun:test";
import { violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { freePort } from "../support/free-port.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

dashboardTests("webhooks in the dashboard", (dashboard) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());

  test("a webhook is created, tested, fails, and is sent again", async () => {
    const { fixture, manage } = dashboard;
    const page = await dashboard.page();
    const button = (label: string) => page.getByRole("button", { name: label, exact: true });

    await visit(page, `${dashboard.home}/webhooks/new`);
    await page.getByRole("textbox", { name: "URL" }).fill("ftp://nowhere.example");
    await page.getByLabel("Name").fill("Order desk");
    await button("Create endpoint").click();
    await page.getByText("Enter a URL that starts with https:// or http://.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Order desk");
    await page.getByRole("textbox", { name: "URL" }).fill(`${receiver.url}/orders`);
    await button("Create endpoint").click();
    await page
      .getByRole("dialog")
      .locator("pre")
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByLabel("I've saved it somewhere safe").check();
    await button("Continue").click();
    await page.getByRole("heading", { level: 1, name: "Order desk" }).waitFor();
    const endpointId = new URL(page.url()).pathname.split("/").at(-1) ?? "";

    await button("Send test").click();
    await page.getByText(/Responded with 200/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

    // The receiver fails. A delivery that waits for its last attempt can be sent at once.
    receiver.reply = () => ({ status: 500, body: "the database is locked" });
    await dashboard.addLicense({ customer_email: "carla@example.com" });
    await until("it waits for its last attempt", () =>
      fixture.store.transaction(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable("deliveries")
          .set({ next_attempt_at: Date.now() + 3_600_000, attempts: 9 })
          .where("endpoint_id", "=", endpointId)
          .where("state", "=", "pending")
          .where("attempts", ">", 0)
          .where("claimed_by", "is", null)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),
    );
    await page.reload();
    const tries = receiver.received.length;
    await page
      .getByRole("row")
      .filter({ hasText: "Retrying" })
      .getByRole("button", { name: "Send now" })
      .click();
    await until("it is sent", () => receiver.received.length > tries);
    const deliveries = `/organizations/${dashboard.organizationId}/webhooks/${endpointId}/deliveries`;
    await until(
      "it failed",
      async () => (await manage("GET", `${deliveries}?state=failed`)).data.length === 1,
    );
    await page.reload();
    await page.getByRole("table").getByText("Failed").waitFor();
    await button("License created license.created").click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("10 attempts").waitFor();
    await drawer.getByText("the database is locked").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);

    // The receiver recovers, and missed events are sent again.
    receiver.reply = () => ({ status: 200 });
    const before = receiver.received.length;
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });
    await button("Resend events").click();
    await page.getByText("1 event matches.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Resend", exact: true }).click();
    await until("it arrived", () => receiver.received.length > before);
    const failed = page.getByRole("row").filter({ hasText: "license.created" });
    await failed.filter({ hasText: "Delivered" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("an endpoint's headers, format and status are changed in turn, and it is deleted", async () => {
    const { manage, organizationId } = dashboard;
    receiver.reply = () => ({ status: 200 });
    const all = `/organizations/${organizationId}/webhooks`;
    const { id } = await manage("POST", all, { url: `${receiver.url}/chat`, description: "Chat" });
    const page = await dashboard.page();
    const button = (label: string) => page.getByRole("button", { name: label, exact: true });
    const dialog = page.getByRole("dialog");
    const saved = async () => {
      await button("Save").click();
      await page.getByText("Endpoint saved.").last().waitFor();
    };
    const arrivedAfter = async (before: number) => {
      const fromHere = () => receiver.received.slice(before).find(({ path }) => path === "/chat");
      await until("it arrived", () => fromHere() !== undefined);
      return fromHere();
    };
    const addLicense = async () => {
      const before = receiver.received.length;
      await dashboard.addLicense({ customer_email: "dora@example.com" });
      return arrivedAfter(before);
    };

    await visit(page, `${dashboard.home}/webhooks/${id}?tab=settings`);
    await button("Add header").click();
    await page.getByLabel("Header name").fill("host");
    await page.getByLabel("Value of host").fill("first");
    await button("Save").click();
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await page.getByLabel("Value of host").inputValue()).toBe("first");
    await page.getByLabel("Header name").fill("x-tenant");
    await saved();
    expect((await addLicense())?.headers["x-tenant"]).toBe("first");

    // A change made outside the form neither invalidates it nor discards what was typed.
    await page.getByLabel("Value of x-tenant").fill("second");
    await button("Disable").click();
    await dialog.getByText("new events are not kept for it").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Endpoint disabled.").waitFor();
    expect(await page.getByLabel("Value of x-tenant").inputValue()).toBe("second");
    await page.getByText("Discord", { exact: true }).click();
    await saved();
    await button("Enable").click();
    await dialog.getByRole("button", { name: "Enable" }).click();
    await page.getByText("Endpoint enabled.").waitFor();
    const discord = await addLicense();
    expect(discord?.headers["x-tenant"]).toBe("second");
    expect(JSON.parse(discord?.body ?? "")).toHaveProperty("embeds");
    await button("Remove x-tenant").click();
    await page.getByText("Slack", { exact: true }).click();
    await saved();
    const slack = await addLicense();
    expect(slack?.headers).not.toHaveProperty("x-tenant");
    expect(JSON.parse(slack?.body ?? "")).toHaveProperty("text");

    // One delivery is sent again and shows its progress.
    await page.getByRole("tab", { name: "Deliveries" }).click();
    const before = receiver.received.length;
    await page
      .getByRole("row")
      .filter({ hasText: "license.created" })
      .first()
      .getByRole("button", { name: /^Resend/ })
      .click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Resend", exact: true }).click();
    await arrivedAfter(before);
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
    expect((await manage("GET", all)).data.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test("the page of an endpoint that answered 410 says so, and how many events it gets when it is enabled again", async () => {
    const { manage, organizationId } = dashboard;
    receiver.reply = ({ path }) => ({ status: path === "/moved" ? 410 : 200 });
    const all = `/organizations/${organizationId}/webhooks`;
    const { id } = await manage("POST", all, { url: `${receiver.url}/moved`, description: "Moved" });
    const addLicense = (email: string) => dashboard.addLicense({ customer_email: email });
    await addLicense("first@example.com");
    await until("it is disabled", async () => (await manage("GET", `${all}/${id}`)).status === "disabled");
    await addLicense("second@example.com");

    const page = await dashboard.page();
    await visit(page, `${dashboard.home}/webhooks/${id}`);
    const gone = page.getByText("It responded with 410 Gone, so nothing more is sent.");
    await gone.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    receiver.reply = () => ({ status: 200 });
    await page.getByRole("button", { name: "Enable" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 waiting events will be sent now.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Enable" }).click();
    await gone.waitFor({ state: "detached" });
  });

  test("the reason for a failed attempt is translated", async () => {
    const { manage, organizationId } = dashboard;
    const anonymous = await freePort();
    const { id } = await manage("POST", `/organizations/${organizationId}/webhooks`, {
      url: `http://127.0.0.1:${anonymous}/`,
      description: "Nobody",
    });
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
