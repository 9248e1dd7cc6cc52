import { kept } from "../kept-query.ts";
import type { Database } from "../store.ts";
import type { LicenseRow } from "../tables.ts";
import { tagsOf } from "./license-search.ts";

/** A license with related data: its product's name, its customer as recorded by the organization, its tags. */
export interface LicenseView extends LicenseRow {
  readonly product_name: string;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly customer_discord_id: string | null;
  readonly tags: readonly string[];
}

/** In the order of the IDs; those that do not exist are omitted. */
export async function licenseViews(db: Database, ids: readonly string[]): Promise<LicenseView[]> {
  const views = new Map<string, LicenseView>();
  for (let start = 0; start < ids.length; start += licensesAtOnce) {
    for (const view of await someViews(db, ids.slice(start, start + licensesAtOnce)))
      views.set(view.id, view);
  }
  return ids.flatMap((id) => views.get(id) ?? []);
}

export async function licenseView(db: Database, id: string): Promise<LicenseView> {
  const [view] = await licenseViews(db, [id]);
  if (view === undefined) throw new Error(`License ${id} was there and is not.`);
  return view;
}

const licensesAtOnce = 500;

const rowsOf = kept((db, ids: readonly string[]) =>
  db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .leftJoin("organization_customers as c", (join) =>
      join.onRef("c.organization_id", "=", "l.organization_id").onRef("c.customer_id", "=", "l.customer_id"),
    )
    .selectAll("l")
    .select([
      "p.name as product_name",
      "c.email as customer_email",
      "c.name as customer_name",
      "c.discord_id as customer_discord_id",
    ])
    .where("l.id", "in", ids),
).all;

async function someViews(db: Database, ids: readonly string[]): Promise<LicenseView[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf(db, ids);
  const tags = await tagsOf(db, ids);
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? [] }));
}
