import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import type { WebhookEndpointRow } from "@countersign/store/tables";
import { Webhook } from "standardwebhooks";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { allowLoopback, attemptsAt, deliveriesTo, makeEndpoint, makeEvents } from "../support/webhooks.ts";

setDefaultTimeout(60_000);

const hour = 3_600_000;
const day = 24 * hour;

describe.each(databases)("an endpoint disabled for failing on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let receiver: Receiver;
  const replies = new Map<string, number>();
  beforeAll(async () => {
    fixture = await openManageFixture(make, { ...allowLoopback, COUNTERSIGN_WEBHOOK_ENDPOINTS: "100" });
    receiver = await openReceiver(({ path }) => ({ status: replies.get(path) ?? 200 }));
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });

  let paths = 0;
  /** A disabled endpoint with its own path, this many missed events, and its next probe in an hour. */
  const disabled = async (answer: number, missed = 2, settings: Partial<WebhookEndpointRow> = {}) => {
    paths += 1;
    const at = `/${paths}`;
    replies.set(at, answer);
    const { id, secret } = await makeEndpoint(fixture.store, fixture.organizationId, receiver.url + at, {
      status: "disabled",
      disabled_reason: "failing",
      disabled_at: Date.now() - hour,
      failing_since: Date.now() - 6 * day,
      next_probe_at: Date.now() + hour,
      product_ids: '["none"]',
      ...settings,
    });
    const path = `/organizations/${fixture.organizationId}/webhooks/${id}`;
    // Selects events only while these are distributed.
    await fixture.store.transaction((db) =>
      db.updateTable("webhook_endpoints").set({ product_ids: null }).where("id", "=", id).execute(),
    );
    const events = await makeEvents(fixture.store, fixture.organizationId, missed);
    await until(
      "the deliveries are held",
      async () => (await deliveriesTo(fixture.store, id)).length === missed,
    );
    await set(id, { product_ids: '["none"]' });
    return {
      id,
      secret,
      path,
      events,
      got: () => receiver.received.filter((one) => one.path === at),
      answers: (status: number) => replies.set(at, status),
      row: () => rowOf(id),
    };
  };
  const set = (id: string, changes: Partial<WebhookEndpointRow>) =>
    fixture.store.transaction((db) =>
      db.updateTable("webhook_endpoints").set(changes).where("id", "=", id).execute(),
    );
  const due = (id: string) => set(id, { next_probe_at: Date.now() - 1 });
  const rowOf = (id: string) =>
    fixture.store.reads
      .selectFrom("webhook_endpoints")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const statesOf = async (id: string) => (await deliveriesTo(fixture.store, id)).map((row) => row.state);
  const emailsSince = async (ms: number) => {
    const rows = await openedEmails(fixture.store);
    return rows.filter((row) => row.created_at >= ms && row.kind.startsWith("endpoint_"));
  };
  const auditOf = async (id: string) => {
    const { body } = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?subject_id=${id}`,
    );
    return body.data as { action: string; actor: { kind: string }; after: { disabled_reason: string } }[];
  };

  test("is enabled when a probe succeeds, gets each missed event once, and its owner is notified", async () => {
    const startedMs = Date.now();
    const endpoint = await disabled(200, 3);
    await due(endpoint.id);
    await until(
      "all arrived",
      async () => (await statesOf(endpoint.id)).join() === "delivered,delivered,delivered",
    );
    expect(
      endpoint
        .got()
        .map((one) => one.id)
        .toSorted(),
    ).toEqual(endpoint.events.map(webhookId).toSorted());
    const [first] = endpoint.got();
    expect(first?.id).toBe(webhookId(endpoint.events[0] ?? ""));
    new Webhook(endpoint.secret).verify(first?.body ?? "", first?.headers as never);
    const { body } = await fixture.owner.api.get(endpoint.path);
    expect(body).toMatchObject({
      status: "enabled",
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      next_probe_at: null,
      auto_reenable: true,
    });
    const [entry] = await auditOf(endpoint.id);
    expect(entry).toMatchObject({
      action: "webhook.enabled",
      actor: { kind: "system", name: "Countersign" },
    });
    const emails = await emailsSince(startedMs);
    expect(emails.map(({ recipient, kind }) => [recipient, kind])).toEqual([
      [fixture.owner.email, "endpoint_enabled"],
    ]);
    expect(emails[0]?.body_text).toContain("is responding again");
  });

  test("stays disabled when a probe fails, and the next one follows an hour later with its newest event", async () => {
    const endpoint = await disabled(500);
    const beforeMs = Date.now();
    await due(endpoint.id);
    await until("it is probed", async () => (await endpoint.row()).probes === 1);
    const row = await endpoint.row();
    expect(row).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    expect((row.next_probe_at ?? 0) - beforeMs).toBeWithin(hour, 1.3 * hour);
    expect(await statesOf(endpoint.id)).toEqual(["held", "held"]);
    expect(await attemptsAt(fixture.store, endpoint.id)).toMatchObject([{ status: 500 }]);
    await due(endpoint.id);
    await until("it is probed again", async () => (await endpoint.row()).probes === 2);
    expect(endpoint.got().map((one) => one.id)).toEqual(endpoint.events.map(webhookId));
    await set(endpoint.id, { probes: 24 });
    await due(endpoint.id);
    await until("the 25th probe", async () => (await endpoint.row()).probes === 25);
    expect(((await endpoint.row()).next_probe_at ?? 0) - Date.now()).toBeWithin(5.9 * hour, 7.3 * hour);
    await set(endpoint.id, { disabled_at: Date.now() - 30 * day });
    await due(endpoint.id);
    await until("the last probe", async () => (await endpoint.row()).probes === 26);
    expect((await endpoint.row()).next_probe_at).toBeNull();
  });

  test("is probed with a test event if it missed nothing", async () => {
    const endpoint = await disabled(200, 0);
    await due(endpoint.id);
    await until("it is enabled", async () => (await endpoint.row()).status === "enabled");
    expect(endpoint.got().map((one) => JSON.parse(one.body).type)).toEqual(["endpoint.test"]);
    expect(await statesOf(endpoint.id)).toEqual(["delivered"]);
  });

  test("is no longer probed after a 410", async () => {
    const startedMs = Date.now();
    const endpoint = await disabled(410);
    await due(endpoint.id);
    await until("it is gone", async () => (await endpoint.row()).disabled_reason === "gone");
    expect((await endpoint.row()).next_probe_at).toBeNull();
    expect((await auditOf(endpoint.id))[0]?.after.disabled_reason).toBe("gone");
    expect((await emailsSince(startedMs)).map((message) => message.kind)).toEqual(["endpoint_disabled"]);
    await due(endpoint.id);
    const other = await disabled(200);
    await due(other.id);
    await until("another is probed", async () => (await other.row()).status === "enabled");
    expect(endpoint.got()).toHaveLength(1);
  });

  test("is no longer probed after being disabled by hand, and gets its missed events when enabled by hand", async () => {
    const byHand = await disabled(200);
    const enabled = await disabled(200);
    expect((await fixture.owner.api.post(`${byHand.path}/disable`)).body.next_probe_at).toBeNull();
    expect((await fixture.owner.api.post(`${enabled.path}/enable`)).body).toMatchObject({
      status: "enabled",
      next_probe_at: null,
    });
    await until(
      "it has all events",
      async () => (await statesOf(enabled.id)).join() === "delivered,delivered",
    );
    expect(enabled.got()).toHaveLength(2);
    await due(byHand.id);
    const other = await disabled(200);
    await due(other.id);
    await until("another is probed", async () => (await other.row()).status === "enabled");
    expect(byHand.got()).toEqual([]);
  });

  test("is not probed without auto_reenable, and is probed when it is turned on or the URL changes", async () => {
    const { body: made } = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/webhooks`, {
      url: "https://hooks.example.invalid/",
      auto_reenable: false,
    });
    expect(made).toMatchObject({ auto_reenable: false, next_probe_at: null });
    const endpoint = await disabled(500);
    const off = await fixture.owner.api.patch(endpoint.path, { auto_reenable: false });
    expect(off.body).toMatchObject({ auto_reenable: false, next_probe_at: null, status: "disabled" });
    expect((await auditOf(endpoint.id))[0]?.after).toEqual({ auto_reenable: false } as never);
    const on = await fixture.owner.api.patch(endpoint.path, { auto_reenable: true });
    expect(Date.parse(on.body.next_probe_at)).toBeLessThanOrEqual(Date.now());
    await until("it is probed", async () => (await endpoint.row()).probes === 1);
    const later = (await endpoint.row()).next_probe_at;
    expect((await fixture.owner.api.patch(endpoint.path, { description: "Other" })).status).toBe(200);
    expect((await endpoint.row()).next_probe_at).toBe(later);
    const right = `${receiver.url}/right`;
    expect((await fixture.owner.api.patch(endpoint.path, { url: right })).status).toBe(200);
    await until("it is enabled", async () => (await endpoint.row()).status === "enabled");
    await until(
      "it has all events",
      () => receiver.received.filter((one) => one.path === "/right").length === 2,
    );
  });

  test.each([1, 0] as const)(
    "gets its first probe after five days of failure if auto_reenable is on: %d",
    async (flag) => {
      const startedMs = Date.now();
      const endpoint = await disabled(500, 1, { auto_reenable: flag, next_probe_at: null });
      await set(endpoint.id, { status: "enabled", disabled_reason: null, disabled_at: null });
      await until("it is disabled", async () => (await endpoint.row()).status === "disabled", 30_000);
      const row = await endpoint.row();
      if (flag === 0) expect(row.next_probe_at).toBeNull();
      else expect((row.next_probe_at ?? 0) - (row.disabled_at ?? 0)).toBeWithin(hour, 1.2 * hour + 1);
      expect((await auditOf(endpoint.id))[0]).toMatchObject({
        action: "webhook.disabled",
        actor: { kind: "system" },
        after: { disabled_reason: "failing" },
      });
      const [message] = await emailsSince(startedMs);
      expect(message?.body_text.includes("from time to time for 30 days")).toBe(flag === 1);
    },
  );
});
