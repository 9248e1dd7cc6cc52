import { expect, setDefaultTimeout, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { noAllowedTargets } from "@countersign/domain/webhooks/targets";
import { Webhook } from "standardwebhooks";
import { auditOf } from "../../../../../tests/support/audit-of.ts";
import { openedEmails } from "../../../../../tests/support/emails.ts";
import { onDatabase } from "../../../../../tests/support/query-tests.ts";
import {
  openWebhookNode,
  type TestEndpoint,
  TestReceivers,
} from "../../../../../tests/support/webhook-nodes.ts";
import { makeAttemptsDue, makeDeliveries, makeEvents } from "../../../../../tests/support/webhooks.ts";
import { webhookProbing } from "./probe.ts";
import { type Sender, webhookSender } from "./send.ts";

setDefaultTimeout(60_000);

const receivedIds = (endpoint: TestEndpoint) =>
  endpoint.received().map((request) => String(request.headers["webhook-id"]));
const emailsTo = ({ store, ownerEmail }: TestEndpoint) => openedEmails(store, { to: ownerEmail });
/** What the server has recorded about an endpoint. */
const audited = async ({ store, endpointId }: TestEndpoint) => {
  const rows = await auditOf({ store }, endpointId);
  return rows.map(({ action, actor_kind, actor_name }) => [action, actor_kind, actor_name]);
};

onDatabase("postgres", "sending deliveries", (fixture) => {
  const receivers = new TestReceivers();
  const endpoint = (settings: Parameters<TestReceivers["endpoint"]>[1] = {}) =>
    receivers.endpoint(fixture, settings);
  const node = () => openWebhookNode(fixture.store, receivers.send);
  const happen = (organizationId: string, count = 1) => makeEvents(fixture.store, organizationId, count);
  const areAll = (one: TestEndpoint, state: string, count: number) => async () =>
    (await one.states()).join() === Array(count).fill(state).join();

  test("an event is signed and has the custom headers, whose values the log hides", async () => {
    const headers = { authorization: "Bearer hunter2", "webhook-id": "forged" };
    const sealed_headers = fixture.store.sealer.seal(Buffer.from(JSON.stringify(headers)));
    const one = await endpoint({ sealed_headers });
    one.reply(202, "thanks");
    const [eventId = ""] = await happen(one.organizationId);
    await node().until("it is delivered", areAll(one, "delivered", 1));
    const [request] = one.received();
    expect({ ...request?.headers }).toMatchObject({
      authorization: "Bearer hunter2",
      "webhook-id": webhookId(eventId),
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^Countersign-Webhooks\//),
    });
    expect(new Webhook(one.secret).verify(request?.body ?? "", request?.headers ?? {})).toMatchObject({
      type: "license.updated",
      data: { organization_id: one.organizationId, number: 0 },
    });
    const attempts = await one.attempts();
    expect(attempts).toMatchObject([{ status: 202, response_body: "thanks", failure: null }]);
    expect(JSON.parse(attempts[0]?.request_headers ?? "").authorization).toBe("…");
    const lastSuccess = { failing_since: null, last_failure_at: null, last_success_at: expect.any(Number) };
    expect(await one.row()).toMatchObject(lastSuccess);
  });

  test("a failure is retried with the same webhook-id, ten times at most", async () => {
    const one = await endpoint();
    one.reply(500, "no");
    const beforeMs = Date.now();
    await happen(one.organizationId);
    const sending = node();
    const afterAttempts = async (attempts: number) => {
      const isOver = async () => {
        const [row] = await one.deliveries();
        return row?.attempts === attempts && row.claimed_by === null;
      };
      await sending.until(`${attempts} attempts`, isOver);
      return (await one.deliveries())[0];
    };
    const first = await afterAttempts(1);
    expect(first).toMatchObject({ state: "pending", last_status: 500 });
    expect((first?.next_attempt_at ?? 0) - beforeMs).toBeWithin(5_000, 15_000);
    expect((await one.row()).failing_since).not.toBeNull();
    await fixture.change("deliveries", first?.id ?? "", { attempts: 9 });
    await makeAttemptsDue(fixture.store, one.endpointId);
    expect(await afterAttempts(10)).toMatchObject({ state: "failed", next_attempt_at: null });
    expect([receivedIds(one).length, new Set(receivedIds(one)).size]).toEqual([2, 1]);
  });

  test("410 disables the endpoint and holds its deliveries, and it is not probed", async () => {
    const one = await endpoint();
    one.reply(410);
    await happen(one.organizationId, 20);
    const sending = node();
    await sending.until("it is disabled", async () => (await one.row()).status === "disabled");
    expect(await one.row()).toMatchObject({ disabled_reason: "gone", next_probe_at: null });
    await happen(one.organizationId);
    await sending.until("all are held", areAll(one, "held", 21));
    expect(one.received().length).toBeLessThan(20);
  });

  test.each([
    ["five days is disabled and probed later", 5 * dayMs, 1],
    ["five days is disabled and not probed without auto_reenable", 5 * dayMs, 0],
    ["a little less stays enabled", 5 * dayMs - 60_000, 1],
  ] as const)("an endpoint that has failed for %s", async (_, failedForMs, auto_reenable) => {
    const one = await endpoint({ failing_since: Date.now() - failedForMs, auto_reenable });
    one.reply(500);
    await happen(one.organizationId, 3);
    const sending = node();
    await sending.until("it failed", async () => (await one.row()).last_failure_at !== null);
    const row = await one.row();
    const emails = await emailsTo(one);
    if (failedForMs < 5 * dayMs) return expect([row.status, emails]).toEqual(["enabled", []]);
    expect(row).toMatchObject({ status: "disabled", disabled_reason: "failing", probes: 0 });
    expect(row.next_probe_at).toBe(auto_reenable === 1 ? (row.disabled_at ?? 0) + hourMs : null);
    expect(emails.map((email) => email.kind)).toEqual(["endpoint_disabled"]);
    expect(emails[0]?.body_text.includes("from time to time for 30 days")).toBe(auto_reenable === 1);
    expect(await audited(one)).toEqual([["webhook.disabled", "system", "Countersign"]]);
    await sending.until("all are held", areAll(one, "held", 3));
  });

  test("three nodes on one database send every event once", async () => {
    const one = await endpoint();
    const events = await happen(one.organizationId, 150);
    const nodes = [node(), node(), node()];
    await Promise.all(nodes.map((each) => each.until("all are delivered", areAll(one, "delivered", 150))));
    expect(receivedIds(one).toSorted()).toEqual(events.map(webhookId).toSorted());
    expect(await one.attempts()).toHaveLength(150);
  });

  test("endpoints that never respond delay no other, and only what is being sent to them stays claimed", async () => {
    const silent = await endpoint();
    const { organizationId } = silent;
    const healthy = await endpoint({ organization_id: organizationId });
    const sending = node();
    const claimed = async () => (await silent.deliveries()).filter((row) => row.claimed_by !== null).length;
    await happen(organizationId, 100);
    // More is claimed for an endpoint that responds quickly than is sent at once.
    await sending.until("it responds quickly", areAll(silent, "delivered", 100));
    silent.reply("hang");
    await happen(organizationId, 200);
    await sending.until("the healthy one has all events", areAll(healthy, "delivered", 300));
    await sending.until("only what is being sent is claimed", async () => (await claimed()) <= 33);
    expect(silent.received().length).toBeLessThanOrEqual(133);
    await sending.close();
    expect(await claimed()).toBe(0);
    await silent.set({ deleted_at: 1 });
  });

  test("a private IP address that is not allowed is not called, and the log says so", async () => {
    const one = await endpoint();
    await one.set({ url: "http://[::1]:1/" });
    await happen(one.organizationId);
    const sending = openWebhookNode(fixture.store, webhookSender(noAllowedTargets));
    await sending.until("it is attempted", async () => (await one.row()).last_failure_at !== null);
    const [attempt] = await one.attempts();
    const params = { error: { field: "url", code: "url_not_public" } };
    expect(JSON.parse(attempt?.failure ?? "null")).toMatchObject({ code: "webhook_url_invalid", params });
  });
});

onDatabase("postgres", "endpoints disabled for failing", (fixture) => {
  const receivers = new TestReceivers();
  /** A disabled endpoint with this many missed events, whose next probe is due. */
  const disabledEndpoint = async (missed: number) => {
    const nowMs = Date.now();
    const failing = { disabled_reason: "failing", failing_since: nowMs - 6 * dayMs } as const;
    const times = { disabled_at: nowMs - hourMs, next_probe_at: nowMs - 1_000 };
    const endpoint = await receivers.endpoint(fixture, { status: "disabled", ...failing, ...times });
    const deliveries = await makeDeliveries(endpoint, Array(missed).fill({ state: "held", attempts: 0 }));
    return { ...endpoint, webhookIds: deliveries.map((row) => webhookId(row.event_id)) };
  };
  const probe = (send: Sender = receivers.send) =>
    webhookProbing({ store: fixture.store, send, url: "http://127.0.0.1", random: () => 0 }).run();
  const probeAgain = async (endpoint: TestEndpoint, changes: Parameters<TestEndpoint["set"]>[0] = {}) => {
    await endpoint.set({ next_probe_at: Date.now() - 1_000, ...changes });
    await probe();
  };

  test("an endpoint is enabled when a probe succeeds, gets each missed event once, and its owner is notified", async () => {
    const endpoint = await disabledEndpoint(3);
    await probe();
    const none = { disabled_reason: null, disabled_at: null, failing_since: null, next_probe_at: null };
    expect(await endpoint.row()).toMatchObject({ status: "enabled", auto_reenable: 1, ...none });
    const [first] = endpoint.received();
    expect(receivedIds(endpoint)).toEqual(endpoint.webhookIds.slice(0, 1));
    new Webhook(endpoint.secret).verify(first?.body ?? "", first?.headers ?? {});
    const node = openWebhookNode(fixture.store, receivers.send);
    await node.until("all arrived", async () => (await endpoint.states()).every((is) => is === "delivered"));
    expect(receivedIds(endpoint).toSorted()).toEqual(endpoint.webhookIds.toSorted());
    expect(await audited(endpoint)).toEqual([["webhook.enabled", "system", "Countersign"]]);
    const emails = await emailsTo(endpoint);
    expect(emails.map((email) => email.kind)).toEqual(["endpoint_enabled"]);
    expect(emails[0]?.body_text).toContain("is responding again");
  });

  test("an endpoint stays disabled while probes fail, each once on all nodes, with oldest and newest event in turns", async () => {
    const endpoint = await disabledEndpoint(3);
    endpoint.reply(500);
    const startMs = Date.now();
    await Promise.all([probe(), probe(), probe()]);
    const { next_probe_at: next, ...row } = await endpoint.row();
    expect(row).toMatchObject({ status: "disabled", disabled_reason: "failing", probes: 1 });
    expect((next ?? 0) - startMs).toBeWithin(hourMs - 1_000, hourMs + 30_000);
    expect(await endpoint.states()).toEqual(["held", "held", "held"]);
    expect(await endpoint.attempts()).toMatchObject([{ status: 500 }]);
    await probe();
    expect((await endpoint.row()).probes).toBe(1);
    await probeAgain(endpoint);
    const [oldest = "", , newest = ""] = endpoint.webhookIds;
    expect(receivedIds(endpoint)).toEqual([oldest, newest]);
    expect(await emailsTo(endpoint)).toEqual([]);
    await probeAgain(endpoint, { disabled_at: Date.now() - 30 * dayMs });
    expect(await endpoint.row()).toMatchObject({ probes: 3, next_probe_at: null });
  });

  test("a disabled endpoint that missed nothing is probed with a test event", async () => {
    const endpoint = await disabledEndpoint(0);
    await probe();
    expect((await endpoint.row()).status).toBe("enabled");
    expect(endpoint.received().map((one) => JSON.parse(one.body).type)).toEqual(["endpoint.test"]);
    expect(await endpoint.states()).toEqual(["delivered"]);
  });

  test("a disabled endpoint is no longer probed after a 410, and its owner is notified", async () => {
    const endpoint = await disabledEndpoint(2);
    endpoint.reply(410);
    await probe();
    expect(await endpoint.row()).toMatchObject({ disabled_reason: "gone", next_probe_at: null });
    expect(await audited(endpoint)).toEqual([["webhook.disabled", "system", "Countersign"]]);
    expect((await emailsTo(endpoint)).map((email) => email.kind)).toEqual(["endpoint_disabled"]);
    await probeAgain(endpoint);
    expect(endpoint.received()).toHaveLength(1);
  });

  test("an endpoint that a user enabled or disabled during the probe stays so", async () => {
    const endpoint = await disabledEndpoint(1);
    await probe(async (outgoing, broken) => {
      if (outgoing.url === endpoint.url)
        await endpoint.set({ disabled_reason: "by_hand", next_probe_at: null });
      return receivers.send(outgoing, broken);
    });
    expect(await endpoint.row()).toMatchObject({ status: "disabled", disabled_reason: "by_hand" });
    expect(await endpoint.states()).toEqual(["delivered"]);
  });
});
