import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { distribution } from "@countersign/store/distribution";
import { addSecret } from "@countersign/store/queries/webhooks/endpoints";
import { enableDeliveries } from "@countersign/store/queries/webhooks/hold-deliveries";
import { Webhook } from "standardwebhooks";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import {
  allowLoopback,
  attemptsAt,
  deliveriesTo,
  makeAttemptsDue,
  makeEndpoint,
  makeEvents,
} from "../support/webhooks.ts";

setDefaultTimeout(120_000);

const day = 24 * 60 * 60 * 1000;

for (const { kind, make } of databases) {
  describe(`deliveries on ${kind}`, () => {
    let fixture: ManageFixture;
    const receivers: Receiver[] = [];
    beforeAll(async () => {
      fixture = await openManageFixture(make, allowLoopback);
    });
    afterEach(async () => {
      await fixture.store.transaction((db) =>
        db.updateTable("webhook_endpoints").set({ status: "disabled", disabled_reason: "by_hand" }).execute(),
      );
      for (const receiver of receivers.splice(0)) await receiver.close();
    });
    afterAll(() => fixture.close());

    const receiving = async (reply?: Receiver["reply"]) => {
      const receiver = await openReceiver(reply);
      receivers.push(receiver);
      return receiver;
    };
    const endpointAt = (url: string, settings: Parameters<typeof makeEndpoint>[3] = {}) =>
      makeEndpoint(fixture.store, fixture.organizationId, url, settings);
    const happen = (count = 1, settings: Parameters<typeof makeEvents>[3] = {}) =>
      makeEvents(fixture.store, fixture.organizationId, count, settings);
    const states = async (endpointId: string) =>
      (await deliveriesTo(fixture.store, endpointId)).map((row) => row.state);
    const stateIs = (endpointId: string, ...wanted: string[]) =>
      until(`deliveries are ${wanted}`, async () => (await states(endpointId)).join() === wanted.join());
    const endpointRow = (id: string) =>
      fixture.store.reads
        .selectFrom("webhook_endpoints")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();

    test("an event arrives signed, with the custom headers, whose values the log hides", async () => {
      const receiver = await receiving(() => ({ status: 202, body: "thanks" }));
      const headers = { authorization: "Bearer hunter2", "webhook-id": "forged" };
      const { id, secret } = await endpointAt(`${receiver.url}/hooks?a=b`, {
        sealed_headers: fixture.store.sealer.seal(Buffer.from(JSON.stringify(headers))),
      });
      const [eventId = ""] = await happen();
      await stateIs(id, "delivered");
      const [request] = receiver.received;
      if (request === undefined) throw new Error("Nothing arrived.");
      expect(request.path).toBe("/hooks?a=b");
      expect(request.id).toBe(webhookId(eventId));
      expect(request.headers.authorization).toBe("Bearer hunter2");
      expect(request.headers["user-agent"]).toStartWith("Countersign-Webhooks/");
      expect(request.headers["content-type"]).toBe("application/json");
      const notices = new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
      expect(notices).toMatchObject({
        type: "license.updated",
        data: { organization_id: fixture.organizationId, number: 0 },
      });
      const [attempt] = await attemptsAt(fixture.store, id);
      expect(attempt).toMatchObject({ status: 202, response_body: "thanks", failure: null });
      expect(attempt?.request_headers).toContain('"authorization":"…"');
      expect(attempt?.request_headers).not.toContain("hunter2");
      expect(await endpointRow(id)).toMatchObject({ failing_since: null, last_failure_at: null });
      expect((await endpointRow(id)).last_success_at).not.toBeNull();
    });

    test("during a rotation both secrets sign, and an expired one does not", async () => {
      const receiver = await receiving();
      const { id, secret } = await endpointAt(receiver.url);
      const nowMs = Date.now();
      const more = await Promise.all(
        [nowMs + day, nowMs - 1].map(async (expiresAt) => {
          const text = `whsec_${Buffer.alloc(32, expiresAt % 251).toString("base64")}`;
          await fixture.store.transaction((db) =>
            addSecret(db, {
              id: newId(),
              endpoint_id: id,
              sealed_secret: fixture.store.sealer.seal(Buffer.from(text)),
              created_at: nowMs - day,
              expires_at: expiresAt,
            }),
          );
          return text;
        }),
      );
      await happen();
      await stateIs(id, "delivered");
      const [request] = receiver.received;
      const verify = (text = "") => new Webhook(text).verify(request?.body ?? "", request?.headers as never);
      expect(String(request?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
      verify(secret);
      verify(more[0]);
      expect(() => verify(more[1])).toThrow();
    });

    test("each endpoint gets the types and products it selects, and nothing while disabled by hand", async () => {
      const receiver = await receiving();
      const at = (path: string, settings: Parameters<typeof endpointAt>[1]) =>
        endpointAt(`${receiver.url}/${path}`, settings);
      const all = await at("all", {});
      const types = await at("types", { event_types: '["license.revoked"]' });
      const product = await at("product", { product_ids: JSON.stringify([fixture.productId]) });
      const off = await at("off", { status: "disabled", disabled_reason: "by_hand" });
      const broken = await at("broken", { status: "disabled", disabled_reason: "failing" });
      await happen();
      await happen(1, { type: "license.revoked", product_id: fixture.productId });
      await stateIs(all.id, "delivered", "delivered");
      await stateIs(types.id, "delivered");
      await stateIs(product.id, "delivered");
      expect(await states(off.id)).toEqual([]);
      expect(await states(broken.id)).toEqual(["held", "held"]);
      await fixture.store.transaction(async (db) => {
        const enabled = { status: "enabled", disabled_reason: null } as const;
        await db.updateTable("webhook_endpoints").set(enabled).where("id", "=", broken.id).execute();
        await enableDeliveries(db, broken.id, Date.now());
      });
      await stateIs(broken.id, "delivered", "delivered");
    });

    test("a failure is retried after five seconds with the same webhook-id", async () => {
      const receiver = await receiving(() => ({ status: 500, body: "a\0b" }));
      const { id } = await endpointAt(receiver.url);
      const beforeMs = Date.now();
      await happen();
      await until("it failed", async () => (await deliveriesTo(fixture.store, id))[0]?.attempts === 1);
      const [row] = await deliveriesTo(fixture.store, id);
      expect(row).toMatchObject({ state: "pending", last_status: 500, claimed_by: null });
      const delayMs = (row?.next_attempt_at ?? 0) - beforeMs;
      expect(delayMs).toBeGreaterThanOrEqual(5_000);
      expect(delayMs).toBeLessThan(26_000);
      expect((await endpointRow(id)).failing_since).not.toBeNull();
      receiver.reply = () => ({ status: 200 });
      await makeAttemptsDue(fixture.store, id);
      await stateIs(id, "delivered");
      expect(new Set(receiver.received.map((request) => request.id)).size).toBe(1);
      expect(receiver.received).toHaveLength(2);
      expect((await attemptsAt(fixture.store, id)).map((attempt) => attempt.response_body)).toEqual([
        "a\ufffdb",
        "",
      ]);
      expect((await endpointRow(id)).failing_since).toBeNull();
    });

    test("retries stop after ten attempts, and the delivery has failed", async () => {
      const receiver = await receiving(() => ({ status: 404 }));
      const { id } = await endpointAt(receiver.url);
      await happen();
      for (let attempts = 1; attempts <= 10; attempts++) {
        await until(
          "it is attempted",
          async () => (await deliveriesTo(fixture.store, id))[0]?.attempts === attempts,
        );
        await makeAttemptsDue(fixture.store, id);
      }
      await stateIs(id, "failed");
      expect(receiver.received).toHaveLength(10);
      expect((await deliveriesTo(fixture.store, id))[0]).toMatchObject({ next_attempt_at: null });
    });

    test("410 disables the endpoint and holds its pending deliveries", async () => {
      const receiver = await receiving(() => ({ status: 410 }));
      const { id } = await endpointAt(receiver.url);
      await happen(20);
      await until("it is disabled", async () => (await endpointRow(id)).status === "disabled");
      expect(await endpointRow(id)).toMatchObject({ disabled_reason: "gone" });
      await until(
        "all deliveries are held",
        async () => (await states(id)).every((state) => state === "held"),
        30_000,
      );
      await happen();
      await until("the new delivery is held", async () => (await states(id)).length === 21);
      expect(receiver.received.length).toBeLessThan(20);
    });

    test("an endpoint that fails for five days is disabled, and its owner gets one email", async () => {
      const startedMs = Date.now();
      const receiver = await receiving(() => ({ status: 500 }));
      const { id } = await endpointAt(receiver.url, { failing_since: Date.now() - 5 * day });
      await happen(3);
      await until("it is disabled", async () => (await endpointRow(id)).status === "disabled");
      expect((await endpointRow(id)).disabled_reason).toBe("failing");
      const emails = await fixture.store.reads
        .selectFrom("outbox")
        .select("recipient")
        .where("kind", "=", "endpoint_disabled")
        .where("created_at", ">=", startedMs)
        .execute();
      expect(emails.map((message) => message.recipient)).toEqual([fixture.owner.email]);
    });

    test("an endpoint that fails for less stays enabled", async () => {
      const receiver = await receiving(() => ({ status: 500 }));
      const { id } = await endpointAt(receiver.url, { failing_since: Date.now() - 5 * day + 60_000 });
      await happen();
      await until("it is attempted", async () => (await attemptsAt(fixture.store, id)).length === 1);
      expect((await endpointRow(id)).status).toBe("enabled");
    });

    test("a body over 20 KB omits fields of unlimited length and says so", async () => {
      const receiver = await receiving();
      const { id } = await endpointAt(receiver.url);
      const license = { id: "1", metadata: { a: "x".repeat(15_000) }, notes: "y".repeat(9_000), max_ips: 3 };
      await happen(1, { data: JSON.stringify({ organization_id: "o", license }) });
      const changed = ["notes", "max_ips"];
      const previous = { notes: "z".repeat(12_000), metadata: { a: "x".repeat(9_000) } };
      await happen(1, { data: JSON.stringify({ organization_id: "o", license, changed, previous }) });
      await stateIs(id, "delivered", "delivered");
      const notices = receiver.received.map((request) => JSON.parse(request.body).data);
      expect(notices).toContainEqual({
        organization_id: "o",
        license: { id: "1", max_ips: 3 },
        truncated: true,
      });
      expect(notices).toContainEqual({ organization_id: "o", changed, truncated: true });
    });

    test("an event of the hot path is sent and stored with its license", async () => {
      const receiver = await receiving();
      const { id } = await endpointAt(receiver.url, { event_types: '["license.ip_limit_reached"]' });
      const { id: licenseId } = await addLicense(fixture);
      const [eventId = ""] = await happen(1, {
        type: "license.ip_limit_reached",
        license_id: licenseId,
        product_id: fixture.productId,
        data: JSON.stringify({ license_id: licenseId, ip: "192.0.2.7" }),
        undistributed: distribution.waitingWithoutLicense,
      });
      await stateIs(id, "delivered");
      const { data } = JSON.parse(receiver.received[0]?.body ?? "{}");
      expect(data).toMatchObject({ ip: "192.0.2.7", license: { id: licenseId, product_name: "Plugin" } });
      const kept = await fixture.store.reads
        .selectFrom("events")
        .select(["data", "undistributed"])
        .where("id", "=", eventId)
        .executeTakeFirstOrThrow();
      expect(JSON.parse(kept.data)).toEqual(data);
      expect(kept.undistributed).toBeNull();
    });

    test("Discord and Slack get messages in their own formats", async () => {
      const receiver = await receiving();
      const discord = await endpointAt(`${receiver.url}/discord`, { format: "discord" });
      const slack = await endpointAt(`${receiver.url}/slack`, { format: "slack" });
      await happen();
      await stateIs(discord.id, "delivered");
      await stateIs(slack.id, "delivered");
      const bodyAt = (path: string) =>
        JSON.parse(receiver.received.find((request) => request.path === path)?.body ?? "{}");
      expect(bodyAt("/discord").embeds).toHaveLength(1);
      expect(bodyAt("/slack").blocks.length).toBeGreaterThan(0);
    });

    test("a private address that is not allowed is not called, and the log says so", async () => {
      const { id } = await endpointAt("http://localhost:1/");
      const literal = await endpointAt("http://[::1]:1/");
      await happen();
      await until("it is attempted", async () => (await attemptsAt(fixture.store, literal.id)).length === 1);
      await until("it is attempted", async () => (await attemptsAt(fixture.store, id)).length === 1);
      const [attempt] = await attemptsAt(fixture.store, literal.id);
      expect(JSON.parse(attempt?.failure ?? "null")).toMatchObject({
        code: "webhook_url_invalid",
        params: { error: { field: "url", code: "url_not_public" } },
      });
    });

    test("deliveries of a dead node are retried when its lease expires, and not before", async () => {
      const receiver = await receiving(() => ({ status: 500 }));
      const { id } = await endpointAt(receiver.url);
      await happen();
      await until("it is attempted", async () => (await attemptsAt(fixture.store, id)).length === 1);
      receiver.reply = () => ({ status: 200 });
      const claimUntil = (untilMs: number) =>
        fixture.store.transaction((db) =>
          db
            .updateTable("deliveries")
            .set({ claimed_by: "dead", claimed_until: untilMs, next_attempt_at: untilMs })
            .where("endpoint_id", "=", id)
            .execute(),
        );
      const endMs = Date.now() + 1_500;
      await claimUntil(endMs);
      await stateIs(id, "delivered");
      expect(receiver.received[1]?.atMs).toBeGreaterThanOrEqual(endMs - 50);
    });

    test("an endpoint that never responds delays no other endpoint", async () => {
      const receiver = await receiving(({ path }) => (path === "/hang" ? "hang" : { status: 200 }));
      const hanging = await Promise.all(Array.from({ length: 5 }, () => endpointAt(`${receiver.url}/hang`)));
      const { id } = await endpointAt(`${receiver.url}/well`);
      await happen(100);
      await until(
        "the healthy endpoint has all events",
        async () => (await states(id)).filter((state) => state === "delivered").length === 100,
        10_000,
      );
      for (const endpoint of hanging)
        expect((await states(endpoint.id)).every((state) => state === "pending")).toBe(true);
      const hung = receiver.received.filter((request) => request.path === "/hang");
      expect(hung.length).toBeLessThanOrEqual(5);
    });
  });
}
