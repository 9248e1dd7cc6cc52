import { type Extension, extended } from "@countersign/domain/licenses/expiry";
import { sql } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import { addTags } from "./create.ts";
import { nextLicenseChangeTime } from "./ips.ts";
import { refreshSearchTextOf, tagsOf } from "./search.ts";
import { type LicenseView, licenseViews } from "./views.ts";

/** A change to some licenses at once, inside a transaction that has locked and read them. */
export interface LicenseChange {
  /** Those that are not in the target state yet. */
  affected(db: Database, licenses: readonly LicenseView[]): Promise<LicenseView[]>;
  /** Brings the affected ones into the target state and returns them as they are then, without deleted ones. */
  apply(db: Database, licenses: readonly LicenseView[]): Promise<LicenseView[]>;
}

export function revoking(reason: string | null, nowMs: number): LicenseChange {
  return simply(
    (row) => row.revoked_at === null,
    (db, ids) => update(db, ids, { revoked_at: nowMs, revoked_reason: reason }, nowMs),
  );
}

export function reinstating(nowMs: number): LicenseChange {
  return simply(
    (row) => row.revoked_at !== null,
    (db, ids) => update(db, ids, { revoked_at: null, revoked_reason: null }, nowMs),
  );
}

export function settingMaxIps(maxIps: number, nowMs: number): LicenseChange {
  return simply(
    (row) => row.max_ips !== maxIps,
    (db, ids) => update(db, ids, { max_ips: maxIps }, nowMs),
  );
}

/** Null for lifetime. */
export function settingExpiry(expiresAtMs: number | null, nowMs: number): LicenseChange {
  const columns = {
    expires_at: expiresAtMs,
    is_lifetime: expiresAtMs === null ? 1 : 0,
    term_ms: null,
  } as const;
  return simply(
    (row) =>
      row.expires_at !== columns.expires_at ||
      row.is_lifetime !== columns.is_lifetime ||
      (row.term_ms !== null && row.first_used_at === null),
    (db, ids) => update(db, ids, columns, nowMs),
  );
}

/** Licenses that never expire stay as they are. */
export function extending(by: Extension, nowMs: number): LicenseChange {
  return {
    affected: async (_db, rows) => rows.filter((row) => row.is_lifetime === 0),
    apply: async (db, rows) => {
      const groups = Map.groupBy(rows, (row) => JSON.stringify(extendedColumns(row, by, nowMs)));
      const written: LicenseRow[] = [];
      for (const [columns, rowsToChange] of groups)
        written.push(...(await update(db, idsOf(rowsToChange), JSON.parse(columns), nowMs)));
      return withRows(rows, written);
    },
  };
}

export function resettingIps(nowMs: number): LicenseChange {
  return simply(
    (row) => row.ip_count > 0,
    async (db, ids) => {
      await db.deleteFrom("license_ips").where("license_id", "in", ids).execute();
      return resetCounts(db, ids, nowMs);
    },
  );
}

export function deleting(): LicenseChange {
  return simply(
    () => true,
    async (db, ids) => {
      await db.deleteFrom("license_ips").where("license_id", "in", ids).execute();
      await db.deleteFrom("license_tags").where("license_id", "in", ids).execute();
      await db.deleteFrom("recorded_expiries").where("license_id", "in", ids).execute();
      await db.deleteFrom("unannounced_expiries").where("license_id", "in", ids).execute();
      await db.deleteFrom("portal_actions").where("license_id", "in", ids).execute();
      await db.deleteFrom("ip_blocks").where("tier", "=", "license").where("scope_id", "in", ids).execute();
      await db.deleteFrom("licenses").where("id", "in", ids).execute();
      return [];
    },
  );
}

export function addingTags(tags: readonly string[], most: number, nowMs: number): LicenseChange {
  return {
    affected: async (db, rows) => {
      const before = await tagsOf(db, idsOf(rows));
      return rows.filter((row) => {
        const after = new Set([...(before.get(row.id) ?? []), ...tags]);
        return after.size > (before.get(row.id) ?? []).length && after.size <= most;
      });
    },
    apply: async (db, rows) => {
      await addTags(
        db,
        rows.flatMap(({ id, organization_id }) =>
          tags.map((tag) => ({ organization_id, tag, license_id: id })),
        ),
      );
      await update(db, idsOf(rows), {}, nowMs);
      await refreshSearchTextOf(db, idsOf(rows));
      return licenseViews(db, idsOf(rows));
    },
  };
}

export function removingTags(tags: readonly string[], nowMs: number): LicenseChange {
  return {
    affected: async (db, rows) => {
      const before = await tagsOf(db, idsOf(rows));
      return rows.filter((row) => before.get(row.id)?.some((tag) => tags.includes(tag)));
    },
    apply: async (db, rows) => {
      const ids = idsOf(rows);
      if (ids.length === 0) return [];
      await db.deleteFrom("license_tags").where("license_id", "in", ids).where("tag", "in", tags).execute();
      await update(db, ids, {}, nowMs);
      await refreshSearchTextOf(db, ids);
      return licenseViews(db, ids);
    },
  };
}

/** Writes columns of one license, and its tags if given, with all derived values. Returns it as it is then. */
export async function changeLicense(
  db: Database,
  row: LicenseRow,
  columns: Partial<LicenseRow>,
  tags: readonly string[] | null,
  nowMs: number,
): Promise<LicenseView[]> {
  await update(db, [row.id], columns, nowMs);
  if (tags !== null) {
    await db.deleteFrom("license_tags").where("license_id", "=", row.id).execute();
    const { id, organization_id } = row;
    await addTags(
      db,
      tags.map((tag) => ({ organization_id, tag, license_id: id })),
    );
  }
  await refreshSearchTextOf(db, [row.id]);
  return licenseViews(db, [row.id]);
}

/** `apply` returns the rows that it wrote and left. */
function simply(
  isAffected: (row: LicenseRow) => boolean,
  apply: (db: Database, ids: readonly string[]) => Promise<LicenseRow[]>,
): LicenseChange {
  return {
    affected: async (_db, rows) => rows.filter(isAffected),
    apply: async (db, rows) => (rows.length === 0 ? [] : withRows(rows, await apply(db, idsOf(rows)))),
  };
}

/** Related data that is displayed with a license does not change with its row. */
function withRows(licenses: readonly LicenseView[], written: readonly LicenseRow[]): LicenseView[] {
  const rows = new Map(written.map((row) => [row.id, row]));
  return licenses.flatMap((license) => {
    const row = rows.get(license.id);
    return row === undefined ? [] : [{ ...license, ...row }];
  });
}

async function update(
  db: Database,
  ids: readonly string[],
  columns: Partial<LicenseRow>,
  nowMs: number,
): Promise<LicenseRow[]> {
  return ids.length === 0 ? [] : writeColumns(db, ids, columns, nowMs);
}

const writeColumns = prepared((db, ids: readonly string[], columns: Partial<LicenseRow>, nowMs: number) =>
  db
    .updateTable("licenses")
    .set({ ...columns, updated_at: nextLicenseChangeTime(nowMs) })
    .where(sql<boolean>`id in (${sql.join(ids)})`)
    .returningAll(),
).all;

/** Not an edit, so it does not conflict with a concurrent edit of the license. */
const resetCounts = prepared((db, ids: readonly string[], nowMs: number) =>
  db
    .updateTable("licenses")
    .set({ ip_count: 0, ips_updated_at: nextLicenseChangeTime(nowMs) })
    .where(sql<boolean>`id in (${sql.join(ids)})`)
    .returningAll(),
).all;

function extendedColumns(row: LicenseRow, by: Extension, nowMs: number): Partial<LicenseRow> {
  const after = extended({ isLifetime: false, expiresAtMs: row.expires_at, termMs: row.term_ms }, by, nowMs);
  return after === null ? {} : { expires_at: after.expiresAtMs, term_ms: after.termMs };
}

function idsOf(rows: readonly LicenseRow[]): string[] {
  return rows.map((row) => row.id);
}
