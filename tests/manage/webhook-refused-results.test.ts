import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Store } from "@countersign/store/store";
import { sql } from "kysely";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import {
  allowLoopback,
  attemptsAt,
  deliveriesTo,
  makeAttemptsDue,
  makeEndpoint,
  makeEvents,
} from "../support/webhooks.ts";

setDefaultTimeout(180_000);

/** For how long a server has claimed what it sends. */
const leaseMs = 30_000;

async function refuse(store: Store, name: string, when: string, condition: string): Promise<void> {
  const table = when.includes("insert") ? "delivery_attempts" : "deliveries";
  const statements =
    store.kind === "sqlite"
      ? [
          `create trigger ${name} before ${when} on ${table} when ${condition}
           begin select raise(abort, 'refused by a test'); end`,
        ]
      : [
          `create function ${name}() returns trigger language plpgsql as $$
           begin if ${condition} then raise exception 'refused by a test'; end if; return new; end $$`,
          `create trigger ${name} before ${when} on ${table} for each row execute function ${name}()`,
        ];
  await store.transaction(async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
}

async function refuseNoMore(store: Store, name: string): Promise<void> {
  const table = store.kind === "sqlite" ? "" : " on deliveries";
  await store.transaction((db) => sql.raw(`drop trigger ${name}${table}`).execute(db));
}

const isRetryLogged = ({ server }: ManageFixture) =>
  server.output().includes("The event will be sent again.");

async function hasAll(store: Store, endpointId: string, count: number): Promise<boolean> {
  const rows = await deliveriesTo(store, endpointId);
  return rows.length === count && rows.every((row) => row.state === "delivered");
}

describe.each(databases)("a delivery result that the database refuses on $kind", ({ make }) => {
  test("delays no other, and is stored without the refused part or given up", async () => {
    const fixture = await openManageFixture(make, allowLoopback);
    const { store, organizationId } = fixture;
    const receiver = await openReceiver(({ path }) => ({ status: 200, body: path.slice(1) }));
    const at = async (path: string) =>
      (await makeEndpoint(store, organizationId, `${receiver.url}/${path}`)).id;
    try {
      const [poison, hopeless, healthy] = [await at("poison"), await at("hopeless"), await at("healthy")];
      await refuse(
        store,
        "no_poison",
        "insert",
        `new.endpoint_id = '${poison}' and new.sealed_response is not null`,
      );
      // Claims are accepted; recording their result is refused.
      const ending = `new.endpoint_id = '${hopeless}' and new.claimed_by is null and old.claimed_by is not null`;
      await refuse(store, "no_ending", "update", ending);
      await makeEvents(store, organizationId, 40);
      await until("the healthy endpoint has all events", () => hasAll(store, healthy, 40));
      await until("the endpoint with refused responses has all events", () => hasAll(store, poison, 40));
      const attempts = await attemptsAt(store, poison);
      expect(attempts).toHaveLength(40);
      expect(new Set(attempts.map((attempt) => attempt.response_body))).toEqual(new Set([null]));
      expect(attempts[0]?.failure).toContain("webhook_result_not_stored");
      await until("the refusal is logged", () => fixture.server.output().includes("refused by a test"));
      await until("the retry is logged", () => isRetryLogged(fixture), leaseMs + 30_000);
      expect(await attemptsAt(store, hopeless)).toEqual([]);
      // New events are still delivered.
      await makeEvents(store, organizationId, 10);
      await until("the healthy endpoint has the new events", () => hasAll(store, healthy, 50));
      await refuseNoMore(store, "no_ending");
      await until(
        "deliveries that were given up are sent again when their lease expires",
        async () => {
          await makeAttemptsDue(store, hopeless, true);
          return hasAll(store, hopeless, 50);
        },
        60_000,
      );
      const sent = receiver.received.filter((one) => one.path === "/hopeless").map((one) => one.id);
      expect(new Set(sent).size).toBe(50);
    } finally {
      await fixture.close();
      await receiver.close();
    }
  });

  test("delays no other if it is that nothing was sent", async () => {
    const fixture = await openManageFixture(make, allowLoopback);
    const { store, organizationId } = fixture;
    const receiver = await openReceiver();
    const silent = (await makeEndpoint(store, organizationId, `${receiver.url}/silent`)).id;
    const healthy = (await makeEndpoint(store, organizationId, `${receiver.url}/healthy`)).id;
    try {
      // More is claimed for an endpoint that responds quickly than is sent at once.
      await makeEvents(store, organizationId, 100);
      await until(
        "both have all events",
        async () => (await hasAll(store, silent, 100)) && hasAll(store, healthy, 100),
      );
      receiver.reply = ({ path }) => (path === "/silent" ? "hang" : { status: 200 });
      // Claims and successes are accepted; giving back a claim is refused.
      const release = `new.endpoint_id = '${silent}' and new.state = 'pending' and new.claimed_by is null and old.claimed_by is not null`;
      await refuse(store, "no_release", "update", release);
      await makeEvents(store, organizationId, 100);
      await until("the refusal is logged", () => isRetryLogged(fixture), leaseMs);
      await makeEvents(store, organizationId, 10);
      await until("the other endpoint has the new events", () => hasAll(store, healthy, 210));
    } finally {
      await fixture.close();
      await receiver.close();
    }
  });
});
