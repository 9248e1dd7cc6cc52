import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";

/** What a list shows of licenses. Deleted ones and those of deleted products are missing. */
export async function listedLicenses(db: Database, organizationId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .leftJoin("organization_customers as c", (join) =>
      join.onRef("c.customer_id", "=", "l.customer_id").onRef("c.organization_id", "=", "l.organization_id"),
    )
    .select([
      ...(["l.id", "l.license_key", "l.product_id", "l.max_ips", "l.ip_system_enabled"] as const),
      ...(["p.name as product_name", "c.name as customer_name", "c.email as customer_email"] as const),
    ])
    .where("l.id", "in", ids)
    .where(unindexed("l.organization_id"), "=", organizationId)
    .where("p.deleted_at", "is", null)
    .execute();
}

/** The products of an organization that used most of their daily limit on a day, and what they used the day before. */
export async function mostUsedProducts(
  db: Database,
  organizationId: string,
  productId: string | null,
  day: number,
  limit: number,
) {
  let query = db
    .selectFrom("products as p")
    .leftJoin("daily_usage as u", (join) => join.onRef("u.product_id", "=", "p.id").on("u.day", "=", day))
    .leftJoin("daily_usage as b", (join) => join.onRef("b.product_id", "=", "p.id").on("b.day", "=", day - 1))
    .select((is) => [
      ...(["p.id", "p.name"] as const),
      is.fn.coalesce("u.used", is.lit(0)).as("used"),
      is.fn.coalesce("b.used", is.lit(0)).as("used_before"),
    ])
    .where("p.organization_id", "=", organizationId)
    .where("p.deleted_at", "is", null);
  if (productId !== null) query = query.where("p.id", "=", productId);
  const rows = await query.orderBy("used", "desc").orderBy("p.id").limit(limit).execute();
  return rows.map(({ id, name, used, used_before }) => ({
    ...{ id, name },
    used: Number(used),
    usedBefore: Number(used_before),
  }));
}
