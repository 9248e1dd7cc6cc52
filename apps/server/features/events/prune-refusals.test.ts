import { expect, test } from "bun:test";
import { eventBody } from "@countersign/contract/events/events";
import { hourMs } from "@countersign/domain/dates/lengths";
import { times, validate, validateAll } from "@countersign/store/suite/calls";
import type { TestedDatabase } from "../../../../tests/support/databases.ts";
import { openOwnOrganization } from "../../../../tests/support/own-organization.ts";
import { storedRows } from "../../../../tests/support/stored-rows.ts";
import { testsOn } from "../../../../tests/support/tests-on.ts";
import { Distributor } from "../webhooks/delivery/distribute.ts";
import { refusalPruning } from "./prune-refusals.ts";

const startMs = Date.UTC(2030, 5, 1, 9, 20);

// With its own store, whose clock the tests set.
async function open(make: TestedDatabase["make"]) {
  const clock = { nowMs: startMs };
  return { clock, ...(await openOwnOrganization(make, { now: () => clock.nowMs })) };
}

testsOn("sqlite", "repeated refusals", open, (fixture) => {
  const runAt = async (ms: number) => {
    fixture.clock.nowMs = ms;
    // The store is given this clock because PostgreSQL uses its own.
    const clocked = new Proxy(fixture.store, {
      get: (store, name) => {
        const value = name === "clock" ? async () => ms : Reflect.get(store, name);
        return typeof value === "function" ? value.bind(store) : value;
      },
    });
    await refusalPruning(clocked).run();
  };
  const refusals = async (licenseId: string) => {
    const about = { license_id: licenseId, type: "license.ip_limit_reached" } as const;
    const rows = await storedRows(fixture.store.reads, "events", about);
    return rows.sort((a, b) => a.at - b.at).map((row) => ({ ...row, data: JSON.parse(row.data) }));
  };
  test("refusals are recorded singly at first, then after the hour in one summary with the license, leaving no rows", async () => {
    const { id, key } = await fixture.license({ maxIps: 1 });
    for (const ms of [startMs, startMs + 60_000]) {
      fixture.clock.nowMs = ms;
      const flood = times(31, (at) => validate(fixture.apiKey, key, { ip: `203.0.113.${at}` }));
      await validateAll(fixture.store, flood);
    }
    for (const ms of [startMs + 30 * 60_000, Date.UTC(2030, 5, 1, 10, 0, 30)]) {
      await runAt(ms);
      expect(await refusals(id)).toHaveLength(10);
    }
    for (const minute of [1, 2]) await runAt(Date.UTC(2030, 5, 1, 10, minute, 30));
    expect(await refusals(id)).toHaveLength(11);
    const distributor = new Distributor(fixture.store);
    while ((await distributor.round()) > 0);
    const last = (await refusals(id)).at(-1);
    const ids = { organization_id: fixture.organizationId, product_id: fixture.productId, license_id: id };
    const span = { first_at: "2030-06-01T09:20:00.000Z", last_at: "2030-06-01T09:21:00.000Z" };
    expect(last?.data).toEqual({
      ...ids,
      ip: expect.stringMatching(/^203\.0\.113\.\d+$/),
      summary: { count: 40, ip_count: 20, ip_count_is_exact: true, ...span },
      license: expect.objectContaining({ id }),
    });
    const body = { type: last?.type, timestamp: new Date(last?.at ?? 0).toISOString(), data: last?.data };
    expect(eventBody("license.ip_limit_reached").safeParse(body).success).toBe(true);
    await runAt(startMs + 3 * hourMs);
    for (const table of ["recorded_refusals", "event_summaries"] as const)
      expect(await fixture.store.reads.selectFrom(table).select("hour").execute()).toEqual([]);
  });
});
