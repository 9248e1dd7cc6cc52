import { beforeEach, expect, test } from "bun:test";
import { maxDistinctIps } from "@countersign/domain/events/thresholds";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { EventSummaryRow } from "../../tables/events.ts";
import * as queries from "./events.ts";

onBothDatabases("summaries of repeated events", (fixture) => {
  const { write } = fixture.queries(queries);
  // The oldest of the whole installation are taken first.
  beforeEach(() => fixture.write((db) => db.deleteFrom("event_summaries").execute()));

  const add = async (organization_id: string, settings: Partial<EventSummaryRow> = {}) => {
    const about = { organization_id, product_id: newId(), license_id: newId() };
    const counted = { count: 40, last_ip: "203.0.113.9", first_at: 1, last_at: 2 };
    const row = { ...about, ...counted, hour: 5, type: "license.ip_limit_reached", ...settings } as const;
    await fixture.write((db) => db.insertInto("event_summaries").values(row).execute());
    return row;
  };
  /** Refuses this many IP addresses, of which ten have their own events. */
  const refuse = ({ hour, license_id, type }: EventSummaryRow, count: number) => {
    const rows = times(count, (index) => {
      return { hour, license_id, type, ip: `203.0.113.${index}`, in_summary: index < 10 ? 0 : 1 } as const;
    });
    return fixture.write((db) => db.insertInto("recorded_refusals").values(rows).execute());
  };
  const take = (beforeHour: number, atMost = 10) => write.takeSummaries(beforeHour, atMost);

  test("summaries of past hours are taken once, the oldest first and some at a time", async () => {
    const { organizationId } = await fixture.organization();
    const [later, earlier] = [await add(organizationId), await add(organizationId, { hour: 4 })];
    await add(organizationId, { hour: 6 });
    const { license_id: first } = earlier;
    expect(await take(6, 1)).toMatchObject({ found: 1, taken: [{ license_id: first }] });
    expect(await take(6)).toMatchObject({ found: 1, taken: [{ license_id: later.license_id }] });
    expect(await take(6)).toEqual({ found: 0, taken: [] });
  });

  test("a summary is taken by one of the nodes that try at the same time", async () => {
    const { organizationId } = await fixture.organization();
    await add(organizationId);
    const results = await Promise.all(times(4, () => take(6)));
    expect(results.flatMap(({ taken }) => taken)).toHaveLength(1);
  });

  test("IP addresses without their own event are counted, and the count is marked as inexact if there are too many", async () => {
    const { organizationId } = await fixture.organization();
    const few = await add(organizationId);
    await refuse(few, 30);
    const many = await add(organizationId);
    await refuse(many, maxDistinctIps);
    const registered = await add(organizationId, { type: "license.ip_registered", count: 7 });
    const { taken } = await take(6);
    const found = (row: EventSummaryRow) => taken.find(({ license_id: id }) => id === row.license_id);
    expect(found(few)).toEqual({ ...few, ipCount: 20, isExact: true });
    expect(found(many)).toEqual({ ...many, ipCount: maxDistinctIps - 10, isExact: false });
    expect(found(registered)).toEqual({ ...registered, ipCount: 7, isExact: true });
  });

  test("summaries of deleted organizations are found and removed, but not taken", async () => {
    const { organizationId } = await fixture.organization();
    await fixture.change("organizations", organizationId, { deleted_at: 1 });
    await add(organizationId);
    expect(await take(6)).toEqual({ found: 1, taken: [] });
    expect(await take(6)).toEqual({ found: 0, taken: [] });
  });
});
