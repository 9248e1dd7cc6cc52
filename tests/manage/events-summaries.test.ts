import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eventBody } from "@countersign/contract/events";
import { refusalPruning } from "../../apps/server/features/events/prune-refusals.ts";
import { Distributor } from "../../apps/server/features/webhooks/distribute.ts";
import { times, validate } from "../../packages/store/suite/calls.ts";
import { databases, type TestDatabase } from "../support/databases.ts";
import { openTestOrganization, type TestOrganization } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;
const startMs = Date.UTC(2030, 5, 1, 9, 20);

describe.each(databases)("repeated refusals on $kind", ({ make }) => {
  let database: TestDatabase;
  let org: TestOrganization;
  let nowMs = startMs;
  beforeAll(async () => {
    database = await make();
    org = await openTestOrganization(database.location, { now: () => nowMs });
  });
  afterAll(async () => {
    await org.store.close();
    database.remove();
  });

  // The store is given this clock because PostgreSQL uses its own.
  const runAt = async (ms: number) => {
    nowMs = ms;
    const { store } = org;
    const clocked = new Proxy(store, {
      get: (of, name) => {
        const value = name === "clock" ? async () => ms : Reflect.get(of, name);
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
    await refusalPruning(clocked).run();
  };
  const refusals = async (licenseId: string) => {
    const rows = await org.store.reads
      .selectFrom("events")
      .select(["id", "type", "at", "data"])
      .where("license_id", "=", licenseId)
      .where("type", "=", "license.ip_limit_reached")
      .orderBy("at")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  };
  const flood = (key: string, count: number) =>
    org.store.validateBatch(times(count, (at) => validate(org.apiKey, key, { ip: `203.0.113.${at}` })));

  test("are recorded individually at first, and then in one summary at the end of the hour", async () => {
    nowMs = startMs;
    const { id, key } = await org.license({ maxIps: 1 });
    await flood(key, 31);
    nowMs += 60_000;
    await flood(key, 31);
    expect(await refusals(id)).toHaveLength(10);
    await runAt(startMs + 30 * 60_000);
    await runAt(Date.UTC(2030, 5, 1, 10, 0, 30));
    expect(await refusals(id)).toHaveLength(10);

    await runAt(Date.UTC(2030, 5, 1, 10, 1, 30));
    await runAt(Date.UTC(2030, 5, 1, 10, 2, 30));
    const events = await refusals(id);
    expect(events).toHaveLength(11);
    expect(events.at(-1)?.data).toEqual({
      organization_id: org.organizationId,
      product_id: org.productId,
      license_id: id,
      ip: expect.stringMatching(/^203\.0\.113\.\d+$/),
      summary: {
        count: 40,
        ip_count: 20,
        ip_count_is_exact: true,
        first_at: new Date(startMs).toISOString(),
        last_at: new Date(startMs + 60_000).toISOString(),
      },
    });
  });

  test("are delivered with the license, as the contract specifies", async () => {
    nowMs = startMs + 2 * hourMs;
    const { id, key } = await org.license({ maxIps: 1 });
    await flood(key, 20);
    await runAt(startMs + 3 * hourMs);
    const distributor = new Distributor(org.store);
    while ((await distributor.round()) > 0);
    const last = (await refusals(id)).at(-1);
    const body = { type: last?.type, timestamp: new Date(last?.at ?? 0).toISOString(), data: last?.data };
    expect(body.data.summary.count).toBe(9);
    expect(body.data.license.id).toBe(id);
    expect(eventBody("license.ip_limit_reached").safeParse(body).success).toBe(true);
  });

  test("leave no rows after two hours", async () => {
    await runAt(startMs + 6 * hourMs);
    for (const table of ["recorded_refusals", "event_summaries"] as const)
      expect(await org.store.reads.selectFrom(table).select("hour").execute()).toEqual([]);
  });

  test("are not summarized for a deleted organization", async () => {
    const gone = await openTestOrganization(database.location, { store: org.store });
    nowMs = startMs + 8 * hourMs;
    const { id, key } = await gone.license({ maxIps: 1 });
    await gone.store.validateBatch(times(20, (at) => validate(gone.apiKey, key, { ip: `203.0.113.${at}` })));
    await gone.store.transaction((db) =>
      db.updateTable("organizations").set({ deleted_at: 1 }).where("id", "=", gone.organizationId).execute(),
    );
    await runAt(startMs + 10 * hourMs);
    expect(await refusals(id)).toHaveLength(10);
  });
});
