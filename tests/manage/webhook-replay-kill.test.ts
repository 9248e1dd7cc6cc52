import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { distribution } from "@countersign/store/distribution";
import { addDeliveries } from "@countersign/store/queries/webhooks/distribute";
import type { DeliveryRow } from "@countersign/store/tables";
import { long } from "../races/size.ts";
import { databases, postgres } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver } from "../support/receiver.ts";
import { startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import {
  allowLoopback,
  deliveriesTo,
  makeAttemptsDue,
  makeEndpoint,
  makeEvents,
} from "../support/webhooks.ts";

setDefaultTimeout(180_000);

const count = 3_000;

/** Only long runs test both databases. */
describe.each(long ? databases : [postgres])("a replay on $kind whose server is killed", ({ make }) => {
  test("sends each event once more when repeated, with its original ID", async () => {
    const fixture = await openManageFixture(make, allowLoopback);
    const { store, organizationId } = fixture;
    const receiver = await openReceiver();
    const { id } = await makeEndpoint(store, organizationId, receiver.url);
    try {
      const events = await makeEvents(store, organizationId, count, { undistributed: distribution.none });
      await store.transaction((db) =>
        addDeliveries(
          db,
          events.map((event) => failed(organizationId, id, event)),
        ),
      );
      const again = async () => (await deliveriesTo(store, id)).filter((row) => row.state !== "failed");
      const countOf = async (state: DeliveryRow["state"], is: "=" | "!=") => {
        const counted = store.reads.selectFrom("deliveries").where("endpoint_id", "=", id);
        const { number } = await counted
          .where("state", is, state)
          .select((of) => of.fn.countAll<number>().as("number"))
          .executeTakeFirstOrThrow();
        return Number(number);
      };
      const path = `/organizations/${organizationId}/webhooks/${id}/replay`;
      const headers = { "idempotency-key": newId() };
      // IDs contain the time, and only events older than the request are replayed.
      await new Promise((resolve) => setTimeout(resolve, 5));
      const sending = fixture.owner.api.post(path, {}, headers).catch(() => null);
      await until("some events are replayed", async () => (await countOf("failed", "!=")) > 0);
      fixture.server.signal("SIGKILL");
      await fixture.server.exited;
      expect(await sending).toBeNull();
      const atKill = (await again()).length;
      expect(atKill).toBeGreaterThan(0);
      expect(atKill).toBeLessThan(count);
      await makeAttemptsDue(store, id, true);
      const next = await startServerProcess({ ...fixture.database.environment, ...allowLoopback });
      try {
        const { post } = manageClient(next.url, fixture.owner.token);
        const answers = await Promise.all([1, 2, 3].map(() => post(path, {}, headers)));
        const [first] = answers;
        for (const { status, body } of [...answers, await post(path, {}, headers)])
          expect([status, body]).toEqual([200, first?.body]);
        // A slow machine responds before the replay is complete, with a cursor to continue.
        let replayed = Number(first?.body.replayed);
        for (let cursor = first?.body.next_cursor; cursor !== null; ) {
          const { body } = await post(path, { cursor }, { "idempotency-key": newId() });
          replayed += body.replayed;
          cursor = body.next_cursor;
        }
        expect(replayed).toBe(count);
        await until("all is delivered", async () => (await countOf("delivered", "=")) === count, 120_000);
        const rows = await again();
        expect(rows).toHaveLength(count);
        expect(new Set(rows.map((row) => row.event_id))).toEqual(new Set(events));
        expect(new Set(receiver.received.map((one) => one.id))).toEqual(new Set(events.map(webhookId)));
      } finally {
        await next.stop();
      }
    } finally {
      await fixture.close();
      await receiver.close();
    }
  });
});

function failed(organizationId: string, endpointId: string, eventId: string): DeliveryRow {
  const nowMs = Date.now();
  return {
    id: newId(),
    organization_id: organizationId,
    endpoint_id: endpointId,
    event_id: eventId,
    event_type: "license.updated",
    state: "failed",
    attempts: 10,
    next_attempt_at: null,
    claimed_by: null,
    claimed_until: null,
    last_status: 500,
    created_at: nowMs,
    finished_at: nowMs,
  };
}
