import pg from "pg";
import { postgres } from "../../../tests/support/databases.ts";
import type { DatabaseLocation } from "../databases/open.ts";
import { requestKeysByKey } from "../migrations/0007-request-keys-by-key.ts";
import { keysTable } from "../request-log/tables.ts";
import { keysBySegment } from "../suite/keys-by-segment.ts";

keysBySegment(postgres, {
  isConverted: true,
  // The next start applies the migration again, to the day that has keys by then.
  make: async (location) =>
    withClient(location, async (client) => {
      await client.query("alter table request_keys drop constraint request_keys_pkey");
      await client.query("alter table request_keys add primary key (from_at, kind, key)");
      await client.query("delete from schema_migrations where name = $1", [requestKeysByKey.name]);
    }),
  order: (location, day) =>
    withClient(location, async (client) => {
      const { rows } = await client.query<{ attname: string }>(
        `select a.attname from pg_index i
         join pg_attribute a on a.attrelid = i.indexrelid
         where i.indrelid = $1::regclass and i.indisprimary order by a.attnum`,
        [keysTable(day)],
      );
      return rows.map((row) => row.attname);
    }),
});

async function withClient<T>(
  location: DatabaseLocation,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: location.kind === "postgres" ? location.url : "" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
