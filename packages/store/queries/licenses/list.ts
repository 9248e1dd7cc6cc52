import type { Database, Store } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { idsByIndex, type LicenseFilter } from "./filter.ts";
import { type LicenseOrder, LicenseScan, type Position } from "./scan.ts";

/** What lists are read from. */
export type ListStore = Pick<Store, "reads" | "listReads" | "searchLicenses" | "countLicenses">;

/** Some licenses in an order, as they are at a time. */
interface LicenseList {
  readonly filter: LicenseFilter;
  readonly order: LicenseOrder;
  readonly nowMs: number;
}

export interface LicensePage {
  readonly ids: readonly string[];
  /** Null if there is nothing after it. */
  readonly next: Position | null;
}

/** This many licenses can be fetched and sorted in a few milliseconds; for more, the text index is used. */
export const maxSortedRows = 2_000;
export const maxSortedRowsWithText = 4_000;
/** How many rows of an order one statement scans, and how many a page does: more while it has found nothing. */
const firstStep = 1_000;
const step = 4_000;
const maxScanned = 10_000;
export const maxScannedForNothing = 24_000;

/**
 * A page of the licenses that match a filter. However many there are, it reads a bounded number of rows: either one
 * condition, or the text index, leaves only a few licenses, which are sorted; or the order is scanned along its index,
 * in steps that yield to the event loop, until the page is full or enough was read.
 */
export async function licensePage(
  store: ListStore,
  list: LicenseList,
  after: Position | null,
  limit: number,
): Promise<LicensePage> {
  const { filter, order, nowMs } = list;
  const db = store.listReads;
  const ids = await idsByIndex(db, filter, nowMs, maxSortedRows);
  if (ids !== null) return pageAmong(db, ids, list, after, limit);
  const scan = new LicenseScan(db, filter, order, nowMs);
  const matches: Position[] = [];
  let from = after;
  for (let scanned = 0; scanned < (matches.length > 0 ? maxScanned : maxScannedForNothing); ) {
    const length = scanned === 0 ? firstStep : step;
    const to = await scan.end(from, length);
    matches.push(...(await scan.matches(from, to, limit + 1 - matches.length)));
    if (matches.length > limit)
      return { ids: idsOf(matches.slice(0, limit)), next: matches[limit - 1] ?? null };
    if (to === null) return { ids: idsOf(matches), next: null };
    if (scanned === 0 && filter.words !== null) {
      // Matches are far apart, so there may be few enough for the text index.
      const indexed = await store.searchLicenses(filter.organizationId, filter.words, maxSortedRowsWithText);
      if (indexed !== null) return pageAmong(db, indexed, list, after, limit);
    }
    from = to;
    scanned += length;
    await yieldToEventLoop();
  }
  return { ids: idsOf(matches), next: from };
}

/** All of them, in batches: for work that iterates over everything and has no time limit. */
export async function* licenseBatches(
  store: Store,
  filter: LicenseFilter,
  after: Position | null,
  most: number,
  nowMs: number,
): AsyncGenerator<{ ids: readonly string[]; end: Position | null }> {
  const order: LicenseOrder = { by: "created_at", descending: false };
  for (let from = after; ; ) {
    const { ids, next } = await licensePage(store, { filter, order, nowMs }, from, most);
    yield { ids, end: next };
    if (next === null) return;
    from = next;
    await yieldToEventLoop();
  }
}

async function pageAmong(
  db: Database,
  ids: readonly string[],
  { filter, order, nowMs }: LicenseList,
  after: Position | null,
  limit: number,
): Promise<LicensePage> {
  if (ids.length === 0) return { ids: [], next: null };
  const matches = await new LicenseScan(db, filter, order, nowMs, ids).matches(after, null, limit + 1);
  return {
    ids: idsOf(matches.slice(0, limit)),
    next: matches.length > limit ? (matches[limit - 1] ?? null) : null,
  };
}

function idsOf(positions: readonly Position[]): string[] {
  return positions.map((position) => position.id);
}
