import { beforeAll, describe, expect, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { requestOutcomes } from "@countersign/domain/validate/status";
import fc from "fast-check";
import { closeSegments } from "../../../tests/support/journal.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { deviceBounds, seenDevices } from "../queries/ips/seen-devices.ts";
import { everyRequest, matches } from "../queries/requests/filter.ts";
import type { Position } from "../queries/requests/read-span.ts";
import {
  type FoundRequests,
  iterateRequests,
  type RequestSearch,
  requestById,
  type SearchBounds,
  searchBounds,
  searchRequests,
} from "../queries/requests/search.ts";
import type { TimeRange } from "../queries/requests/span.ts";
import { keyColumn, timesOfKey } from "../request-log/keys.ts";
import { oldestOpenMs } from "../request-log/segment.ts";
import { byTime, dayOf, keysOf } from "../request-log/tables.ts";
import type { Database, Journal } from "../store.ts";
import type { RequestLogRow } from "../tables/journal.ts";
import { times } from "./calls.ts";
import { type StoreFixture, separateLog } from "./fixture.ts";

const midnightMs = 20_000 * dayMs;
/** The rows are of two hours, and of two days. */
const startMs = midnightMs - hourMs;
const always: TimeRange = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
const sizes = { rows: { first: 3, most: 40 }, segments: { first: 1, most: 3 } };
const small: SearchBounds = { ...searchBounds, timeoutMs: 60_000, sizes };
const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...(values as [T, ...T[]]));

const [organizations, licenses, products] = [
  ["o1", "o2"],
  ["l1", "l2", "l3"],
  ["p1", "p2"],
];
const ips = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::/64"];
const problems = ["The body has no license_key.", "100 % of_it\\"];

const anyRow = fc.record({
  /** Many rows share their millisecond. */
  at: fc.integer({ min: 0, max: 120_000 }).map((at) => startMs + at * 60),
  organization_id: oneOf(organizations),
  product_id: oneOf(products),
  license_id: fc.option(oneOf(licenses), { freq: 3 }),
  endpoint: oneOf(["validate", "lookup"] as const),
  status: oneOf(requestOutcomes),
  ip: oneOf(ips),
  version: fc.option(oneOf(["1.0", "2.0"])),
  device_id: fc.option(oneOf(["d1", "d2"])),
  problem: fc.option(oneOf(problems)),
  duration_us: oneOf([0, 250, 1_500]),
  sandbox: oneOf([0, 1] as const),
});

const filters = fc.record({
  organizationId: oneOf([...organizations, "none"]),
  productId: rarely(oneOf(products)),
  licenseId: rarely(oneOf(licenses)),
  ips: rarely(fc.subarray(ips, { minLength: 1, maxLength: 2 })),
  outcomes: rarely(fc.subarray([...requestOutcomes])),
  refused: rarely(fc.boolean()),
  endpoint: rarely(oneOf(["validate", "lookup"] as const)),
  version: rarely(oneOf(["1.0", "3.0"])),
  deviceId: rarely(oneOf(["d1", "d2"])),
  problem: rarely(oneOf(["LICENSE_key", "% of_it\\", "0_%"])),
  minDurationUs: rarely(oneOf([1, 1_500, 1_501])),
  sandbox: rarely(fc.boolean()),
  requestId: fc.constant(null),
});

const ranges = fc.oneof(
  fc.constant(always),
  fc
    .tuple(fc.integer({ min: -10, max: 7_300_000 }), fc.nat(4_000_000))
    .map(([from, length]) => ({ fromMs: startMs + from, untilMs: startMs + from + length })),
);

export function requestSearch(fixture: StoreFixture) {
  describe("the search in the request log", () => {
    const log = separateLog(fixture);
    let rows: RequestLogRow[];
    beforeAll(async () => {
      // One license has more requests in a segment than the index lists one by one.
      const ofOne = { organization_id: "o3", license_id: "l9" };
      const many = times(1_500, (at) => ({ ...ofOne, at: startMs + at }));
      rows = await fill(log.journal, [...fc.sample(anyRow, { numRuns: 1_200, seed: 18 }), ...many]);
    }, 60_000);

    test("a search finds what reading every row finds, page by page, and in both directions", async () => {
      const { listReads, reads } = log.store;
      const finds = fc.asyncProperty(filters, ranges, fc.integer({ min: 1, max: 300 }), async (...asked) => {
        const [filter, range, limit] = asked;
        const isMeant = (row: RequestLogRow) =>
          matches(filter, row) && row.at >= range.fromMs && row.at < range.untilMs;
        const meant = rows.filter(isMeant);
        const newest = meant.toReversed();
        // Not thousands of pages of one row.
        const page = { filter, range, limit: Math.max(limit, Math.ceil(meant.length / 10)) };
        expect(await everyPage(listReads, page, small)).toEqual(newest);
        const iteration = { filter, range, rowsTogether: limit, sizes };
        expect(await all(iterateRequests(listReads, { ...iteration, order: "oldest" }))).toEqual(meant);
        expect(await all(iterateRequests(reads, { ...iteration, order: "newest" }))).toEqual(newest);
      });
      await fc.assert(finds, { numRuns: 40 });
    }, 120_000);

    test("the requests of any number of licenses are found in one reading, by what the keys tell and what they do not", async () => {
      const { listReads } = log.store;
      const others = times(1_000, (at) => `none ${at}`);
      for (const [organizationId, some] of [
        ["o1", ["l1"]],
        ["o1", [...others, "l2", "l3"]],
        ["o2", ["l1", "none"]],
        ["o3", [...others, "l9"]],
        ["o1", others],
        ["o1", []],
      ] as const) {
        const licenses = new Set<string>(some);
        const filter = everyRequest(organizationId);
        const range = { fromMs: startMs + 500, untilMs: startMs + 6_000_000 };
        const meant = rows.filter(
          (row) =>
            row.organization_id === organizationId &&
            licenses.has(row.license_id ?? "") &&
            row.at >= range.fromMs &&
            row.at < range.untilMs,
        );
        const iteration = { filter, range, licenses, rowsTogether: 90, sizes };
        expect(await all(iterateRequests(listReads, { ...iteration, order: "oldest" }))).toEqual(meant);
      }
    }, 120_000);

    test("a search stops when its time is over or it has read enough, says how far it came, and continues from there", async () => {
      const { listReads } = log.store;
      const filter = { ...everyRequest("o1"), productId: "p1" };
      const newest = rows.filter((row) => matches(filter, row)).reverse();
      const search = { filter, range: always, limit: 5_000 };
      let clock = 0;
      const hurried = { ...small, clock: () => clock++, timeoutMs: 3 };
      const first = await searchRequests(listReads, { ...search, after: null }, hurried);
      const until = first.searchedUntilMs ?? Number.NaN;
      expect(first.rows).toEqual(newest.filter(({ at }) => at >= until));
      expect(first.rows.length).toBeLessThan(newest.length);
      for (const bounds of [hurried, { ...small, maxRows: 5 }])
        expect(await everyPage(listReads, search, bounds)).toEqual(newest);
    }, 120_000);

    test("a request is found by its ID, even if it was decided much later, and only by its organization", async () => {
      const { listReads } = log.store;
      const arrivedMs = startMs + 3_600_000 - 30_000;
      for (const delayMs of [0, 99, 100, 5_000, 19_000, 60_000, -2_000]) {
        const id = idAt(arrivedMs);
        await log.journal.append([journalEntry({ id, organization_id: "o4", at: arrivedMs + delayMs })]);
        const filter = { ...everyRequest("o4"), requestId: id };
        const row = await requestById(listReads, filter);
        expect(row).toMatchObject({ id, at: arrivedMs + delayMs });
        const found = await searchRequests(listReads, { filter, range: always, after: null, limit: 10 });
        expect(found.rows).toEqual([row as RequestLogRow]);
        expect(await requestById(listReads, { ...filter, organizationId: "o2" })).toBeNull();
      }
      for (const unknown of ["", "nonsense", idAt(0), "ffffffff-ffff-7fff-bfff-ffffffffffff"])
        expect(await requestById(listReads, { ...everyRequest("o4"), requestId: unknown })).toBeNull();
    });

    test("a license with many requests is found by reading them all", async () => {
      const filter = { ...everyRequest("o3"), licenseId: "l9" };
      const newest = rows.filter((row) => matches(filter, row)).reverse();
      expect(newest.length).toBe(1_500);
      const ofDay = log.store.reads
        .selectFrom(keysOf(dayOf(startMs)))
        .select("ats")
        .where("kind", "=", "l");
      const keys = await ofDay.where("key", "=", keyColumn("l", "l9")).execute();
      expect(keys.map((row) => timesOfKey(row, "l", "l9"))).toContain(null);
      const search = { filter, range: always, limit: 400 };
      expect(await everyPage(log.store.listReads, search, small)).toEqual(newest);
    });

    test("the device IDs of licenses and of IP addresses are those of all their requests, newest first", async () => {
      const { listReads } = log.store;
      const unhurried = { ...deviceBounds, timeoutMs: 60_000 };
      const seen = organizations.flatMap((organizationId) => ({ organizationId, ip: "192.0.2.1" }));
      for (const of of [{ licenseIds: ["l1", "l2"] }, { seen }]) {
        const isMeant = (row: RequestLogRow) =>
          "licenseIds" in of ? of.licenseIds.includes(row.license_id ?? "") : row.ip === "192.0.2.1";
        const newest = new Map<string, number>();
        for (const row of rows)
          if (isMeant(row) && row.device_id !== null && row.sandbox === 0 && row.organization_id !== "o3")
            newest.set(`${row.organization_id} ${row.license_id} ${row.ip} ${row.device_id}`, row.at);
        const found = await seenDevices(listReads, of, always, unhurried);
        const shown = found.map(({ organizationId, licenseId, ip, deviceId, lastAtMs }): [string, number] => {
          return [`${organizationId} ${licenseId} ${ip} ${deviceId}`, lastAtMs];
        });
        expect(new Map(shown)).toEqual(newest);
        expect(shown.map(([, at]) => at)).toEqual([...newest.values()].sort((a, b) => b - a));
      }
      let clock = 0;
      const hurried = { clock: () => clock++, timeoutMs: 1, fewestParts: 1 };
      const some = await seenDevices(listReads, { licenseIds: ["l1", "l2", "l3"] }, always, hurried);
      expect(clock).toBeLessThan(5);
      expect(some.length).toBeGreaterThan(0);
    });

    test("a day that is dropped meanwhile counts as empty", async () => {
      const { listReads } = log.store;
      const filter = everyRequest("o1");
      const lists = iterateRequests(listReads, { filter, range: always, order: "oldest", sizes });
      await lists.next();
      const kept = { serverDays: 1, minDays: 1, maxDays: 1, maxBytes: Number.MAX_SAFE_INTEGER };
      await log.journal.prune(kept, midnightMs + dayMs);
      const left = rows.filter((row) => matches(filter, row) && row.at >= midnightMs);
      expect((await all(lists)).filter(({ at }) => at >= midnightMs)).toEqual(left);
      const search = { filter, range: always, limit: 5_000 };
      expect(await everyPage(listReads, search, small)).toEqual(left.reverse());
    });
  });
}

/** Adds entries: most of them in segments of different sizes, some of them late. */
async function fill(journal: Journal, values: readonly Partial<RequestLogRow>[]): Promise<RequestLogRow[]> {
  const entries = values.map((row) => journalEntry({ id: idAt(startMs), ...row }));
  const ordered = entries.sort((one, other) => one.at - other.at);
  const isLate = (index: number) => index % 50 === 7;
  const inTime = ordered.filter((_, index) => !isLate(index));
  const openFrom = Math.floor(inTime.length * 0.8);
  for (let start = 0, size = 1_600; start < openFrom; size = (size * 5) % 211) {
    const some = inTime.slice(start, Math.min(openFrom, start + size));
    await journal.append(some);
    await closeSegments(journal, (some.at(-1)?.at ?? 0) + oldestOpenMs);
    start += some.length;
  }
  await journal.append(inTime.slice(openFrom));
  await journal.append(ordered.filter((_, index) => isLate(index)));
  return ordered.map(({ tracked: _, ...row }) => row).sort(byTime);
}

const idAt = (ms: number) => uuidSource(() => ms, randomFillSync)();

async function everyPage(
  db: Database,
  search: Omit<RequestSearch, "after">,
  bounds: SearchBounds,
): Promise<RequestLogRow[]> {
  const found: RequestLogRow[] = [];
  let after: Position | null = null;
  do {
    const page: FoundRequests = await searchRequests(db, { ...search, after }, bounds);
    expect(page.rows.length).toBeLessThanOrEqual(search.limit);
    found.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return found;
}

async function all(lists: AsyncIterable<readonly RequestLogRow[]>): Promise<RequestLogRow[]> {
  const found: RequestLogRow[] = [];
  for await (const rows of lists) found.push(...rows);
  return found;
}

/** Most of the time, there is no condition. */
function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}
