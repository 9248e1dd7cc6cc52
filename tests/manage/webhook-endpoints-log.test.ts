import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { failure } from "@countersign/contract/problems/failures";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { sealAttempt } from "@countersign/store/queries/webhooks/delivery-results";
import { countDeliveries } from "@countersign/store/queries/webhooks/statistics";
import type { DeliveryAttemptRow, DeliveryRow } from "@countersign/store/tables";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Shown {
  readonly id: string;
  readonly event_id: string;
  readonly state: string;
}

describe.each(databases)("the log of a webhook endpoint on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let webhooks: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    webhooks = `/organizations/${fixture.organizationId}/webhooks`;
  });
  afterAll(() => fixture.close());

  const endpoint = async () => {
    const made = await fixture.owner.api.post(webhooks, { url: "https://hooks.example.invalid/" });
    expect(made.status).toBe(201);
    return { id: String(made.body.id), path: `${webhooks}/${made.body.id}` };
  };
  let count = 0;
  /** A time-ordered ID for that time. */
  const idAt = (ms: number) => {
    count += 1;
    return firstUuidAt(ms).slice(0, -12) + count.toString(16).padStart(12, "0");
  };
  const past = async (
    endpointId: string,
    fields: Partial<DeliveryRow>,
    attempts: Partial<DeliveryAttemptRow>[] = [],
  ): Promise<DeliveryRow> => {
    const at = fields.created_at ?? Date.now() - hourMs;
    const row: DeliveryRow = {
      id: idAt(at),
      organization_id: fixture.organizationId,
      endpoint_id: endpointId,
      event_id: newId(),
      event_type: "license.created",
      state: "delivered",
      attempts: 1,
      next_attempt_at: null,
      claimed_by: null,
      claimed_until: null,
      last_status: 200,
      created_at: at,
      finished_at: at + 10,
      ...fields,
    };
    await fixture.store.transaction(async (db) => {
      await db.insertInto("deliveries").values(row).execute();
      await db
        .insertInto("events")
        .values({
          id: row.event_id,
          organization_id: fixture.organizationId,
          type: row.event_type,
          at,
          data: JSON.stringify({ organization_id: fixture.organizationId, count: 7 }),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      for (const attempt of attempts)
        await db
          .insertInto("delivery_attempts")
          .values(
            sealAttempt(db, {
              id: idAt(at),
              delivery_id: row.id,
              endpoint_id: endpointId,
              at,
              duration_ms: 5,
              request_headers: JSON.stringify({ "webhook-id": "evt_x", "x-own": "" }),
              status: 200,
              response_body: "ok",
              failure: null,
              ...attempt,
            }),
          )
          .execute();
    });
    return row;
  };
  const all = async (path: string): Promise<Shown[]> => {
    const found: Shown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const mark: string = path.includes("?") ? "&" : "?";
      const { status, body } = await fixture.owner.api.get(
        `${path}${mark}limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      expect(status).toBe(200);
      found.push(...body.data);
      cursor = body.next_cursor;
    }
    return found;
  };
  const auditOf = async (id: string) =>
    (await fixture.owner.api.get(`/organizations/${fixture.organizationId}/audit-log?subject_id=${id}`)).body
      .data as { action: string; after: { replayed?: number } }[];

  test("a test event goes only to that endpoint, immediately, whatever types it selects", async () => {
    const one = await endpoint();
    const other = await endpoint();
    await fixture.owner.api.patch(one.path, { event_types: ["quota.warning"] });
    const key = { "idempotency-key": newId() };
    const sent = await fixture.owner.api.post(`${one.path}/test`, undefined, key);
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({ event_type: "endpoint.test", state: "pending", attempts: 0 });
    expect((await fixture.owner.api.post(`${one.path}/test`, undefined, key)).body.id).toBe(sent.body.id);
    expect((await all(`${one.path}/deliveries`)).map((delivery) => delivery.id)).toEqual([sent.body.id]);
    expect(await all(`${other.path}/deliveries`)).toEqual([]);
    const read = await fixture.owner.api.get(`${one.path}/deliveries/${sent.body.id}`);
    expect(read.body.event).toMatchObject({ type: "endpoint.test", data: { endpoint_id: one.id } });
    expect((await auditOf(one.id))[0]?.action).toBe("webhook.tested");
  });

  test("deliveries are listed newest first, in pages, filtered by state, type and time", async () => {
    const { id, path } = await endpoint();
    const now = Date.now();
    const rows: DeliveryRow[] = [];
    for (let hours = 6; hours > 0; hours -= 1)
      rows.push(
        await past(id, {
          created_at: now - hours * hourMs,
          state: hours % 2 === 0 ? "failed" : "delivered",
          event_type: hours > 3 ? "license.created" : "license.revoked",
        }),
      );
    const newest = rows.toReversed();
    const idsOf = (some: readonly { id: string }[]) => some.map((one) => one.id);
    const log = `${path}/deliveries`;
    expect(idsOf(await all(log))).toEqual(idsOf(newest));
    expect(idsOf(await all(`${log}?state=failed`))).toEqual(
      idsOf(newest.filter((r) => r.state === "failed")),
    );
    expect(idsOf(await all(`${log}?event_type=license.revoked`))).toEqual(idsOf(newest.slice(0, 3)));
    expect(idsOf(await all(`${log}?event_type=license.created&state=failed`))).toEqual(
      idsOf(newest.slice(3).filter((r) => r.state === "failed")),
    );
    const [from, to] = [now - 5 * hourMs, now - 2 * hourMs].map((ms) => new Date(ms).toISOString());
    expect(idsOf(await all(`${log}?from=${from}&to=${to}`))).toEqual(idsOf(newest.slice(2, 5)));
  });

  test("every attempt of a delivery is shown with request and response", async () => {
    const { id, path } = await endpoint();
    const { id: deliveryId } = await past(id, { state: "failed" }, [
      { status: 500, response_body: "no" },
      {
        status: null,
        response_body: null,
        failure: JSON.stringify(failure("webhook_timed_out", { count: 15 })),
        duration_ms: 15_000,
      },
      { status: 301 },
    ]);
    const shown = (await all(`${path}/deliveries/${deliveryId}/attempts`)) as unknown as DeliveryAttemptRow[];
    expect(shown.map((attempt) => attempt.status)).toEqual([500, null, 301]);
    expect(shown[0]).toMatchObject({ response_body: "no", request_headers: { "x-own": "" }, duration_ms: 5 });
    expect<unknown>(shown[1]?.failure).toEqual({
      code: "webhook_timed_out",
      params: { count: 15 },
      message: "There was no response within 15 seconds.",
    });
    const other = await endpoint();
    expect((await fixture.owner.api.get(`${other.path}/deliveries/${deliveryId}/attempts`)).status).toBe(404);
    expect((await fixture.owner.api.post(`${other.path}/deliveries/${deliveryId}/replay`)).status).toBe(404);
  });

  test("a replay is a new delivery of the same event, and is refused while one is pending", async () => {
    const { id, path } = await endpoint();
    const old = await past(id, { state: "failed", last_status: 500 });
    const key = { "idempotency-key": newId() };
    const again = await fixture.owner.api.post(`${path}/deliveries/${old.id}/replay`, undefined, key);
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({
      event_id: old.event_id,
      state: "pending",
      attempts: 0,
      last_status: null,
    });
    expect(again.body.id).not.toBe(old.id);
    const before = await fixture.owner.api.get(`${path}/deliveries/${old.id}`);
    expect(before.body).toMatchObject({ state: "failed", webhook_id: again.body.webhook_id });
    const repeated = await fixture.owner.api.post(`${path}/deliveries/${old.id}/replay`, undefined, key);
    expect(repeated.body).toEqual(again.body);
    expect((await fixture.owner.api.post(`${path}/deliveries/${old.id}/replay`)).status).toBe(409);
    expect((await all(`${path}/deliveries`)).length).toBe(2);
    expect((await auditOf(id))[0]?.action).toBe("webhook.delivery_replayed");
  });

  test("send-now makes a waiting delivery due, unless it is finished, being sent or of another endpoint", async () => {
    const { id, path } = await endpoint();
    const inAnHour = Date.now() + hourMs;
    const waiting = await past(id, { state: "pending", finished_at: null, next_attempt_at: inAnHour });
    const taken = await past(id, {
      state: "pending",
      finished_at: null,
      next_attempt_at: inAnHour,
      claimed_by: "another node",
      claimed_until: inAnHour,
    });
    const over = await past(id, { state: "failed" });
    const sendNow = (delivery: DeliveryRow, at = path) =>
      fixture.owner.api.post(`${at}/deliveries/${delivery.id}/send-now`);
    const sent = await sendNow(waiting);
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ id: waiting.id, state: "pending", attempts: waiting.attempts });
    expect(Date.parse(sent.body.next_attempt_at)).toBeLessThanOrEqual(Date.now());
    expect((await auditOf(id))[0]?.action).toBe("webhook.delivery_sent_now");
    expect((await sendNow(taken)).status).toBe(409);
    expect((await sendNow(over)).status).toBe(409);
    expect((await sendNow(waiting, (await endpoint()).path)).status).toBe(404);
    const disabled = await endpoint();
    const held = await past(disabled.id, { state: "pending", finished_at: null, next_attempt_at: inAnHour });
    await fixture.owner.api.post(`${disabled.path}/disable`);
    expect((await sendNow(held, disabled.path)).status).toBe(409);
  });

  test("a pruned event cannot be replayed", async () => {
    const { id, path } = await endpoint();
    const old = await past(id, { state: "failed" });
    await fixture.store.transaction(async (db) => {
      await db.deleteFrom("events").where("id", "=", old.event_id).execute();
    });
    expect((await fixture.owner.api.get(`${path}/deliveries/${old.id}`)).body.event).toBeNull();
    expect((await fixture.owner.api.post(`${path}/deliveries/${old.id}/replay`)).status).toBe(409);
    expect((await fixture.owner.api.post(`${path}/replay`, {})).body).toEqual({
      replayed: 0,
      next_cursor: null,
    });
  });

  test("replaying failures sends each event once, and none that has been delivered since", async () => {
    const { id, path } = await endpoint();
    const at = (hours: number) => ({ created_at: Date.now() - hours * hourMs });
    const failed = await past(id, { state: "failed", ...at(9) });
    const twice = await past(id, { state: "failed", ...at(8) });
    await past(id, { state: "failed", event_id: twice.event_id, ...at(7) });
    const arrived = await past(id, { state: "failed", ...at(6) });
    await past(id, { state: "delivered", event_id: arrived.event_id, ...at(5) });
    const waiting = await past(id, { state: "failed", ...at(4) });
    await past(id, {
      state: "pending",
      event_id: waiting.event_id,
      next_attempt_at: Date.now() + dayMs,
      ...at(3),
    });
    await past(id, { state: "delivered", ...at(2) });
    const known = new Set((await all(`${path}/deliveries`)).map((one) => one.id));
    const answer = await fixture.owner.api.post(`${path}/replay`, {});
    expect(answer.body).toEqual({ replayed: 2, next_cursor: null });
    const made = (await all(`${path}/deliveries`)).filter((one) => !known.has(one.id));
    expect(made.map((one) => one.event_id).toSorted()).toEqual([failed.event_id, twice.event_id].toSorted());
    expect((await fixture.owner.api.post(`${path}/replay`, {})).body.replayed).toBe(0);
  });

  test("a range is replayed by time, type and state, once per event", async () => {
    const { id, path } = await endpoint();
    const now = Date.now();
    const at = (hours: number) => new Date(now - hours * hourMs).toISOString();
    const rows: DeliveryRow[] = [];
    for (let hours = 8; hours > 0; hours -= 1)
      rows.push(
        await past(id, {
          created_at: now - hours * hourMs,
          state: hours % 2 === 0 ? "failed" : "delivered",
          event_type: hours === 5 ? "license.revoked" : "license.created",
        }),
      );
    // The delivery that failed four hours ago succeeded half an hour later.
    await past(id, { created_at: now - 3.5 * hourMs, event_id: rows[4]?.event_id ?? "" });
    const answer = await fixture.owner.api.post(`${path}/replay`, {
      states: ["failed", "delivered"],
      event_types: ["license.created"],
      from: at(6),
      to: at(2),
    });
    expect(answer.body).toEqual({ replayed: 3, next_cursor: null });
    const made = (await all(`${path}/deliveries`)).slice(0, answer.body.replayed);
    expect(made.map((one) => one.event_id).toSorted()).toEqual(
      [rows[2], rows[4], rows[5]].map((row) => row?.event_id ?? "").toSorted(),
    );
    for (const wrong of [{ states: [] }, { states: ["held"] }, { from: "today" }, { event_types: [] }])
      expect((await fixture.owner.api.post(`${path}/replay`, wrong)).status).toBe(422);
  });

  test("a large replay runs in batches, requires an Idempotency-Key, and sends each event once", async () => {
    const { id, path } = await endpoint();
    const at = Date.now() - hourMs;
    const rows = Array.from({ length: 450 }, (_, index) => ({
      delivery: idAt(at + index),
      event: newId(),
      at: at + index,
    }));
    await fixture.store.transaction(async (db) => {
      await db
        .insertInto("events")
        .values(
          rows.map((row) => ({
            id: row.event,
            organization_id: fixture.organizationId,
            type: "license.created" as const,
            at: row.at,
            data: "{}",
          })),
        )
        .execute();
      await db
        .insertInto("deliveries")
        .values(
          rows.map((row) => ({
            id: row.delivery,
            organization_id: fixture.organizationId,
            endpoint_id: id,
            event_id: row.event,
            event_type: "license.created" as const,
            state: "failed" as const,
            attempts: 10,
            created_at: row.at,
          })),
        )
        .execute();
    });
    const without = await fixture.owner.api.post(`${path}/replay`, {});
    expect([without.status, without.body.errors[0].field]).toEqual([422, "Idempotency-Key"]);
    const key = { "idempotency-key": newId() };
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => fixture.owner.api.post(`${path}/replay`, {}, key)),
    );
    for (const answer of answers) {
      // A concurrent request with the same key may still be running.
      if (answer.status === 200) expect(answer.body).toEqual({ replayed: 450, next_cursor: null });
      else expect(answer.status).toBe(409);
    }
    expect(answers.some((answer) => answer.status === 200)).toBe(true);
    const made = await fixture.store.reads
      .selectFrom("deliveries")
      .select("event_id")
      .where("endpoint_id", "=", id)
      .where("created_at", ">=", at + 450)
      .execute();
    expect(made.length).toBe(450);
    expect(new Set(made.map((row) => row.event_id)).size).toBe(450);
    const entries = (await auditOf(id)).filter((entry) => entry.action === "webhook.deliveries_replayed");
    expect(entries.reduce((sum, entry) => sum + (entry.after.replayed ?? 0), 0)).toBe(450);
  });

  test("statistics show successes and durations over a day and a week", async () => {
    const { id, path } = await endpoint();
    expect((await fixture.owner.api.get(`${path}/statistics`)).body.last_24_hours).toEqual({
      delivered: 0,
      failed: 0,
      counts_are_exact: true,
      attempts: 0,
      failed_attempts: 0,
      success_rate: null,
      median_ms: null,
      p95_ms: null,
    });
    const now = Date.now();
    for (let index = 1; index <= 20; index += 1) {
      const isOld = index > 10;
      const at = now - (isOld ? 3 * dayMs : hourMs);
      const isGivenUp = index % 5 === 0;
      await past(id, { state: isGivenUp ? "failed" : "delivered", created_at: at }, [
        { duration_ms: index * 10, status: isGivenUp ? 500 : 200 },
      ]);
    }
    // One delivery succeeds after two failures; a pending one has only failed.
    await past(id, { state: "delivered", created_at: now - hourMs }, [
      { duration_ms: 50, status: 503 },
      { duration_ms: 50, status: null },
      { duration_ms: 50, status: 204 },
    ]);
    await past(id, { state: "pending", created_at: now - hourMs, next_attempt_at: now + dayMs }, [
      { duration_ms: 50, status: 302 },
      { duration_ms: 50, status: 404 },
    ]);
    await past(id, { state: "delivered", created_at: now - 8 * dayMs }, [{ duration_ms: 9_999 }]);
    const { body } = await fixture.owner.api.get(`${path}/statistics`);
    expect(body).toEqual({
      last_24_hours: {
        delivered: 9,
        failed: 2,
        counts_are_exact: true,
        attempts: 15,
        failed_attempts: 6,
        success_rate: 9 / 15,
        median_ms: 50,
        p95_ms: 100,
      },
      last_7_days: {
        delivered: 17,
        failed: 4,
        counts_are_exact: true,
        attempts: 25,
        failed_attempts: 8,
        success_rate: 17 / 25,
        median_ms: 80,
        p95_ms: 190,
      },
      pending: 1,
      held: 0,
    });
  });

  const always = { fromMs: null, beforeMs: null };

  test("statistics count every delivery and attempt, however many there are", async () => {
    const { id, path } = await endpoint();
    const number = 10_500;
    const now = Date.now();
    const states = ["delivered", "failed", "pending"] as const;
    await fixture.store.transaction(async (db) => {
      for (let first = 0; first < 3 * number; first += 1_500) {
        const rows = Array.from({ length: 1_500 }, (_, index) => {
          const state = states[Math.floor((first + index) / number)] ?? "pending";
          const at = now - (state === "delivered" ? hourMs : 3 * dayMs);
          return {
            id: idAt(at),
            organization_id: fixture.organizationId,
            endpoint_id: id,
            event_id: newId(),
            event_type: "license.created" as const,
            state,
            attempts: 1,
            next_attempt_at: state === "pending" ? now + dayMs : null,
            claimed_by: null,
            claimed_until: null,
            last_status: null,
            created_at: at,
            finished_at: null,
          };
        });
        await fixture.store.bulk.insert(db, "deliveries", rows);
        const attempts = rows.map(({ id: deliveryId, created_at: at, state }, index) => ({
          id: idAt(at),
          delivery_id: deliveryId,
          endpoint_id: id,
          at,
          duration_ms: index % 100,
          request_headers: "{}",
          status: state === "delivered" ? 200 : null,
          sealed_response: null,
          failure: null,
        }));
        await fixture.store.bulk.insert(db, "delivery_attempts", attempts);
      }
    });
    // Counting yields to the event loop, because on SQLite it would block the thread.
    let hasPaused = false;
    setImmediate(() => {
      hasPaused = true;
    });
    expect(await countDeliveries(fixture.store.listReads, id, "pending", always, () => false)).toBe(number);
    expect(hasPaused).toBe(true);
    const { body } = await fixture.owner.api.get(`${path}/statistics`);
    expect(body).toEqual({
      last_24_hours: {
        delivered: number,
        failed: 0,
        counts_are_exact: true,
        attempts: number,
        failed_attempts: 0,
        success_rate: 1,
        median_ms: 49,
        p95_ms: 94,
      },
      last_7_days: {
        delivered: number,
        failed: number,
        counts_are_exact: true,
        attempts: 3 * number,
        failed_attempts: 2 * number,
        success_rate: 1 / 3,
        median_ms: 49,
        p95_ms: 94,
      },
      pending: number,
      held: 0,
    });
  });
});
