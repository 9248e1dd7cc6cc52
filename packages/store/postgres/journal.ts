import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { quotaDay } from "@countersign/domain/quota/day";
import { keptSince } from "@countersign/domain/requests/log-days";
import pg from "pg";
import {
  type JournalDeletion,
  type JournalEntry,
  refusals,
  type Sighting,
  scopeSightings,
  sightings,
} from "../journal.ts";
import type { LogRetention } from "../log-retention.ts";
import { SightingBudget } from "../sighting-budget.ts";
import type { Journal } from "../store.ts";
import { PostgresClient } from "./client.ts";
import { connectionSettings } from "./connect.ts";
import { deleteSome } from "./delete-from-journal.ts";
import { separator } from "./sql.ts";
import { storedRetention, sweepSome } from "./sweep-journal.ts";
import { journalAnswerMs, journalLimits } from "./time-limits.ts";

/** The request log, the sightings and the counts of refusals, on a separate connection that does not wait for the disk. */
export class PostgresJournal implements Journal {
  readonly #url: string;
  readonly #budget = new SightingBudget();
  #client: pg.Client | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    const client = await this.#connected();
    try {
      await this.#write(client, entries);
    } catch (error) {
      const writtenBefore = error instanceof pg.DatabaseError && error.code === uniqueViolation;
      if (!writtenBefore) {
        this.#drop();
        throw error;
      }
      await client.query("rollback");
      await this.append(await this.#unwritten(client, entries));
    }
  }

  async #write(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await client.query("begin");
    await client.query({ ...log, values: columns(entries) });
    await this.#see(client, entries);
    await this.#count(client, entries);
    await client.query("commit");
  }

  /**
   * An attempt with an unknown outcome may have been written completely. Checking first, each time, would cost more.
   */
  async #unwritten(client: pg.Client, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
    const { rows } = await client.query<{ id: string }>("select id from request_log where id = any ($1)", [
      entries.map(([id]) => id),
    ]);
    const written = new Set(rows.map((row) => row.id));
    return entries.filter(([id]) => !written.has(id));
  }

  async retention(environmentDays: number | null): Promise<LogRetention> {
    return storedRetention(await this.#connected(), environmentDays);
  }

  async prune({ serverDays, longestDays }: LogRetention, nowMs: number): Promise<number> {
    const client = await this.#connected();
    const result = await client.query({ ...prune, values: [firstUuidAt(keptSince(longestDays, nowMs))] });
    const refused = await client.query({
      ...pruneRefusals,
      values: [quotaDay(keptSince(serverDays, nowMs))],
    });
    return (result.rowCount ?? 0) + (refused.rowCount ?? 0);
  }

  async sweep(retention: LogRetention, nowMs: number): Promise<number> {
    const client = await this.#connected();
    try {
      await client.query("begin");
      const read = await sweepSome(client, retention, nowMs);
      await client.query("commit");
      return read;
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async deleteOrganization(step: JournalDeletion): Promise<JournalDeletion | null> {
    const client = await this.#connected();
    try {
      return await deleteSome(client, step);
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  /** A database that does not respond is not waited for. */
  async close(): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, longestShutdownMs);
    });
    await Promise.race([client.end().catch(() => undefined), tooLate]);
    clearTimeout(timer);
    this.#drop();
  }

  async #see(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    const seen = await this.#kept(client, sightings(entries));
    if (seen.length === 0) return;
    const result = await client.query<{ scope_id: string; ip: string }>({
      ...seenByLicense,
      values: [
        list(seen, (s) => s.licenseId),
        list(seen, (s) => s.ip),
        list(seen, (s) => s.firstSeenMs),
        list(seen, (s) => s.lastSeenMs),
        list(seen, (s) => s.hits),
      ],
    });
    // Only those seen for the first time are named.
    const fresh = new Set(result.rows.map((row) => `${row.scope_id} ${row.ip}`));
    const scopes = scopeSightings(seen, (s) => fresh.has(`${s.licenseId} ${s.ip}`));
    await client.query({
      ...seenInScope,
      values: [
        list(scopes, (s) => s.tier),
        list(scopes, (s) => s.scopeId),
        list(scopes, (s) => s.ip),
        list(scopes, (s) => s.firstSeenMs),
        list(scopes, (s) => s.lastSeenMs),
        list(scopes, (s) => s.hits),
        list(scopes, (s) => s.newLicenses),
      ],
    });
  }

  /** Those that are already known, and those that can be added. */
  async #kept(client: pg.Client, seen: readonly Sighting[]): Promise<Sighting[]> {
    if (seen.length === 0) return [];
    const { rows } = await client.query<{ scope_id: string; ip: string }>({
      ...knownToLicense,
      values: [list(seen, (s) => s.licenseId), list(seen, (s) => s.ip)],
    });
    const known = new Set(rows.map((row) => `${row.scope_id} ${row.ip}`));
    return seen.filter((s) => known.has(`${s.licenseId} ${s.ip}`) || this.#budget.admit(s));
  }

  async #count(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    const refused = refusals(entries);
    if (refused.length === 0) return;
    await client.query({
      ...countRefusals,
      values: [
        endedList(refused, (r) => r.licenseId),
        endedList(refused, (r) => r.day),
        endedList(refused, (r) => r.status),
        endedList(refused, (r) => r.organizationId),
        endedList(refused, (r) => r.count),
        endedList(refused, (r) => r.firstAtMs),
        endedList(refused, (r) => r.lastAtMs),
        endedList(refused, (r) => r.lastIp),
        endedList(refused, (r) => r.lastVersion),
      ],
    });
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    const client = new PostgresClient({
      ...connectionSettings(this.#url, ["synchronous_commit=off", ...journalLimits]),
      // A statement without a response then ends with its connection.
      pipeline: true,
      query_timeout: journalAnswerMs,
    });
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    await client.connect();
    this.#client = client;
    return client;
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
  }

  #drop(): void {
    this.#client?.connection.stream.destroy();
    this.#client = null;
  }
}

const uniqueViolation = "23505";
const longestShutdownMs = 1_000;

const log = {
  name: "log",
  text: `insert into request_log
    (id, at, organization_id, product_id, license_id, endpoint, status, ip, version, device_id, problem)
  select * from unnest(${texts("$1")}, ${numbers("$2")}, ${texts("$3")}, ${texts("$4")}, ${texts("$5")}, ${texts("$6")},
    ${texts("$7")}, ${texts("$8")}, ${texts("$9")}, ${texts("$10")}, ${texts("$11")}) as entry (id)
  where id is not null`,
};

const knownToLicense = {
  name: "known_to_license",
  text: `select s.scope_id, s.ip from unnest(${texts("$1")}, ${texts("$2")}) as seen (scope_id, ip)
    join ip_sightings s on s.tier = 'license' and s.scope_id = seen.scope_id and s.ip = seen.ip`,
};

const seenByLicense = {
  name: "seen_by_license",
  text: `with written as (
      insert into ip_sightings as s (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
      select 'license', scope_id, ip, first_seen_at, last_seen_at, hits, 1
      from unnest(${texts("$1")}, ${texts("$2")}, ${numbers("$3")}, ${numbers("$4")}, ${numbers("$5")})
        as seen (scope_id, ip, first_seen_at, last_seen_at, hits)
      on conflict (tier, scope_id, ip) do update set
        first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at), hits = s.hits + excluded.hits
      returning scope_id, ip, xmax = 0 as is_new
    )
    select scope_id, ip from written where is_new`,
};

const seenInScope = {
  name: "seen_in_scope",
  text: `insert into ip_sightings as s (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
    select * from unnest(${texts("$1")}, ${texts("$2")}, ${texts("$3")}, ${numbers("$4")}, ${numbers("$5")},
      ${numbers("$6")}, ${numbers("$7")})
    on conflict (tier, scope_id, ip) do update set
      first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
      hits = s.hits + excluded.hits, license_count = s.license_count + excluded.license_count`,
};

const countRefusals = {
  name: "count_refusals",
  text: `insert into license_refusals as r
      (license_id, day, status, organization_id, count, first_at, last_at, last_ip, last_version)
    select * from unnest(${texts("$1")}, ${numbers("$2")}, ${texts("$3")}, ${texts("$4")}, ${numbers("$5")},
      ${numbers("$6")}, ${numbers("$7")}, ${texts("$8")}, ${texts("$9")}) as refused (license_id)
    where license_id is not null
    on conflict (license_id, day, status) do update set
      count = r.count + excluded.count,
      first_at = least(r.first_at, excluded.first_at),
      last_at = greatest(r.last_at, excluded.last_at),
      last_ip = case when excluded.last_at < r.last_at then r.last_ip else excluded.last_ip end,
      last_version = case when excluded.last_at < r.last_at then r.last_version else excluded.last_version end`,
};

const prune = {
  name: "prune",
  text: "delete from request_log where id in (select id from request_log where id < $1 order by id limit 5000)",
};

const pruneRefusals = {
  name: "prune_refusals",
  text: `delete from license_refusals where (license_id, day, status) in
    (select license_id, day, status from license_refusals where day < $1 order by day limit 5000)`,
};

/** The entries transposed: one list per column. */
function columns(entries: readonly JournalEntry[]): string[] {
  const width = 11;
  return Array.from({ length: width }, (_, column) => endedList(entries, (entry) => entry[column] ?? null));
}

/** A list as one text, which the driver passes through; an array would be escaped element by element. */
function list<T>(items: readonly T[], value: (item: T) => string | number | boolean | null): string {
  return items.map((item) => listItem(value(item))).join(separator);
}

/** Ends with a null, because to PostgreSQL a list of one empty text is an empty list. */
function endedList<T>(items: readonly T[], value: (item: T) => string | number | boolean | null): string {
  return list(items, value) + separator + nothing;
}

function listItem(value: string | number | boolean | null): string {
  if (value === null) return nothing;
  // Callers' input can contain anything: the two special characters of a list, and NUL, which PostgreSQL does not
  // accept.
  return typeof value === "string" ? value.replace(unlisted, "\uFFFD") : String(value);
}

const nothing = "\x1e";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const unlisted = /[\0\x1e\x1f]/g;

function texts(parameter: string): string {
  return `string_to_array(${parameter}, e'\\x1f', e'\\x1e')`;
}

function numbers(parameter: string): string {
  return `${texts(parameter)}::bigint[]`;
}
