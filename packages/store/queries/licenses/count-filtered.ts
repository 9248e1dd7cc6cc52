import { type SqlBool, sql } from "kysely";
import type { Database } from "../../store.ts";
import { ConcurrencyLimit } from "../../threads/concurrency-limit.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { conditions, idsByIndex, type LicenseFilter } from "./filter.ts";
import { type ListStore, maxSortedRows, maxSortedRowsWithText } from "./list.ts";
import { LicenseScan, TagScan } from "./scan.ts";
import { hasStoredCount, storedCount } from "./stored-counts.ts";

interface Counted {
  readonly count: number;
  /** False if there are more, or may be. */
  readonly exact: boolean;
}

interface CountLimits {
  /** How long to count before returning what was found by then. */
  readonly timeoutMs: number;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** How many are counted in any case; counting more waits for other such counts. */
const atOnce = 20_000;
/** The duration of a step: on SQLite nothing else runs on this thread in the meantime. */
const stepMs = 15;
const firstStep = 2_000;
const maxStep = 64_000;
const longCounts = new ConcurrencyLimit(1);

/**
 * How many licenses match a filter: from the stored counts if possible; otherwise among the few that an index leaves;
 * otherwise in one statement, if the database can run it concurrently, or by scanning all that one index leaves, in
 * short steps; one such count at a time.
 */
export async function countLicenses(
  store: ListStore,
  filter: LicenseFilter,
  nowMs: number,
  limits: CountLimits,
): Promise<Counted> {
  const db = store.listReads;
  if (hasStoredCount(filter)) return { count: await storedCount(db, filter, nowMs), exact: true };
  const ids =
    (await idsByIndex(db, filter, nowMs, maxSortedRows)) ??
    (filter.words === null
      ? null
      : await store.searchLicenses(filter.organizationId, filter.words, maxSortedRowsWithText));
  if (ids !== null) return { count: await countAmong(db, ids, filter, nowMs), exact: true };
  const ofOrganization = sql<SqlBool>`organization_id = ${filter.organizationId}`;
  const inOne = (timeoutMs: number) =>
    store.countLicenses([ofOrganization, ...conditions(filter, nowMs)], timeoutMs);
  return filter.tag === null
    ? goThrough(new LicenseScan(db, filter, { by: "created_at", descending: true }, nowMs), inOne, limits)
    : goThrough(new TagScan(db, filter, filter.tag, nowMs), inOne, limits);
}

/** Iterates over licenses in steps. */
interface Scan<Position> {
  /** The last position of this many licenses; null if there are fewer. */
  end(from: Position | null, length: number): Promise<Position | null>;
  count(from: Position | null, to: Position | null): Promise<number>;
}

/** In one statement, if the database supports that and is fast enough. */
type InOne = (timeoutMs: number) => Promise<number | null>;

async function goThrough<Position>(
  scan: Scan<Position>,
  inOne: InOne,
  { timeoutMs, signal }: CountLimits,
): Promise<Counted> {
  const deadlineMs = performance.now() + timeoutMs;
  let step = firstStep;
  let scanned = 0;
  let count = 0;
  let from: Position | null = null;
  let isAdmitted = false;
  try {
    for (;;) {
      const startedMs = performance.now();
      const to: Position | null = await scan.end(from, step);
      count += await scan.count(from, to);
      if (to === null) return { count, exact: true };
      from = to;
      scanned += step;
      const endedMs = performance.now();
      if (endedMs > deadlineMs || signal?.aborted === true) return { count, exact: false };
      if (endedMs - startedMs < stepMs / 2) step = Math.min(maxStep, step * 2);
      else if (endedMs - startedMs > stepMs * 2) step = Math.max(firstStep, step / 2);
      await yieldToEventLoop();
      if (scanned < atOnce || isAdmitted) continue;
      isAdmitted = await longCounts.acquire(deadlineMs);
      if (!isAdmitted) return { count, exact: false };
      const all = await inOne(deadlineMs - performance.now());
      if (all !== null) return { count: all, exact: true };
    }
  } finally {
    if (isAdmitted) longCounts.release();
  }
}

async function countAmong(db: Database, ids: readonly string[], filter: LicenseFilter, nowMs: number) {
  if (ids.length === 0) return 0;
  return new LicenseScan(db, filter, { by: "created_at", descending: true }, nowMs, ids).count(null, null);
}
