import { beforeEach, expect, test } from "bun:test";
import { maxDistinctIps } from "@countersign/domain/events/refusal";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { EventSummaryRow } from "../../tables.ts";
import * as queries from "./summaries.ts";

onBothDatabases("summaries of repeated events", (fixture) => {
  const { write } = fixture.queries(queries);
  // The oldest of the whole installation are taken first.
  beforeEach(() => fixture.write((db) => db.deleteFrom("event_summaries").execute()));

  const add = async (organizationId: string, settings: Partial<EventSummaryRow> = {}) => {
    const row: EventSummaryRow = {
      ...{ hour: 5, license_id: newId(), type: "license.ip_limit_reached", organization_id: organizationId },
      ...{ product_id: newId(), count: 40, last_ip: "203.0.113.9", first_at: 1, last_at: 2, ...settings },
    };
    await fixture.write((db) => db.insertInto("event_summaries").values(row).execute());
    return row;
  };
  const refuse = ({ hour, license_id, type }: EventSummaryRow, count: number, single = 0) => {
    const rows = times(count, (index) => {
      return {
        hour,
        license_id,
        type,
        ip: `203.0.113.${index}`,
        in_summary: index < single ? 0 : 1,
      } as const;
    });
    return fixture.write((db) => db.insertInto("recorded_refusals").values(rows).execute());
  };
  const take = (beforeHour: number, atMost = 10) => write.takeSummaries(beforeHour, atMost);

  test("those of past hours are taken once, the oldest first and some at a time", async () => {
    const { organizationId } = await fixture.organization();
    const [later, earlier] = [await add(organizationId), await add(organizationId, { hour: 4 })];
    await add(organizationId, { hour: 6 });
    const hours = async (atMost: number) => {
      const { found, taken } = await take(6, atMost);
      return [found, taken.map(({ license_id: id }) => id)];
    };
    expect(await hours(1)).toEqual([1, [earlier.license_id]]);
    expect(await hours(10)).toEqual([1, [later.license_id]]);
    expect(await hours(10)).toEqual([0, []]);
  });

  test("one of the nodes that take at the same time gets a summary", async () => {
    const { organizationId } = await fixture.organization();
    await add(organizationId);
    const results = await Promise.all(times(4, () => take(6)));
    expect(results.flatMap(({ taken }) => taken)).toHaveLength(1);
  });

  test("the IP addresses without their own event are counted, and said to be more if there are too many", async () => {
    const { organizationId } = await fixture.organization();
    const few = await add(organizationId);
    await refuse(few, 30, 10);
    const many = await add(organizationId);
    await refuse(many, maxDistinctIps, 10);
    const registered = await add(organizationId, { type: "license.ip_registered", count: 7 });
    const { taken } = await take(6);
    const found = (row: EventSummaryRow) => taken.find(({ license_id: id }) => id === row.license_id);
    expect(found(few)).toEqual({ ...few, ipCount: 20, isExact: true });
    expect(found(many)).toEqual({ ...many, ipCount: maxDistinctIps - 10, isExact: false });
    expect(found(registered)).toEqual({ ...registered, ipCount: 7, isExact: true });
  });

  test("those of deleted organizations are found and removed, but not taken", async () => {
    const { organizationId } = await fixture.organization();
    await fixture.change("organizations", organizationId, { deleted_at: 1 });
    await add(organizationId);
    expect(await take(6)).toEqual({ found: 1, taken: [] });
    expect(await take(6)).toEqual({ found: 0, taken: [] });
  });
});
