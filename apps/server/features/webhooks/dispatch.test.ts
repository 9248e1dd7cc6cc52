import { expect, setDefaultTimeout, test } from "bun:test";
import { noAllowedTargets } from "@countersign/domain/webhooks/allowed-targets";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { Webhook } from "standardwebhooks";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { openWebhookNode, TestReceivers } from "../../../../tests/support/webhook-nodes.ts";
import { attemptsAt, deliveriesTo, makeAttemptsDue, makeEvents } from "../../../../tests/support/webhooks.ts";
import { webhookSender } from "./outbox.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;

onBothDatabases("sending deliveries", (fixture) => {
  const receivers = new TestReceivers();
  const endpoint = (settings: Parameters<TestReceivers["endpoint"]>[1] = {}) =>
    receivers.endpoint(fixture, settings);
  const node = () => openWebhookNode(fixture.store, receivers.send);
  const happen = (organizationId: string, count = 1) => makeEvents(fixture.store, organizationId, count);

  test("an event is signed and has the custom headers, whose values the log hides", async () => {
    const headers = { authorization: "Bearer hunter2", "webhook-id": "forged" };
    const one = await endpoint({
      sealed_headers: fixture.store.sealer.seal(Buffer.from(JSON.stringify(headers))),
    });
    one.reply(202, "thanks");
    const [eventId = ""] = await happen(one.organizationId);
    await node().until("it is delivered", async () => (await one.states()).join() === "delivered");
    const [request] = one.received();
    if (request === undefined) throw new Error("Nothing arrived.");
    expect(request.headers).toMatchObject({
      authorization: "Bearer hunter2",
      "webhook-id": webhookId(eventId),
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^Countersign-Webhooks\//),
    });
    expect(new Webhook(one.secret).verify(request.body, request.headers)).toMatchObject({
      type: "license.updated",
      data: { organization_id: one.organizationId, number: 0 },
    });
    const [attempt] = await attemptsAt(fixture.store, one.endpointId);
    expect(attempt).toMatchObject({ status: 202, response_body: "thanks", failure: null });
    expect(attempt?.request_headers).toContain('"authorization":"…"');
    expect(attempt?.request_headers).not.toContain("hunter2");
    const row = await one.row();
    expect(row).toMatchObject({ failing_since: null, last_failure_at: null });
    expect(row.last_success_at).not.toBeNull();
  });

  test("a failure is retried with the same webhook-id, ten times at most", async () => {
    const one = await endpoint();
    one.reply(500, "no");
    const beforeMs = Date.now();
    await happen(one.organizationId);
    const sending = node();
    const attempted = (count: number) =>
      sending.until(`${count} attempts`, async () => {
        const [row] = await deliveriesTo(fixture.store, one.endpointId);
        return row?.attempts === count && row.claimed_by === null;
      });
    await attempted(1);
    const [first] = await deliveriesTo(fixture.store, one.endpointId);
    expect(first).toMatchObject({ state: "pending", last_status: 500 });
    expect((first?.next_attempt_at ?? 0) - beforeMs).toBeWithin(5_000, 15_000);
    expect((await one.row()).failing_since).not.toBeNull();
    for (let attempts = 2; attempts <= 10; attempts += 1) {
      await makeAttemptsDue(fixture.store, one.endpointId);
      await attempted(attempts);
    }
    expect(await deliveriesTo(fixture.store, one.endpointId)).toMatchObject([
      { state: "failed", next_attempt_at: null },
    ]);
    expect(new Set(one.received().map((request) => request.headers["webhook-id"])).size).toBe(1);
    expect(one.received()).toHaveLength(10);
  });

  test("a success after failures ends the time for which the endpoint has failed", async () => {
    const one = await endpoint({ failing_since: Date.now() - dayMs });
    await happen(one.organizationId);
    await node().until("it is delivered", async () => (await one.states()).join() === "delivered");
    expect((await one.row()).failing_since).toBeNull();
  });

  test("410 disables the endpoint and holds its deliveries, and it is not probed", async () => {
    const one = await endpoint();
    one.reply(410);
    await happen(one.organizationId, 20);
    const sending = node();
    await sending.until("it is disabled", async () => (await one.row()).status === "disabled");
    expect(await one.row()).toMatchObject({ disabled_reason: "gone", next_probe_at: null });
    await happen(one.organizationId);
    await sending.until("all are held", async () => {
      const states = await one.states();
      return states.length === 21 && states.every((state) => state === "held");
    });
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
    const emails = await openedEmails(fixture.store, { to: one.ownerEmail });
    if (failedForMs < 5 * dayMs) {
      expect([row.status, emails]).toEqual(["enabled", []]);
      return;
    }
    expect(row).toMatchObject({ status: "disabled", disabled_reason: "failing", probes: 0 });
    const hourMs = 3_600_000;
    expect(row.next_probe_at).toBe(auto_reenable === 1 ? (row.disabled_at ?? 0) + hourMs : null);
    expect(emails.map((email) => email.kind)).toEqual(["endpoint_disabled"]);
    expect(emails[0]?.body_text.includes("from time to time for 30 days")).toBe(auto_reenable === 1);
    const entries = await fixture.reads
      .selectFrom("audit_log")
      .select(["action", "actor_kind"])
      .where("organization_id", "=", one.organizationId)
      .execute();
    expect(entries).toEqual([{ action: "webhook.disabled", actor_kind: "system" }]);
    await sending.until("all are held", async () => (await one.states()).join() === "held,held,held");
  });

  test("three nodes on one database send every event once", async () => {
    const one = await endpoint();
    const events = await happen(one.organizationId, 300);
    const nodes = [node(), node(), node()];
    const isDelivered = async () => {
      const states = await one.states();
      return states.length === 300 && states.every((state) => state === "delivered");
    };
    await Promise.all(nodes.map((sending) => sending.until("all are delivered", isDelivered)));
    expect(
      one
        .received()
        .map((request) => request.headers["webhook-id"])
        .toSorted(),
    ).toEqual(events.map(webhookId).toSorted());
    expect(await attemptsAt(fixture.store, one.endpointId)).toHaveLength(300);
  });

  test("endpoints that never respond delay no other, and only what is being sent to them stays claimed", async () => {
    const { organizationId } = await fixture.organization();
    const own = { organization_id: organizationId };
    const [silent, healthy] = [await endpoint(own), await endpoint(own)];
    const sending = node();
    const delivered = async (one: typeof healthy) =>
      (await one.states()).filter((state) => state === "delivered").length;
    await happen(organizationId, 100);
    // More is claimed for an endpoint that responds quickly than is sent at once.
    await sending.until("both respond quickly", async () => (await delivered(silent)) >= 100);
    silent.reply("hang");
    await happen(organizationId, 400);
    await sending.until(
      "the healthy endpoint has all events",
      async () => (await delivered(healthy)) === 500,
    );
    await sending.until("only what is being sent is claimed", async () => {
      const rows = await deliveriesTo(fixture.store, silent.endpointId);
      return rows.filter((row) => row.claimed_by !== null).length <= 33;
    });
    expect(silent.received().length).toBeLessThanOrEqual(133);
    await sending.close();
    const rows = await deliveriesTo(fixture.store, silent.endpointId);
    expect(rows.filter((row) => row.claimed_by !== null)).toEqual([]);
    await silent.set({ deleted_at: 1 });
  });

  test("a private IP address that is not allowed is not called, and the log says so", async () => {
    const one = await endpoint();
    await one.set({ url: "http://[::1]:1/" });
    await happen(one.organizationId);
    const sending = openWebhookNode(fixture.store, webhookSender(noAllowedTargets));
    await sending.until("it is attempted", async () => (await one.row()).last_failure_at !== null);
    const [attempt] = await attemptsAt(fixture.store, one.endpointId);
    expect(JSON.parse(attempt?.failure ?? "null")).toMatchObject({
      code: "webhook_url_invalid",
      params: { error: { field: "url", code: "url_not_public" } },
    });
  });
});
