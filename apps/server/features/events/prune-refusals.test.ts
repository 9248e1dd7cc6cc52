import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventBody } from "@countersign/contract/events";
import { times, validate } from "../../../../packages/store/suite/calls.ts";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { openTestOrganization, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { Distributor } from "../webhooks/distribute.ts";
import { refusalPruning } from "./prune-refusals.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2030, 5, 1, 9, 20);

// With its own store, whose clock the test sets.
describe.each(databases)("repeated refusals on $kind", ({ make }) => {
  let database: TestDatabase;
  let org: TestOrganization;
  let nowMs = startMs;
  beforeAll(async () => {
    database = await make();
    org = await openTestOrganization(database.location, { now: () => nowMs });
  }, 60_000);
  afterAll(async () => {
    await org.store.close();
    database.remove();
  });

  const runAt = async (ms: number) => {
    nowMs = ms;
    // The store is given this clock because PostgreSQL uses its own.
    const clocked = new Proxy(org.store, {
      get: (store, name) => {
        const value = name === "clock" ? async () => ms : Reflect.get(store, name);
        return typeof value === "function" ? value.bind(store) : value;
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

  test("they are recorded individually at first, and then in one summary after the end of the hour", async () => {
    nowMs = startMs;
    const { id, key } = await org.license({ maxIps: 1 });
    await flood(key, 31);
    nowMs += 60_000;
    await flood(key, 31);
    for (const ms of [startMs + 30 * 60_000, Date.UTC(2030, 5, 1, 10, 0, 30)]) {
      expect(await refusals(id)).toHaveLength(10);
      await runAt(ms);
    }
    expect(await refusals(id)).toHaveLength(10);
    for (const minute of [1, 2]) await runAt(Date.UTC(2030, 5, 1, 10, minute, 30));
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

  test("a summary is sent with the license, as the contract specifies", async () => {
    nowMs = startMs + 2 * hourMs;
    const { id, key } = await org.license({ maxIps: 1 });
    await flood(key, 20);
    await runAt(startMs + 3 * hourMs);
    const distributor = new Distributor(org.store);
    while ((await distributor.round()) > 0);
    const last = (await refusals(id)).at(-1);
    const body = { type: last?.type, timestamp: new Date(last?.at ?? 0).toISOString(), data: last?.data };
    expect(body.data).toMatchObject({ summary: { count: 9 }, license: { id } });
    expect(eventBody("license.ip_limit_reached").safeParse(body).success).toBe(true);
  });

  test("they leave no rows after two hours", async () => {
    await runAt(startMs + 6 * hourMs);
    for (const table of ["recorded_refusals", "event_summaries"] as const)
      expect(await org.store.reads.selectFrom(table).select("hour").execute()).toEqual([]);
  });
});
