import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { long } from "../races/size.ts";
import { databases, postgres } from "../support/databases.ts";
import { openKillableServer } from "../support/killable-server.ts";
import { openReceiver } from "../support/receiver.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { deliveriesTo, makeAttemptsDue, makeDeliveries, makeEndpoint } from "../support/webhooks.ts";

setDefaultTimeout(180_000);

const count = long ? 3_000 : 1_000;

/** Only long runs test both databases. */
describe.each(long ? databases : [postgres])("a killed server on $kind", ({ make }) => {
  test("a replay whose server is killed sends each event once more when repeated, with its original ID", async () => {
    const fixture = await openKillableServer(make);
    const { store, organizationId } = fixture;
    const receiver = await openReceiver();
    const { id } = await makeEndpoint(store, organizationId, receiver.url);
    const owner = { store, organizationId, endpointId: id };
    const deliveries = await makeDeliveries(owner, Array(count).fill({ state: "failed", attempts: 10 }));
    const events = deliveries.map((row) => row.event_id);
    const replayedRows = async () => (await deliveriesTo(store, id)).filter((row) => row.state !== "failed");
    const hasReplayed = async () => (await replayedRows()).length > 0;
    const headers = { "idempotency-key": newId() };
    const replay = ({ post } = fixture.owner.api, body = {}, sent = headers) =>
      post(`/organizations/${organizationId}/webhooks/${id}/replay`, body, sent);
    try {
      await fixture.killDuring(replay(), "some events are replayed", hasReplayed);
      expect((await replayedRows()).length).toBeWithin(1, count);
      await makeAttemptsDue(store, id, true);
      const next = await fixture.startNext();
      const answers = await Promise.all([1, 2, 3].map(() => replay(next)));
      const [first] = answers;
      for (const { status, body } of [...answers, await replay(next)])
        expect([status, body]).toEqual([200, first?.body]);
      // A slow machine responds before the replay is complete, with a cursor to continue.
      let replayed = Number(first?.body.replayed);
      for (let cursor = first?.body.next_cursor; cursor !== null; ) {
        const { body } = await replay(next, { cursor }, { "idempotency-key": newId() });
        replayed += body.replayed;
        cursor = body.next_cursor;
      }
      expect(replayed).toBe(count);
      const arrived = () => new Set(receiver.received.map((one) => one.id));
      await until("all have arrived", () => arrived().size === count, 120_000);
      const rows = await replayedRows();
      expect(rows.map((row) => row.event_id).toSorted()).toEqual(events.toSorted());
      expect(arrived()).toEqual(new Set(events.map(webhookId)));
    } finally {
      await fixture.close();
      await receiver.close();
    }
  });
});
