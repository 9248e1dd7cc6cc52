import type { Statement } from "./migration.ts";

/** An import of licenses: the job, the file itself until it is processed, and the undo list. */
export const licenseFiles: readonly Statement[] = [
  `create table imports (
    id text primary key,
    organization_id text not null,
    product_id text not null,
    state text not null
      check (state in ('receiving', 'waiting', 'checking', 'writing', 'undoing', 'finished', 'failed', 'cancelled', 'undone')),
    file_name text,
    format text not null check (format in ('csv', 'jsonl', 'json')),
    source text,
    dry_run integer not null,
    mode text not null check (mode in ('all_or_nothing', 'row_by_row')),
    on_existing text not null check (on_existing in ('fail', 'skip', 'update')),
    send_events integer not null default 0,
    time_zone text not null default 'UTC',
    column_map text not null,
    default_customer_email text,
    bytes_total bigint not null default 0,
    bytes_done bigint not null default 0,
    rows_total integer,
    rows_done integer not null default 0,
    created integer not null default 0,
    updated integer not null default 0,
    skipped integer not null default 0,
    failed integer not null default 0,
    error_count integer not null default 0,
    errors text not null default '[]',
    rejects_size integer not null default 0,
    failure text,
    actor text not null,
    created_by text not null,
    claimed_by text,
    claimed_until bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    finished_at bigint,
    cancel_requested_at bigint,
    undo text,
    keeps_until bigint
  )`,
  "create index imports_by_product on imports (product_id, created_at, id)",
  "create index imports_by_organization on imports (organization_id, id)",
  "create index imports_unfinished on imports (claimed_until) where finished_at is null",
  "create index imports_to_clear on imports (keeps_until) where keeps_until is not null",
  `create table import_pieces (
    import_id text not null references imports (id),
    number integer not null,
    body text not null,
    primary key (import_id, number)
  )`,
  `create table import_undo (
    import_id text not null references imports (id),
    license_id text not null,
    before text,
    written_at bigint not null default 0,
    primary key (import_id, license_id)
  ) /* clustered */`,
  // The rows of the file that were not imported, to be corrected and sent again.
  `create table import_rejects (
    import_id text not null references imports (id),
    number integer not null,
    cells text not null,
    errors text not null,
    primary key (import_id, number)
  ) /* clustered */`,
];
