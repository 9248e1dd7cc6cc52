import { expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { Webhook } from "standardwebhooks";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import {
  openWebhookNode,
  type TestEndpoint,
  TestReceivers,
} from "../../../../tests/support/webhook-nodes.ts";
import { attemptsAt, makeDeliveries } from "../../../../tests/support/webhooks.ts";
import { Prober } from "./probe.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

onBothDatabases("an endpoint disabled for failing", (fixture) => {
  const receivers = new TestReceivers();
  /** A disabled endpoint with this many missed events, whose next probe is due. */
  const disabled = async (missed: number, settings: Parameters<TestReceivers["endpoint"]>[1] = {}) => {
    const nowMs = Date.now();
    const endpoint = await receivers.endpoint(fixture, {
      status: "disabled",
      disabled_reason: "failing",
      disabled_at: nowMs - hourMs,
      failing_since: nowMs - 6 * dayMs,
      next_probe_at: nowMs - 1,
      ...settings,
    });
    const held = Array.from({ length: missed }, () => ({ state: "held" as const, attempts: 0 }));
    const deliveries = await makeDeliveries(endpoint, held);
    return { ...endpoint, webhookIds: deliveries.map((row) => webhookId(row.event_id)) };
  };
  const probe = () =>
    new Prober({
      store: fixture.store,
      send: receivers.send,
      url: "http://127.0.0.1",
      random: () => 0,
    }).run();
  const receivedIds = (endpoint: TestEndpoint) =>
    endpoint.received().map((request) => String(request.headers["webhook-id"]));
  const emailsTo = async ({ ownerEmail }: TestEndpoint) => openedEmails(fixture.store, { to: ownerEmail });
  const auditOf = ({ organizationId }: TestEndpoint) =>
    fixture.reads
      .selectFrom("audit_log")
      .select(["action", "actor_kind", "actor_name"])
      .where("organization_id", "=", organizationId)
      .execute();

  test("is enabled when a probe succeeds, gets each missed event once, and its owner is notified", async () => {
    const endpoint = await disabled(3);
    await probe();
    expect(await endpoint.row()).toMatchObject({
      status: "enabled",
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      next_probe_at: null,
      auto_reenable: 1,
    });
    const [first] = endpoint.received();
    expect(receivedIds(endpoint)).toEqual(endpoint.webhookIds.slice(0, 1));
    new Webhook(endpoint.secret).verify(first?.body ?? "", first?.headers ?? {});
    const node = openWebhookNode(fixture.store, receivers.send);
    await node.until("all arrived", async () =>
      (await endpoint.states()).every((state) => state === "delivered"),
    );
    expect(receivedIds(endpoint).toSorted()).toEqual(endpoint.webhookIds.toSorted());
    expect(await auditOf(endpoint)).toEqual([
      { action: "webhook.enabled", actor_kind: "system", actor_name: "Countersign" },
    ]);
    const emails = await emailsTo(endpoint);
    expect(emails.map((email) => email.kind)).toEqual(["endpoint_enabled"]);
    expect(emails[0]?.body_text).toContain("is responding again");
  });

  test("stays disabled when a probe fails, and is probed with the oldest and the newest event in turns", async () => {
    const endpoint = await disabled(3);
    endpoint.reply(500);
    await probe();
    expect(await endpoint.row()).toMatchObject({ status: "disabled", disabled_reason: "failing", probes: 1 });
    expect(await endpoint.states()).toEqual(["held", "held", "held"]);
    expect(await attemptsAt(fixture.store, endpoint.endpointId)).toMatchObject([{ status: 500 }]);
    await probe();
    expect((await endpoint.row()).probes).toBe(1);
    await endpoint.set({ next_probe_at: Date.now() - 1 });
    await probe();
    const [oldest = "", , newest = ""] = endpoint.webhookIds;
    expect(receivedIds(endpoint)).toEqual([oldest, newest]);
    expect(await emailsTo(endpoint)).toEqual([]);
  });

  test.each([
    ["is probed again an hour after the first failure", { probes: 0 }, hourMs],
    ["is probed again six hours after the 25th failure", { probes: 24 }, 6 * hourMs],
    ["is not probed again after 30 days", { disabled_at: Date.now() - 30 * dayMs }, null],
  ])("%s", async (_, settings, delayMs) => {
    const endpoint = await disabled(1, settings);
    endpoint.reply(500);
    const beforeMs = Date.now();
    await probe();
    const { next_probe_at: next } = await endpoint.row();
    if (delayMs === null) expect(next).toBeNull();
    else expect((next ?? 0) - beforeMs).toBeWithin(delayMs, delayMs + 30_000);
  });

  test("is probed with a test event if it missed nothing", async () => {
    const endpoint = await disabled(0);
    await probe();
    expect((await endpoint.row()).status).toBe("enabled");
    expect(endpoint.received().map((one) => JSON.parse(one.body).type)).toEqual(["endpoint.test"]);
    expect(await endpoint.states()).toEqual(["delivered"]);
  });

  test("is no longer probed after a 410, and its owner is notified", async () => {
    const endpoint = await disabled(2);
    endpoint.reply(410);
    await probe();
    expect(await endpoint.row()).toMatchObject({ disabled_reason: "gone", next_probe_at: null });
    expect((await auditOf(endpoint)).map((entry) => entry.action)).toEqual(["webhook.disabled"]);
    expect((await emailsTo(endpoint)).map((email) => email.kind)).toEqual(["endpoint_disabled"]);
    await endpoint.set({ next_probe_at: Date.now() - 1 });
    await probe();
    expect(endpoint.received()).toHaveLength(1);
  });

  test("is probed once, however many nodes do so at the same time", async () => {
    const endpoints = await Promise.all(Array.from({ length: 20 }, () => disabled(1)));
    for (const endpoint of endpoints) endpoint.reply(500);
    await Promise.all([probe(), probe(), probe()]);
    for (const endpoint of endpoints)
      expect([endpoint.received().length, (await endpoint.row()).probes]).toEqual([1, 1]);
  });

  test("that was enabled or disabled by someone during the probe stays so", async () => {
    const endpoint = await disabled(1);
    const changing = new Prober({
      store: fixture.store,
      send: async (outgoing, broken) => {
        if (outgoing.url === endpoint.url)
          await endpoint.set({ disabled_reason: "by_hand", next_probe_at: null });
        return receivers.send(outgoing, broken);
      },
      url: "http://127.0.0.1",
      random: () => 0,
    });
    await changing.run();
    expect(await endpoint.row()).toMatchObject({ status: "disabled", disabled_reason: "by_hand" });
    expect(await endpoint.states()).toEqual(["delivered"]);
  });
});
