import { type Expression, type SqlBool, sql } from "kysely";
import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";
import { containing } from "./search.ts";

/** Selects licenses of an organization; the product belongs to it. Null if not specified. */
export interface LicenseFilter {
  readonly organizationId: string;
  readonly productId: string | null;
  readonly customerId: string | null;
  readonly tag: string | null;
  readonly status: "active" | "revoked" | "expired" | null;
  /** Active, so neither revoked nor expired, and expires by then. */
  readonly expiresByMs: number | null;
  readonly neverUsed: boolean | null;
  readonly minIps: number | null;
  readonly hasNotes: boolean | null;
  /** Words that the search text must contain: see `searchWords`. */
  readonly words: readonly string[] | null;
}

export function everyLicenseOf(organizationId: string): LicenseFilter {
  return {
    organizationId,
    productId: null,
    customerId: null,
    tag: null,
    status: null,
    expiresByMs: null,
    neverUsed: null,
    minIps: null,
    hasNotes: null,
    words: null,
  };
}

/** The column that the database derives from `expires_at`: licenses that never expire sort last. */
export const expiryOrder = sql.ref<number>("ends_at");

/**
 * The conditions on a row of `licenses` besides its owner, without licenses of deleted products. They are written so
 * that no index seems useful: callers iterate along an index of their choice, and a database that chose another would
 * read far more.
 */
export function conditions(filter: LicenseFilter, nowMs: number): Expression<SqlBool>[] {
  const list = conditionsButExpiry(filter);
  const expiry = sql<number>`(${expiryOrder} + 0)`;
  if (filter.status === "expired") list.push(sql<SqlBool>`${expiry} <= ${nowMs}`);
  if (filter.status === "active" || filter.expiresByMs !== null)
    list.push(sql<SqlBool>`${expiry} > ${nowMs}`);
  if (filter.expiresByMs !== null) list.push(sql<SqlBool>`${expiry} <= ${filter.expiresByMs}`);
  return list;
}

/** The same without its conditions on the expiry. */
export function conditionsButExpiry(filter: LicenseFilter): Expression<SqlBool>[] {
  const list: Expression<SqlBool>[] = [
    sql<SqlBool>`not exists (
      select 1 from products where products.id = licenses.product_id and products.deleted_at is not null)`,
  ];
  if (filter.productId !== null) list.push(sql<SqlBool>`${unindexed("product_id")} = ${filter.productId}`);
  if (filter.customerId !== null) list.push(sql<SqlBool>`${unindexed("customer_id")} = ${filter.customerId}`);
  if (filter.tag !== null) {
    list.push(sql<SqlBool>`exists (
      select 1 from license_tags where license_tags.license_id = licenses.id and license_tags.tag = ${filter.tag})`);
  }
  for (const isRevoked of revocationsOf(filter))
    list.push(sql<SqlBool>`coalesce(revoked_at, -1) ${sql.raw(isRevoked ? "<>" : "=")} -1`);
  if (filter.neverUsed !== null) list.push(isNull("first_used_at", filter.neverUsed));
  if (filter.minIps !== null) list.push(sql<SqlBool>`ip_count >= ${filter.minIps}`);
  if (filter.hasNotes !== null) list.push(isNull("notes", !filter.hasNotes));
  for (const word of filter.words ?? []) list.push(containing("search_text", word));
  return list;
}

/** Whether matching licenses are revoked; nothing matches both values. */
export function revocationsOf({ status, expiresByMs }: LicenseFilter): readonly boolean[] {
  const wanted = new Set<boolean>();
  if (status !== null) wanted.add(status === "revoked");
  if (expiresByMs !== null) wanted.add(false);
  return [...wanted];
}

/** The filter's conditions on the expiry, in terms of its index. */
function expiryRange(filter: LicenseFilter, nowMs: number): Expression<SqlBool>[] {
  const list: Expression<SqlBool>[] = [];
  if (filter.status === "expired") list.push(sql<SqlBool>`${expiryOrder} <= ${nowMs}`);
  if (filter.expiresByMs !== null) {
    list.push(sql<SqlBool>`${expiryOrder} > ${nowMs}`, sql<SqlBool>`${expiryOrder} <= ${filter.expiresByMs}`);
  }
  return list;
}

/** What an index can select: the owner, and in the order of expiry also the range. */
export function scanBounds(
  filter: LicenseFilter,
  by: "created_at" | "expires_at" | "updated_at",
  nowMs: number,
): Expression<SqlBool>[] {
  if (by === "created_at" && filter.productId !== null)
    return [sql<SqlBool>`product_id = ${filter.productId}`];
  const ofOrganization = sql<SqlBool>`organization_id = ${filter.organizationId}`;
  return by === "expires_at" ? [ofOrganization, ...expiryRange(filter, nowMs)] : [ofOrganization];
}

/**
 * The IDs that one condition of the filter allows, if an index finds them and they are few. The other conditions are
 * ignored. Null if no condition is that selective.
 */
export async function idsByIndex(
  db: Database,
  filter: LicenseFilter,
  nowMs: number,
  most: number,
): Promise<readonly string[] | null> {
  const licenses = db
    .selectFrom("licenses")
    .select("id")
    .limit(most + 1);
  const ofOrganization = licenses.where("organization_id", "=", filter.organizationId);
  // Each in the order of its index, so that a database without statistics does not choose a wrong one.
  const narrow = [
    filter.customerId === null
      ? null
      : ofOrganization.where("customer_id", "=", filter.customerId).orderBy("id"),
    filter.tag === null
      ? null
      : db
          .selectFrom("license_tags")
          .select("license_id as id")
          .where("organization_id", "=", filter.organizationId)
          .where("tag", "=", filter.tag)
          .orderBy("license_id")
          .limit(most + 1),
    filter.status === "revoked" ? ofOrganization.where("revoked_at", "is not", null).orderBy("id") : null,
    filter.status === "expired" || filter.expiresByMs !== null
      ? expiryRange(filter, nowMs)
          .reduce((query, condition) => query.where(condition), ofOrganization)
          .orderBy(expiryOrder)
      : null,
    filter.productId === null
      ? null
      : licenses.where("product_id", "=", filter.productId).orderBy("created_at").orderBy("id"),
  ];
  for (const query of narrow) {
    if (query === null) continue;
    const rows = await query.execute();
    if (rows.length <= most) return rows.map((row) => row.id);
  }
  return null;
}

function isNull(column: "first_used_at" | "notes", wanted: boolean): Expression<SqlBool> {
  return wanted ? sql<SqlBool>`${sql.ref(column)} is null` : sql<SqlBool>`${sql.ref(column)} is not null`;
}
