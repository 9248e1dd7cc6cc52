import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { idAt, makeEvents } from "../../../../tests/support/webhooks.ts";
import type { EventRow } from "../../tables/events.ts";
import type { EventFilter, EventPage } from "./events.ts";
import * as queries from "./events.ts";

const startMs = Date.UTC(2030, 5, 1);

onBothDatabases("the list of events", (fixture) => {
  const { read } = fixture.queries(queries);
  const add = (organizationId: string, count: number, settings: Partial<EventRow> = {}) =>
    makeEvents(fixture.store, organizationId, count, settings);
  const list = async (filter: Partial<EventFilter>, page: Partial<EventPage> = {}) => {
    const all = { organizationId: newId(), licenseId: null, fromMs: null, toMs: null, ...filter };
    const first = { after: null, before: null, descending: true, limit: 2_000 };
    return idsOf(await read.eventsAfter(all, { ...first, ...page }));
  };

  test("an organization's events are read in both directions, by page and up to an ID", async () => {
    const organizationId = newId();
    const ids = await add(organizationId, 5);
    await add(newId(), 1);
    const newest = (page: Partial<EventPage>) => list({ organizationId }, page);
    const oldest = (page: Partial<EventPage>) => list({ organizationId }, { descending: false, ...page });
    expect(await newest({})).toEqual(ids.toReversed());
    expect(await oldest({})).toEqual(ids);
    const [a = "", b = "", c = "", d = "", e = ""] = ids;
    expect(await newest({ limit: 2 })).toEqual([e, d]);
    expect(await newest({ after: d, limit: 2 })).toEqual([c, b]);
    expect(await oldest({ after: b, limit: 2 })).toEqual([c, d]);
    expect(await oldest({ after: b, before: d })).toEqual([c]);
    expect(await newest({ after: d, before: c })).toEqual([b, a]);
  });

  test("any number of events is added, and the events of a license are those about it alone", async () => {
    const organizationId = newId();
    const licenseId = newId();
    await add(organizationId, 501);
    const ids = await add(organizationId, 2, { license_id: licenseId });
    await add(organizationId, 1, { license_id: newId() });
    expect(await list({ organizationId })).toHaveLength(504);
    expect(await list({ organizationId, licenseId })).toEqual(ids.toReversed());
  });

  test("a range of time includes its start and excludes its end, even if the clock of the IDs differs", async () => {
    const organizationId = newId();
    const ids: string[] = [];
    for (const [index, differsMs] of [0, hourMs - 5, 5 - hourMs, 0].entries()) {
      const at = startMs + index;
      ids.push(...(await add(organizationId, 1, { id: idAt(at + differsMs), at })));
    }
    const within = async (fromMs: number | null, toMs: number | null) =>
      (await list({ organizationId, fromMs, toMs })).map((id) => ids.indexOf(id)).sort();
    expect(await within(startMs + 1, startMs + 3)).toEqual([1, 2]);
    expect(await within(startMs + 2, null)).toEqual([2, 3]);
    expect(await within(null, startMs + 1)).toEqual([0]);
    expect(await within(startMs + 4, null)).toEqual([]);
  });
});
