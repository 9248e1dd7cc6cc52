import { startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";

/** When an organization's log starts: nothing before that time is in it. Null if there is no log. */
export async function logStart(db: Database, organizationId: string): Promise<number | null> {
  const first = await db.selectFrom("request_days").select("day").orderBy("day").limit(1).executeTakeFirst();
  const state = await db.selectFrom("request_log_state").select("cut_until").executeTakeFirst();
  const cut = await db
    .selectFrom("request_log_cuts")
    .select("cut_until")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return first === undefined
    ? null
    : Math.max(startOfDay(first.day), state?.cut_until ?? 0, cut?.cut_until ?? 0);
}

/** What is shown of a license next to its requests. */
export interface NamedLicense {
  readonly license_key: string;
  readonly customer_name: string | null;
}

/** The licenses of an organization with these IDs, as far as they and their products still exist. */
export async function namedLicenses(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NamedLicense>> {
  const named = new Map<string, NamedLicense>();
  for (let start = 0; start < ids.length; start += idsTogether) {
    const rows = await db
      .selectFrom("licenses as l")
      .innerJoin("products as p", "p.id", "l.product_id")
      .leftJoin("organization_customers as c", (join) =>
        join
          .onRef("c.organization_id", "=", "l.organization_id")
          .onRef("c.customer_id", "=", "l.customer_id"),
      )
      .select(["l.id", "l.license_key", "c.name as customer_name"])
      .where("l.id", "in", ids.slice(start, start + idsTogether))
      .where(unindexed("l.organization_id"), "=", organizationId)
      .where("p.deleted_at", "is", null)
      .execute();
    for (const { id, ...license } of rows) named.set(id, license);
  }
  return named;
}

const idsTogether = 500;

/** The names of products of an organization, deleted ones included. */
export async function namedProducts(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("products")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where(unindexed("organization_id"), "=", organizationId)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
