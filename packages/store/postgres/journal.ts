import { firstUuidAt } from "@countersign/domain/ids/uuid";
import pg from "pg";
import { type JournalEntry, scopeSightings, sightings } from "../journal.ts";
import type { Journal } from "../store.ts";
import { connectionSettings } from "./connect.ts";

/** The request log and the sightings, on a connection of their own that does not wait for the disk. */
export class PostgresJournal implements Journal {
  readonly #url: string;
  #client: pg.Client | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    const client = await this.#connected();
    try {
      await client.query("begin");
      await client.query({ ...log, values: columns(entries) });
      await this.#see(client, entries);
      await client.query("commit");
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async prune(beforeMs: number): Promise<number> {
    const client = await this.#connected();
    const result = await client.query({ ...prune, values: [firstUuidAt(beforeMs)] });
    return result.rowCount ?? 0;
  }

  async close(): Promise<void> {
    await this.#client?.end();
  }

  async #see(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    const seen = sightings(entries);
    if (seen.length === 0) return;
    const result = await client.query<{ scope_id: string; ip: string; is_new: boolean }>({
      ...seenByLicense,
      values: [
        seen.map((s) => s.licenseId),
        seen.map((s) => s.ip),
        seen.map((s) => s.firstSeenMs),
        seen.map((s) => s.lastSeenMs),
        seen.map((s) => s.hits),
      ],
    });
    const fresh = new Set(result.rows.filter((row) => row.is_new).map((row) => `${row.scope_id} ${row.ip}`));
    const scopes = scopeSightings(seen, (s) => fresh.has(`${s.licenseId} ${s.ip}`));
    await client.query({
      ...seenInScope,
      values: [
        scopes.map((s) => s.tier),
        scopes.map((s) => s.scopeId),
        scopes.map((s) => s.ip),
        scopes.map((s) => s.firstSeenMs),
        scopes.map((s) => s.lastSeenMs),
        scopes.map((s) => s.hits),
        scopes.map((s) => s.newLicenses),
      ],
    });
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    const settings = connectionSettings(this.#url, "-c synchronous_commit=off -c statement_timeout=10000");
    const client = new pg.Client({ ...settings, query_timeout: 15_000 });
    client.on("error", () => this.#drop());
    await client.connect();
    this.#client = client;
    return client;
  }

  #drop(): void {
    this.#client?.connection.stream.destroy();
    this.#client = null;
  }
}

const log = {
  name: "log",
  text: `insert into request_log
      (id, at, organization_id, product_id, license_id, endpoint, status, ip, version, device_id, problem)
    select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[], $10::text[], $11::text[])
    on conflict (id) do nothing`,
};

const seenByLicense = {
  name: "seen_by_license",
  text: `insert into ip_sightings as s (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
    select 'license', scope_id, ip, first_seen_at, last_seen_at, hits, 1
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
      as seen (scope_id, ip, first_seen_at, last_seen_at, hits)
    on conflict (tier, scope_id, ip) do update set
      first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at), hits = s.hits + excluded.hits
    returning scope_id, ip, xmax = 0 as is_new`,
};

const seenInScope = {
  name: "seen_in_scope",
  text: `insert into ip_sightings as s (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    on conflict (tier, scope_id, ip) do update set
      first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
      hits = s.hits + excluded.hits, license_count = s.license_count + excluded.license_count`,
};

const prune = {
  name: "prune",
  text: "delete from request_log where id in (select id from request_log where id < $1 order by id limit 5000)",
};

/** The entries turned on their side: one array for each column. */
function columns(entries: readonly JournalEntry[]): unknown[][] {
  const width = 11;
  return Array.from({ length: width }, (_, column) => entries.map((entry) => withoutNul(entry[column])));
}

/** What callers send may hold a NUL, which PostgreSQL does not take. */
function withoutNul(value: JournalEntry[number] | undefined): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
}
