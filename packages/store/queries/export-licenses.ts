import { sql } from "kysely";
import type { LicenseRecordRow } from "../license-record.ts";
import type { Database } from "../store.ts";
import { ipsOf } from "./license-lists.ts";
import { tagsOf } from "./license-search.ts";

/** What an index can narrow down. The rest is looked at row by row, so that no page costs more than its rows. */
export interface ExportFilter {
  readonly organizationId: string;
  readonly productId: string | null;
  readonly tag: string | null;
}

export interface ExportRow extends LicenseRecordRow {
  product_name: string;
  revoked_reason: string | null;
  custom_override: string | null;
  metadata: string | null;
  first_used_at: number | null;
  term_ms: number | null;
  search_text: string;
  tags: readonly string[];
  ips: readonly string[];
}

export interface ExportPage {
  readonly rows: readonly ExportRow[];
  /** What to ask for next; null at the end. */
  readonly next: string | null;
}

/** Some licenses, oldest first; those with a tag by their ids, as the tags are kept. Deleted products are left out. */
export async function exportPage(
  db: Database,
  { organizationId, productId, tag }: ExportFilter,
  after: string | null,
  limit: number,
): Promise<ExportPage> {
  const [afterTime, afterId] = after === null ? [null, null] : (JSON.parse(after) as [number, string]);
  let query = db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .leftJoin("organization_customers as c", (join) =>
      join.onRef("c.organization_id", "=", "l.organization_id").onRef("c.customer_id", "=", "l.customer_id"),
    )
    .select([
      "l.id",
      "l.organization_id",
      "l.product_id",
      "l.customer_id",
      "l.license_key",
      "l.is_lifetime",
      "l.expires_at",
      "l.ip_system_enabled",
      "l.max_ips",
      "l.ip_count",
      "l.notes",
      "l.version_pin_mode",
      "l.version_pinned",
      "l.version_range_min",
      "l.version_range_max",
      "l.revoked_at",
      "l.revoked_reason",
      "l.custom_override",
      "l.metadata",
      "l.first_used_at",
      "l.term_ms",
      "l.search_text",
      "l.created_at",
      "l.updated_at",
      "c.email as customer_email",
      "c.name as customer_name",
      "c.discord_id as customer_discord_id",
      "p.name as product_name",
      "p.deleted_at as product_deleted_at",
    ])
    .limit(limit);
  if (tag !== null) {
    query = query
      .innerJoin("license_tags as t", "t.license_id", "l.id")
      .where("t.organization_id", "=", organizationId)
      .where("t.tag", "=", tag)
      .orderBy("t.license_id");
    if (afterId !== null) query = query.where(sql<boolean>`t.license_id > ${afterId}`);
    if (productId !== null) query = query.where("l.product_id", "=", productId);
  } else {
    query = query.where("l.organization_id", "=", organizationId).orderBy("l.created_at").orderBy("l.id");
    if (productId !== null) query = query.where("l.product_id", "=", productId);
    if (afterTime !== null && afterId !== null)
      query = query.where(sql<boolean>`(l.created_at, l.id) > (${afterTime}, ${afterId})`);
  }
  const found = await query.execute();
  const last = found.at(-1);
  const next = last === undefined || found.length < limit ? null : JSON.stringify([last.created_at, last.id]);
  const shown = found.filter((row) => row.product_deleted_at === null);
  const ids = shown.map((row) => row.id);
  const tags = await tagsOf(db, ids);
  const ips = await ipsOf(
    db,
    shown.filter((row) => row.ip_count > 0).map((row) => row.id),
  );
  const rows = shown.map(({ product_deleted_at: _, ...row }) => ({
    ...row,
    tags: tags.get(row.id) ?? [],
    ips: (ips.get(row.id) ?? []).map(({ ip }) => ip),
  }));
  return { rows, next };
}
