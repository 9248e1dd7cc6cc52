import { isoTime } from "@countersign/domain/dates/iso-time";
import { type LicenseRecord, licenseRecord } from "../../batches/license-record.ts";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import { unindexed } from "../conditions.ts";
import { tagsOf } from "./search.ts";

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
    const rows = await rowsOf(db, ids.slice(start, start + licensesAtOnce));
    for (const view of await withTags(db, rows)) views.set(view.id, view);
  }
  return ids.flatMap((id) => views.get(id) ?? []);
}

/** Those of an organization, without those of deleted products, in the order of their IDs. */
export async function ownLicenseViews(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<LicenseView[]> {
  return ids.length === 0 ? [] : withTags(db, await ownRowsOf(db, organizationId, ids));
}

const licensesAtOnce = 500;

const rowsOf = prepared((db, ids: readonly string[]) => views(db).where("l.id", "in", ids)).all;

const ownRowsOf = prepared((db, organizationId: string, ids: readonly string[]) =>
  views(db)
    .where("l.id", "in", ids)
    .where(unindexed("l.organization_id"), "=", organizationId)
    .where("p.deleted_at", "is", null)
    .orderBy("l.id"),
).all;

function views(db: Database) {
  return db
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
    ]);
}

async function withTags(db: Database, rows: readonly Omit<LicenseView, "tags">[]): Promise<LicenseView[]> {
  const tags = await tagsOf(
    db,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? [] }));
}

/** A license as the management API shows it. */
export interface ShownLicense extends LicenseRecord {
  readonly product_name: string;
  readonly revoked_reason: string | null;
  // Both are JSON objects, which was checked when they were stored.
  // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse gives.
  readonly custom_override: any;
  // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse gives.
  readonly metadata: any;
  readonly tags: string[];
  readonly first_used_at: string | null;
  readonly term_seconds: number | null;
}

/** The pin is shown as stored, whether or not versions are gated. */
export function showLicense(view: LicenseView, nowMs: number): ShownLicense {
  return {
    ...licenseRecord(view, true, nowMs),
    product_name: view.product_name,
    revoked_reason: view.revoked_reason,
    custom_override: parsed(view.custom_override),
    metadata: parsed(view.metadata),
    tags: [...view.tags],
    first_used_at: isoTime(view.first_used_at),
    term_seconds: view.term_ms === null ? null : Math.round(view.term_ms / 1000),
  };
}

export async function shownLicenses(
  db: Database,
  ids: readonly string[],
  nowMs: number,
): Promise<ShownLicense[]> {
  return (await licenseViews(db, ids)).map((view) => showLicense(view, nowMs));
}

export async function shownLicense(db: Database, id: string, nowMs: number): Promise<ShownLicense> {
  const [license] = await shownLicenses(db, [id], nowMs);
  if (license === undefined) throw new Error(`License ${id} was there and is not.`);
  return license;
}

function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}

/** The license in a path, with what decides who can see it. A handler that needs the license itself reads it. */
export type LicenseReference = Pick<
  LicenseRow,
  "id" | "organization_id" | "product_id" | "customer_id" | "license_key"
>;

export const licenseReference = prepared((db, id: string) =>
  db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .select([
      "licenses.id",
      "licenses.organization_id",
      "licenses.product_id",
      "licenses.customer_id",
      "licenses.license_key",
    ])
    .where("licenses.id", "=", id)
    .where("products.deleted_at", "is", null),
).first;

/** The licenses of a deleted product were deleted with it. */
export const licenseById = prepared((db, id: string) =>
  db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .selectAll("licenses")
    .where("licenses.id", "=", id)
    .where("products.deleted_at", "is", null),
).first;

/** The current row, locked until the transaction ends. */
export const lockedLicense = prepared((db, id: string) =>
  db
    .updateTable("licenses")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll(),
).first;
