import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { migratedDatabase } from "../../../tests/support/postgres.ts";
import { claimDeliveries, releaseDeliveries } from "../queries/webhooks/claim-deliveries.ts";
import { writeDeliveries } from "../queries/webhooks/deliveries.ts";
import { takeEvents } from "../queries/webhooks/distribute.ts";
import { type DeliveryRow, distribution, type EventRow } from "../tables/events.ts";
import type { Tables } from "../tables.ts";
import { PostgresBulk } from "./bulk.ts";

/**
 * Rows with known IDs must be found through those IDs. Without statistics, PostgreSQL expects hardly any row to match
 * the other conditions and compares all rows with all IDs, which took up to 0.3 s per round.
 */
describe("webhook rows found by ID", () => {
  const bulk = new PostgresBulk();
  const statements: CompiledQuery[] = [];
  const rowIds = Array.from({ length: 3_000 }, (_, number) => `id-${String(number).padStart(6, "0")}`);
  const ids = rowIds.slice(0, 200);
  let db: Kysely<Tables>;

  beforeAll(async () => {
    db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: await migratedDatabase() }) }),
      log: ({ query }) => void statements.push(query),
    });
    await bulk.insert(db, "events", rowIds.map(event));
    await bulk.insert(db, "deliveries", rowIds.map(delivery));
  });
  afterAll(() => db.destroy());

  test.each<[what: string, work: () => Promise<unknown>]>([
    ["events are claimed", () => takeEvents(db, bulk, ids)],
    [
      "deliveries are claimed",
      () => claimDeliveries(db, bulk, ids, { claimant: "me", nowMs: 10, untilMs: 20 }),
    ],
    ["claims are released", () => releaseDeliveries(db, bulk, ids, "me", 10)],
    ["results are written", () => writeDeliveries(db, bulk, "me", ids.map(result), 10)],
  ])("no list of IDs is joined when %s", async (_, work) => {
    statements.length = 0;
    await work();
    const [statement] = statements;
    if (statement === undefined) throw new Error("Nothing was asked of the database.");
    const explained = CompiledQuery.raw(`explain ${statement.sql}`, [...statement.parameters]);
    const { rows } = await db.executeQuery<Record<string, string>>(explained);
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).not.toMatch(/Join|Nested Loop/);
  });
});

function event(id: string): EventRow {
  return {
    ...{ id, organization_id: "organization", product_id: null, license_id: null, type: "license.updated" },
    ...{ at: 1, data: "{}", undistributed: distribution.waiting },
  };
}

function delivery(id: string): DeliveryRow {
  return {
    ...{ id, organization_id: "organization", endpoint_id: "endpoint", event_id: id },
    ...{ event_type: "license.updated", state: "pending", attempts: 0, next_attempt_at: 1 },
    ...{ claimed_by: null, claimed_until: null, last_status: null, created_at: 1, finished_at: null },
  };
}

function result(id: string) {
  const attempt = {
    ...{ id: `attempt-${id}`, delivery_id: id, endpoint_id: "endpoint", at: 1, duration_ms: 1 },
    ...{ request_headers: "{}", status: 200, response_body: null, failure: null },
  };
  return { attempt, state: "delivered", attempts: 1, nextAttemptAt: null } as const;
}
