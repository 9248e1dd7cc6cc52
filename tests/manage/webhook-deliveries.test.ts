import { expect, test } from "bun:test";
import { failure } from "@countersign/contract/problems/failures";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { DeliveryRow } from "@countersign/store/tables/events";
import { auditOf } from "../support/audit-of.ts";
import { refusal } from "../support/licenses.ts";
import { listPages } from "../support/list-pages.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { deliveriesTo, makeDeliveries, makeDelivery, makeEndpoint } from "../support/webhooks.ts";

type Five = [DeliveryRow, DeliveryRow, DeliveryRow, DeliveryRow, DeliveryRow];

/** Which deliveries a query finds: `packages/store/queries/webhooks/deliveries.test.ts`. */
testsOn("postgres", "the deliveries of a webhook endpoint", openManageFixture, (fixture) => {
  const endpoint = async () => {
    const { store, organizationId, owner } = fixture;
    const { id } = await makeEndpoint(store, organizationId, "https://hooks.example.invalid/");
    const path = `/organizations/${organizationId}/webhooks/${id}`;
    return {
      ...{ store, organizationId, endpointId: id, path },
      get: (below: string) => owner.api.get(path + below),
      post: (below: string, body?: object, headers = {}) => owner.api.post(path + below, body, headers),
      stored: () => deliveriesTo(store, id),
      lastAction: async () => (await auditOf(fixture, id)).at(-1)?.action,
    };
  };
  const now = Date.now();
  const hoursAgo = (hours: number) => now - hours * hourMs;
  const iso = (hours: number) => new Date(hoursAgo(hours)).toISOString();
  const withKey = () => ({ "idempotency-key": newId() });
  /** Replays, and returns the events of the new deliveries. */
  const replayed = async ({ stored, post }: Awaited<ReturnType<typeof endpoint>>, body: object) => {
    const known = new Set((await stored()).map((row) => row.id));
    const answer = await post("/replay", body);
    const created = (await stored()).filter((row) => !known.has(row.id)).map((row) => row.event_id);
    expect(answer.body).toEqual({ replayed: created.length, next_cursor: null });
    return created.toSorted();
  };

  test("a test event goes only to that endpoint, immediately, whatever types it selects", async () => {
    const [one, other] = [await endpoint(), await endpoint()];
    await fixture.owner.api.patch(one.path, { event_types: ["quota.warning"] });
    const key = withKey();
    const sent = await one.post("/test", undefined, key);
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({ event_type: "endpoint.test", state: "pending", attempts: 0 });
    expect((await one.post("/test", undefined, key)).body.id).toBe(sent.body.id);
    expect((await one.stored()).map((row) => row.id)).toEqual([sent.body.id]);
    expect(await other.stored()).toEqual([]);
    const { event } = (await one.get(`/deliveries/${sent.body.id}`)).body;
    expect(event).toMatchObject({ type: "endpoint.test", data: { endpoint_id: one.endpointId } });
    expect(await one.lastAction()).toBe("webhook.tested");
  });

  test("deliveries are listed newest first, in pages, filtered by state, type and time", async () => {
    const one = await endpoint();
    const rows = await makeDeliveries(
      one,
      [6, 5, 4, 3, 2, 1].map((hours) => ({
        created_at: hoursAgo(hours),
        state: hours % 2 === 0 ? "failed" : "delivered",
        event_type: hours > 3 ? "license.created" : "license.revoked",
      })),
    );
    const listed = async (query: string) => {
      const ids = (await listPages(fixture.owner.api, `${one.path}/deliveries?limit=2&${query}`)).flat();
      return ids.map((id) => rows.findIndex((row) => row.id === id));
    };
    expect(await listed("")).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await listed("event_type=license.created&state=failed")).toEqual([2, 0]);
    expect(await listed(`from=${iso(5)}&to=${iso(2)}`)).toEqual([3, 2, 1]);
  });

  test("every attempt of a delivery is shown with request and response", async () => {
    const one = await endpoint();
    const timedOut = JSON.stringify(failure("webhook_timed_out", { count: 15 }));
    const { id } = await makeDelivery(one, { state: "failed" }, [
      { status: 500, response_body: "no" },
      { status: null, response_body: null, failure: timedOut, duration_ms: 15_000 },
    ]);
    const attempts = `/deliveries/${id}/attempts?limit=1`;
    const first = (await one.get(attempts)).body;
    const second = (await one.get(`${attempts}&cursor=${first.next_cursor}`)).body;
    const request = { request_headers: { "x-own": "" }, duration_ms: 5 };
    expect(first.data).toMatchObject([{ status: 500, response_body: "no", ...request }]);
    const message = "There was no response within 15 seconds.";
    const shown = { code: "webhook_timed_out", params: { count: 15 }, message };
    expect(second).toMatchObject({ data: [{ failure: shown }], next_cursor: null });
  });

  test("a replay is a new delivery of the same event, and is refused while one is pending", async () => {
    const one = await endpoint();
    const old = await makeDelivery(one, { state: "failed", last_status: 500 });
    const key = withKey();
    const replay = (headers = {}) => one.post(`/deliveries/${old.id}/replay`, undefined, headers);
    const again = await replay(key);
    expect(again.status).toBe(201);
    const created = { event_id: old.event_id, state: "pending", attempts: 0, last_status: null };
    expect(again.body).toMatchObject(created);
    const before = await one.get(`/deliveries/${old.id}`);
    expect(before.body).toMatchObject({ state: "failed", webhook_id: again.body.webhook_id });
    expect((await replay(key)).body).toEqual(again.body);
    expect((await replay()).status).toBe(409);
    expect(await one.stored()).toHaveLength(2);
    expect(await one.lastAction()).toBe("webhook.delivery_replayed");
  });

  test("send-now makes a waiting delivery due, unless it is finished or being sent, or its endpoint is disabled", async () => {
    const one = await endpoint();
    const inAnHour = Date.now() + hourMs;
    const pending = { state: "pending", next_attempt_at: inAnHour } as const;
    const waiting = await makeDelivery(one, pending);
    const claimed = await makeDelivery(one, { ...pending, claimed_by: "another", claimed_until: inAnHour });
    const finished = await makeDelivery(one, { state: "failed" });
    const sendNow = async ({ id }: DeliveryRow) => one.post(`/deliveries/${id}/send-now`);
    const sent = await sendNow(waiting);
    const due = { id: waiting.id, state: "pending", attempts: waiting.attempts };
    expect(sent).toMatchObject({ status: 200, body: due });
    expect(Date.parse(sent.body.next_attempt_at)).toBeLessThanOrEqual(Date.now());
    expect(await one.lastAction()).toBe("webhook.delivery_sent_now");
    expect([(await sendNow(claimed)).status, (await sendNow(finished)).status]).toEqual([409, 409]);
    await one.post("/disable");
    expect((await sendNow(await makeDelivery(one, pending))).status).toBe(409);
  });

  test("replaying failures sends each event once, and none that was pruned, is pending or was delivered since", async () => {
    const one = await endpoint();
    const failed = [10, 9, 8, 6, 4].map(
      (hours) => ({ state: "failed", created_at: hoursAgo(hours) }) as const,
    );
    const [pruned, once, twice, arrived, waiting] = (await makeDeliveries(one, failed)) as Five;
    const { store } = fixture;
    await store.transaction((db) => db.deleteFrom("events").where("id", "=", pruned.event_id).execute());
    expect((await one.get(`/deliveries/${pruned.id}`)).body.event).toBeNull();
    expect((await one.post(`/deliveries/${pruned.id}/replay`)).status).toBe(409);
    await makeDeliveries(one, [
      { event_id: twice.event_id, created_at: hoursAgo(7), state: "failed" },
      { event_id: arrived.event_id, created_at: hoursAgo(5) },
      { event_id: waiting.event_id, state: "pending", next_attempt_at: Date.now() + dayMs },
      { created_at: hoursAgo(2) },
    ]);
    expect(await replayed(one, {})).toEqual([once.event_id, twice.event_id].toSorted());
    expect(await replayed(one, {})).toEqual([]);
  });

  test("a range of deliveries is replayed by time, type and state, once per event", async () => {
    const one = await endpoint();
    const rows = await makeDeliveries(
      one,
      [8, 7, 6, 5, 4, 3, 2, 1].map((hours) => ({
        created_at: hoursAgo(hours),
        state: hours % 2 === 0 ? "failed" : "delivered",
        event_type: hours === 5 ? "license.revoked" : "license.created",
      })),
    );
    const [, , sixHoursAgo = "", , fourHoursAgo = "", threeHoursAgo = ""] = rows.map((row) => row.event_id);
    // The delivery that failed four hours ago succeeded half an hour later.
    const again = { event_id: fourHoursAgo, event_type: "license.created" } as const;
    await makeDelivery(one, { created_at: hoursAgo(3.5), ...again });
    const range = { event_types: ["license.created"], from: iso(6), to: iso(2) };
    const created = await replayed(one, { states: ["failed", "delivered"], ...range });
    expect(created).toEqual([sixHoursAgo, fourHoursAgo, threeHoursAgo].toSorted());
    for (const wrong of [{ states: [] }, { states: ["held"] }, { from: "today" }, { event_types: [] }])
      expect((await one.post("/replay", wrong)).status).toBe(422);
  });

  /** Also when the server is killed in between: webhook-replay-kill.test.ts. */
  test("a large replay runs in batches, requires an Idempotency-Key, and sends each event once", async () => {
    const one = await endpoint();
    const rows = await makeDeliveries(one, Array(450).fill({ state: "failed" }));
    expect(refusal(await one.post("/replay", {}))).toEqual([422, "Idempotency-Key"]);
    const answer = await one.post("/replay", {}, withKey());
    expect(answer.body).toEqual({ replayed: 450, next_cursor: null });
    const created = (await one.stored()).filter((row) => row.state !== "failed");
    expect(created.map((row) => row.event_id).toSorted()).toEqual(rows.map((row) => row.event_id).toSorted());
    const about = { subject_id: one.endpointId, action: "webhook.deliveries_replayed" };
    const counts = (await fixture.stored("audit_log", about)).map(
      (row) => JSON.parse(row.after ?? "").replayed,
    );
    expect(counts).toEqual([200, 200, 50]);
  });

  test("statistics of a webhook endpoint show successes and durations over a day and a week", async () => {
    const one = await endpoint();
    const statistics = async () => (await one.get("/statistics")).body;
    const exact = { counts_are_exact: true };
    const none = { attempts: 0, failed_attempts: 0, success_rate: null, median_ms: null, p95_ms: null };
    expect((await statistics()).last_24_hours).toEqual({ delivered: 0, failed: 0, ...exact, ...none });
    for (let number = 1; number <= 20; number += 1) {
      const isGivenUp = number % 5 === 0;
      const created_at = hoursAgo(number > 10 ? 72 : 1);
      const attempt = { duration_ms: number * 10, status: isGivenUp ? 500 : 200 };
      await makeDelivery(one, { state: isGivenUp ? "failed" : "delivered", created_at }, [attempt]);
    }
    const attempts = (...statuses: (number | null)[]) =>
      statuses.map((status) => ({ status, duration_ms: 50 }));
    // One delivery succeeds after two failures; a pending one has only failed.
    await makeDelivery(one, { state: "delivered" }, attempts(503, null, 204));
    await makeDelivery(one, { state: "pending", next_attempt_at: now + dayMs }, attempts(302, 404));
    await makeDelivery(one, { created_at: hoursAgo(8 * 24) }, [{ duration_ms: 9_999 }]);
    const day = { delivered: 9, failed: 2, ...exact, attempts: 15, failed_attempts: 6 };
    const week = { delivered: 17, failed: 4, ...exact, attempts: 25, failed_attempts: 8 };
    expect(await statistics()).toEqual({
      last_24_hours: { ...day, success_rate: 9 / 15, median_ms: 50, p95_ms: 100 },
      last_7_days: { ...week, success_rate: 17 / 25, median_ms: 80, p95_ms: 190 },
      pending: 1,
      held: 0,
    });
  });
});
