import { type Expression, type SqlBool, sql } from "kysely";
import type { Database, Store } from "../store.ts";
import { conditions, expiryOrder, fewByIndex, type LicenseFilter, walkBounds } from "./license-filter.ts";

/** What lists are read from. */
type ListStore = Pick<Store, "reads" | "alongIndexes" | "searchLicenses">;

export interface LicenseOrder {
  readonly by: "created_at" | "expires_at" | "updated_at";
  readonly descending: boolean;
}

/** Where a license stands in an order. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

export interface LicensePage {
  readonly ids: readonly string[];
  /** Null when there is nothing behind it. */
  readonly next: Place | null;
}

/** So many licenses can be fetched and sorted in a few milliseconds; the text index is asked for more. */
const few = 2_000;
const fewWithText = 4_000;
/** How much of an order one statement looks through, and how much a page does: more while it has found nothing. */
const firstStretch = 1_000;
const stretch = 4_000;
const mostLookedAt = 10_000;
export const mostLookedAtForNothing = 24_000;
const mostCounted = 10_000;
const mostLookedAtToCount = 24_000;

/**
 * A page of the licenses that a filter means. However many there are, it reads a bounded number of rows: either one
 * part of the filter, or the text index, leaves only a few licenses, and these are sorted; or the order is walked
 * through along its index, a stretch at a time with a pause between, until the page is full or enough was looked at.
 */
export async function licensePage(
  store: ListStore,
  filter: LicenseFilter,
  order: LicenseOrder,
  after: Place | null,
  limit: number,
  nowMs: number,
): Promise<LicensePage> {
  const db = store.alongIndexes;
  const ids = await fewByIndex(db, filter, nowMs, few);
  if (ids !== null) return pageAmong(db, ids, filter, order, after, limit, nowMs);
  const walk = new Walk(db, filter, order, nowMs);
  const found: Place[] = [];
  let from = after;
  for (let looked = 0; looked < (found.length > 0 ? mostLookedAt : mostLookedAtForNothing); ) {
    const length = looked === 0 ? firstStretch : stretch;
    const to = await walk.end(from, length);
    found.push(...(await walk.matches(from, to, limit + 1 - found.length)));
    if (found.length > limit) return { ids: idsOf(found.slice(0, limit)), next: found[limit - 1] ?? null };
    if (to === null) return { ids: idsOf(found), next: null };
    if (looked === 0 && filter.term !== null) {
      // Matches are not close together, so there may be few enough for the text index.
      const some = await store.searchLicenses(filter.organizationId, filter.term, fewWithText);
      if (some !== null) return pageAmong(db, some, filter, order, after, limit, nowMs);
    }
    from = to;
    looked += length;
    await pause();
  }
  return { ids: idsOf(found), next: from };
}

/** How many the filter means, up to ten thousand, and whether that is all of them. */
export async function countLicenses(
  store: ListStore,
  filter: LicenseFilter,
  nowMs: number,
): Promise<{ count: number; exact: boolean }> {
  const db = store.alongIndexes;
  const ids =
    (await fewByIndex(db, filter, nowMs, few)) ??
    (filter.term === null
      ? null
      : await store.searchLicenses(filter.organizationId, filter.term, fewWithText));
  if (ids !== null) return { count: await countAmong(db, ids, filter, nowMs), exact: true };
  const walk = new Walk(db, filter, { by: "created_at", descending: true }, nowMs);
  let count = 0;
  let from: Place | null = null;
  for (let looked = 0; looked < mostLookedAtToCount; looked += stretch) {
    const to: Place | null = await walk.end(from, stretch);
    count += await walk.count(from, to);
    if (count > mostCounted) return { count: mostCounted, exact: false };
    if (to === null) return { count, exact: true };
    from = to;
    await pause();
  }
  return { count, exact: false };
}

/** All of them, a lot at a time: for work that goes through everything and takes as long as it takes. */
export async function* licenseLots(
  store: Store,
  filter: LicenseFilter,
  after: Place | null,
  most: number,
  nowMs: number,
): AsyncGenerator<{ ids: readonly string[]; end: Place | null }> {
  const order: LicenseOrder = { by: "created_at", descending: false };
  for (let from = after; ; ) {
    const { ids, next } = await licensePage(store, filter, order, from, most, nowMs);
    yield { ids, end: next };
    if (next === null) return;
    from = next;
    await pause();
  }
}

async function pageAmong(
  db: Database,
  ids: readonly string[],
  filter: LicenseFilter,
  order: LicenseOrder,
  after: Place | null,
  limit: number,
  nowMs: number,
): Promise<LicensePage> {
  if (ids.length === 0) return { ids: [], next: null };
  const found = await new Walk(db, filter, order, nowMs, ids).matches(after, null, limit + 1);
  return {
    ids: idsOf(found.slice(0, limit)),
    next: found.length > limit ? (found[limit - 1] ?? null) : null,
  };
}

async function countAmong(db: Database, ids: readonly string[], filter: LicenseFilter, nowMs: number) {
  if (ids.length === 0) return 0;
  return new Walk(db, filter, { by: "created_at", descending: true }, nowMs, ids).count(null, null);
}

/** One order of an organization's or a product's licenses, along the index that has it. */
class Walk {
  readonly #db: Database;
  readonly #filter: LicenseFilter;
  readonly #nowMs: number;
  readonly #key: Expression<number>;
  readonly #direction: "asc" | "desc";
  /** What the index itself can tell: where the walk begins and ends. */
  readonly #bounds: readonly Expression<SqlBool>[];

  /** With `among`, only these are looked at, and no index need have the order. */
  constructor(
    db: Database,
    filter: LicenseFilter,
    order: LicenseOrder,
    nowMs: number,
    among: readonly string[] | null = null,
  ) {
    this.#db = db;
    this.#filter = filter;
    this.#nowMs = nowMs;
    const key = order.by === "expires_at" ? expiryOrder : sql.ref<number>(order.by);
    this.#key = among === null ? key : sql<number>`(${key} + 0)`;
    this.#direction = order.descending ? "desc" : "asc";
    this.#bounds =
      among === null
        ? walkBounds(filter, order.by, nowMs)
        : [sql`id in (${sql.join(among)})`, sql`organization_id || '' = ${filter.organizationId}`];
  }

  /** The last place of a stretch of so many licenses; null when there are fewer. */
  async end(from: Place | null, length: number): Promise<Place | null> {
    const place = await this.#between(from, null, this.#bounds)
      .select(["id", sql<number>`${this.#key}`.as("at")])
      .orderBy(this.#key, this.#direction)
      .orderBy("id", this.#direction)
      // Not to leave a page out, but to see where in the index the stretch ends: the rows are not even touched.
      .offset(length - 1)
      .limit(1)
      .executeTakeFirst();
    return place ?? null;
  }

  async matches(from: Place | null, to: Place | null, limit: number): Promise<Place[]> {
    return this.#filtered(from, to)
      .select(["id", sql<number>`${this.#key}`.as("at")])
      .orderBy(this.#key, this.#direction)
      .orderBy("id", this.#direction)
      .limit(limit)
      .execute();
  }

  async count(from: Place | null, to: Place | null): Promise<number> {
    const { count } = await this.#filtered(from, to)
      .select((is) => is.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #filtered(from: Place | null, to: Place | null) {
    return this.#between(from, to, [...this.#bounds, ...conditions(this.#filter, this.#nowMs)]);
  }

  #between(from: Place | null, to: Place | null, where: readonly Expression<SqlBool>[]) {
    const isDescending = this.#direction === "desc";
    let query = this.#db.selectFrom("licenses");
    for (const condition of where) query = query.where(condition);
    if (from !== null) query = query.where(this.#compare(isDescending ? "<" : ">", from));
    if (to !== null) query = query.where(this.#compare(isDescending ? ">=" : "<=", to));
    return query;
  }

  #compare(operator: "<" | ">" | "<=" | ">=", { at, id }: Place): Expression<SqlBool> {
    return sql<SqlBool>`(${this.#key}, id) ${sql.raw(operator)} (${at}, ${id})`;
  }
}

function idsOf(places: readonly Place[]): string[] {
  return places.map((place) => place.id);
}

/** Lets validations that came in meanwhile go first. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
