import type { Migration } from "./migration.ts";

/**
 * The keys of a day by key: see `request-log/tables.ts`. PostgreSQL builds the new index of every existing day. On
 * SQLite, days that exist keep their order until they are dropped: they are searched with the same queries, but slower.
 */
export const requestKeysByKey: Migration = {
  name: "0007-request-keys-by-key",
  statements: [
    {
      sqlite: null,
      postgres: "alter table request_keys drop constraint request_keys_pkey",
    },
    {
      sqlite: null,
      postgres: "alter table request_keys add primary key (kind, key, from_at)",
    },
  ],
};
