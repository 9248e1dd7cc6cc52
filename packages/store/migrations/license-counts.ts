import { dayMs } from "@countersign/domain/dates/lengths";
import type { Statement } from "./migration.ts";

/**
 * The number of licenses by expiry day and by creation day, maintained by triggers. Writing a license changes its
 * counts in the same transaction, and an update that changes none of these columns costs nothing. On SQLite a trigger
 * changes the count itself. On PostgreSQL all writers of one product would wait for that row, including validations
 * that start a term. So a trigger only appends the change, and a node folds these rows into the counts a moment
 * later. A count is the sum of both tables.
 */
const tables: readonly Statement[] = [
  `create table license_counts (
    organization_id text not null,
    fact text not null check (fact in ('expires', 'created')),
    product_id text not null,
    day bigint not null,
    is_revoked integer not null,
    is_used integer not null,
    has_notes integer not null,
    licenses bigint not null,
    primary key (organization_id, fact, product_id, day, is_revoked, is_used, has_notes)
  ) /* clustered */`,
  `create table license_count_changes (
    organization_id text not null,
    fact text not null,
    product_id text not null,
    day bigint not null,
    is_revoked integer not null,
    is_used integer not null,
    has_notes integer not null,
    licenses bigint not null
  )`,
  // Every count reads it completely, and after an import it is full of folded rows.
  {
    sqlite: null,
    postgres: `alter table license_count_changes set
      (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  },
  // Rows that have become zero are removed when changes are folded.
  { sqlite: null, postgres: "create index license_counts_none on license_counts (day) where licenses = 0" },
];

const columns = ["organization_id", "fact", "product_id", "day", "is_revoked", "is_used", "has_notes"];
export const countColumns = columns.join(", ");

/** As in the column `ends_at`: licenses that never expire come last. */
const never = "9007199254740991";

type Row = "new" | "old" | "licenses";

/** Which count a license is part of, in the order of `countColumns`. */
type CellOf = (row: Row) => readonly string[];

const expiryOf: CellOf = (row) => {
  const flag = (column: string) => `case when ${row}.${column} is null then 0 else 1 end`;
  return [
    `${row}.organization_id`,
    "'expires'",
    `${row}.product_id`,
    `coalesce(${row}.expires_at, ${never}) / ${dayMs}`,
    flag("revoked_at"),
    flag("first_used_at"),
    flag("notes"),
  ];
};

const creationOf: CellOf = (row) => [
  `${row}.organization_id`,
  "'created'",
  `${row}.product_id`,
  `${row}.created_at / ${dayMs}`,
  "0",
  "0",
  "0",
];

function named(cell: readonly string[]): string {
  return cell.map((value, index) => `${value} as ${columns[index]}`).join();
}

/** The counts of the licenses in a table. */
function countsIn(table: string): string {
  const counts = [expiryOf, creationOf].map((cellOf) => {
    const cell = named(cellOf("licenses"));
    return `select ${cell}, count(*) as licenses from ${table} as licenses group by 1, 2, 3, 4, 5, 6, 7`;
  });
  return counts.join(" union all ");
}

const inExpiry = ["organization_id", "product_id", "expires_at", "revoked_at", "first_used_at", "notes"];
const inCreation = ["organization_id", "product_id", "created_at"];

function differs(cellOf: CellOf): string {
  return `(${cellOf("old")}) <> (${cellOf("new")})`;
}

function add(cell: readonly string[]): string {
  return `insert into license_counts (${countColumns}, licenses) values (${cell}, 1)
    on conflict (${countColumns}) do update set licenses = licenses + 1;`;
}

function subtract(cell: readonly string[]): string {
  return `insert into license_counts (${countColumns}, licenses) values (${cell}, -1)
      on conflict (${countColumns}) do update set licenses = licenses - 1;
    delete from license_counts where (${countColumns}) = (${cell}) and licenses = 0;`;
}

const sqliteTriggers = [
  `create trigger licenses_counted after insert on licenses begin
    ${add(expiryOf("new"))}
    ${add(creationOf("new"))}
  end`,
  `create trigger licenses_uncounted after delete on licenses begin
    ${subtract(expiryOf("old"))}
    ${subtract(creationOf("old"))}
  end`,
  `create trigger licenses_expiry_recounted after update of ${inExpiry.join()} on licenses
    when ${differs(expiryOf)} begin
    ${add(expiryOf("new"))}
    ${subtract(expiryOf("old"))}
  end`,
  `create trigger licenses_creation_recounted after update of ${inCreation.join()} on licenses
    when ${differs(creationOf)} begin
    ${add(creationOf("new"))}
    ${subtract(creationOf("old"))}
  end`,
];

const append = `insert into license_count_changes (${countColumns}, licenses)`;

const postgresTriggers = [
  // Once per statement: an import adds a few rows for thousands of licenses.
  `create function count_new_licenses() returns trigger language plpgsql as $$ begin
    ${append} ${countsIn("written")};
    return null;
  end $$`,
  `create function count_deleted_licenses() returns trigger language plpgsql as $$ begin
    ${append} select ${countColumns}, -licenses
      from (${countsIn("removed")}) as counted;
    return null;
  end $$`,
  `create trigger licenses_counted after insert on licenses
    referencing new table as written for each statement execute function count_new_licenses()`,
  `create trigger licenses_uncounted after delete on licenses
    referencing old table as removed for each statement execute function count_deleted_licenses()`,
  // Per row: PostgreSQL provides a statement's rows only to triggers that fire for every column.
  `create function recount_license_expiry() returns trigger language plpgsql as $$ begin
    ${append} values (${expiryOf("old")}, -1), (${expiryOf("new")}, 1);
    return null;
  end $$`,
  `create function recount_license_creation() returns trigger language plpgsql as $$ begin
    ${append} values (${creationOf("old")}, -1), (${creationOf("new")}, 1);
    return null;
  end $$`,
  `create trigger licenses_expiry_recounted after update of ${inExpiry.join()} on licenses
    for each row when (${differs(expiryOf)}) execute function recount_license_expiry()`,
  `create trigger licenses_creation_recounted after update of ${inCreation.join()} on licenses
    for each row when (${differs(creationOf)}) execute function recount_license_creation()`,
];

export const licenseCounts: readonly Statement[] = [
  ...tables,
  ...sqliteTriggers.map((sqlite) => ({ sqlite, postgres: null })),
  ...postgresTriggers.map((postgres) => ({ sqlite: null, postgres })),
];

/**
 * Where the stored counts are wrong: a row per count, with the number of licenses it lacks. One statement, so that
 * concurrent writes do not make the two sides differ.
 */
export const countDifferences = `select ${countColumns}, sum(licenses) as licenses from (
    ${countsIn("licenses")}
    union all select ${countColumns}, -licenses from license_counts
    union all select ${countColumns}, -licenses from license_count_changes
  ) as compared
  group by ${countColumns} having sum(licenses) <> 0`;

export const countOfDifferences = `select count(*) as differing from (${countDifferences}) as differences`;
