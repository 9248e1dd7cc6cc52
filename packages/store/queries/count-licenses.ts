import { type SqlBool, sql } from "kysely";
import type { Database } from "../store.ts";
import { isKept, keptCount } from "./license-counts.ts";
import { conditions, fewByIndex, type LicenseFilter } from "./license-filter.ts";
import { few, fewWithText, type ListStore, pause } from "./license-list.ts";
import { TagWalk, Walk } from "./license-walk.ts";
import { OneAtATime } from "./one-at-a-time.ts";

export interface Counted {
  readonly count: number;
  /** False when there are more, or may be. */
  readonly exact: boolean;
}

export interface CountLimits {
  /** How long to count before saying how many were found by then. */
  readonly longestMs: number;
  /** Nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/** So many are looked at in any case; whoever wants more waits for the others who do. */
const atOnce = 20_000;
/** A step takes about so long: on SQLite nothing else is done on this thread meanwhile. */
const stepMs = 15;
const firstStep = 2_000;
const longestStep = 64_000;
const longCounts = new OneAtATime();

/**
 * How many licenses a filter means: from the kept counts where they can tell; else among the few that an index leaves;
 * else in one statement, if the database does it beside other work, or by going through all that one index leaves, in
 * short steps; and one such count at a time.
 */
export async function countLicenses(
  store: ListStore,
  filter: LicenseFilter,
  nowMs: number,
  limits: CountLimits,
): Promise<Counted> {
  const db = store.alongIndexes;
  if (isKept(filter)) return { count: await keptCount(db, filter, nowMs), exact: true };
  const ids =
    (await fewByIndex(db, filter, nowMs, few)) ??
    (filter.words === null
      ? null
      : await store.searchLicenses(filter.organizationId, filter.words, fewWithText));
  if (ids !== null) return { count: await countAmong(db, ids, filter, nowMs), exact: true };
  const mine = sql<SqlBool>`organization_id = ${filter.organizationId}`;
  const inOne = (longestMs: number) => store.countLicenses([mine, ...conditions(filter, nowMs)], longestMs);
  return filter.tag === null
    ? goThrough(new Walk(db, filter, { by: "created_at", descending: true }, nowMs), inOne, limits)
    : goThrough(new TagWalk(db, filter, filter.tag, nowMs), inOne, limits);
}

/** A way through licenses in steps. */
interface Way<Place> {
  /** The last place of so many licenses; null when there are fewer. */
  end(from: Place | null, length: number): Promise<Place | null>;
  count(from: Place | null, to: Place | null): Promise<number>;
}

/** In one statement, where the database can be asked for that and is quick enough. */
type InOne = (longestMs: number) => Promise<number | null>;

async function goThrough<Place>(
  way: Way<Place>,
  inOne: InOne,
  { longestMs, signal }: CountLimits,
): Promise<Counted> {
  const deadlineMs = performance.now() + longestMs;
  let step = firstStep;
  let looked = 0;
  let count = 0;
  let from: Place | null = null;
  let release: (() => void) | null = null;
  try {
    for (;;) {
      const startedMs = performance.now();
      const to: Place | null = await way.end(from, step);
      count += await way.count(from, to);
      if (to === null) return { count, exact: true };
      from = to;
      looked += step;
      const endedMs = performance.now();
      if (endedMs > deadlineMs || signal?.aborted === true) return { count, exact: false };
      if (endedMs - startedMs < stepMs / 2) step = Math.min(longestStep, step * 2);
      else if (endedMs - startedMs > stepMs * 2) step = Math.max(firstStep, step / 2);
      await pause();
      if (looked < atOnce || release !== null) continue;
      release = await longCounts.acquire(deadlineMs);
      if (release === null) return { count, exact: false };
      const all = await inOne(deadlineMs - performance.now());
      if (all !== null) return { count: all, exact: true };
    }
  } finally {
    release?.();
  }
}

async function countAmong(db: Database, ids: readonly string[], filter: LicenseFilter, nowMs: number) {
  if (ids.length === 0) return 0;
  return new Walk(db, filter, { by: "created_at", descending: true }, nowMs, ids).count(null, null);
}
