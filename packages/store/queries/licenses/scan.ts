import { type Expression, type SqlBool, sql } from "kysely";
import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";
import { conditions, expiryOrder, type LicenseFilter, scanBounds } from "./filter.ts";

export interface LicenseOrder {
  readonly by: "created_at" | "expires_at" | "updated_at";
  readonly descending: boolean;
}

/** The position of a license in an order. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** One order of an organization's or a product's licenses, along its index. */
export class LicenseScan {
  readonly #db: Database;
  readonly #filter: LicenseFilter;
  readonly #nowMs: number;
  readonly #key: Expression<number>;
  readonly #direction: "asc" | "desc";
  /** What the index itself can select: where the scan starts and ends. */
  readonly #bounds: readonly Expression<SqlBool>[];

  /** With `among`, only these are considered, and no index need have the order. */
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
        ? scanBounds(filter, order.by, nowMs)
        : [sql`id in (${sql.join(among)})`, sql`${unindexed("organization_id")} = ${filter.organizationId}`];
  }

  /** The last position of a range of this many licenses; null if there are fewer. */
  async end(from: Position | null, length: number): Promise<Position | null> {
    const position = await this.#between(from, null, this.#bounds)
      .select(["id", sql<number>`${this.#key}`.as("at")])
      .orderBy(this.#key, this.#direction)
      .orderBy("id", this.#direction)
      // Not to skip a page, but to see where in the index the range ends: the rows are not even read.
      .offset(length - 1)
      .limit(1)
      .executeTakeFirst();
    return position ?? null;
  }

  async matches(from: Position | null, to: Position | null, limit: number): Promise<Position[]> {
    return this.#filtered(from, to)
      .select(["id", sql<number>`${this.#key}`.as("at")])
      .orderBy(this.#key, this.#direction)
      .orderBy("id", this.#direction)
      .limit(limit)
      .execute();
  }

  async count(from: Position | null, to: Position | null): Promise<number> {
    const { count } = await this.#filtered(from, to)
      .select((is) => is.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #filtered(from: Position | null, to: Position | null) {
    return this.#between(from, to, [...this.#bounds, ...conditions(this.#filter, this.#nowMs)]);
  }

  #between(from: Position | null, to: Position | null, where: readonly Expression<SqlBool>[]) {
    const isDescending = this.#direction === "desc";
    let query = this.#db.selectFrom("licenses");
    for (const condition of where) query = query.where(condition);
    if (from !== null) query = query.where(this.#compare(isDescending ? "<" : ">", from));
    if (to !== null) query = query.where(this.#compare(isDescending ? ">=" : "<=", to));
    return query;
  }

  #compare(operator: "<" | ">" | "<=" | ">=", { at, id }: Position): Expression<SqlBool> {
    return sql<SqlBool>`(${this.#key}, id) ${sql.raw(operator)} (${at}, ${id})`;
  }
}

/** The licenses with the filter's tag, along the index of tags: this is faster than checking each license's tags. */
export class TagScan {
  readonly #db: Database;
  readonly #filter: LicenseFilter;
  readonly #tag: string;
  readonly #nowMs: number;

  constructor(db: Database, filter: LicenseFilter, tag: string, nowMs: number) {
    this.#db = db;
    this.#filter = { ...filter, tag: null };
    this.#tag = tag;
    this.#nowMs = nowMs;
  }

  async end(from: string | null, length: number): Promise<string | null> {
    const position = await this.#between(from, null)
      .select("license_tags.license_id as id")
      .orderBy("license_tags.license_id")
      .offset(length - 1)
      .limit(1)
      .executeTakeFirst();
    return position?.id ?? null;
  }

  async count(from: string | null, to: string | null): Promise<number> {
    let query = this.#between(from, to).innerJoin("licenses", "licenses.id", "license_tags.license_id");
    for (const condition of conditions(this.#filter, this.#nowMs)) query = query.where(condition);
    const { count } = await query
      .select((is) => is.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #between(from: string | null, to: string | null) {
    let query = this.#db
      .selectFrom("license_tags")
      .where("license_tags.organization_id", "=", this.#filter.organizationId)
      .where("license_tags.tag", "=", this.#tag);
    if (from !== null) query = query.where("license_tags.license_id", ">", from);
    if (to !== null) query = query.where("license_tags.license_id", "<=", to);
    return query;
  }
}
