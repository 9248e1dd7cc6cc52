import { quotaDay } from "@countersign/domain/quota/day";
import { keptSince } from "@countersign/domain/requests/log-days";
import pg from "pg";
import {
  type JournalDeletion,
  type JournalEntry,
  refusals,
  type Sighting,
  SightingBudget,
  scopeSightings,
  sightings,
} from "../journal.ts";
import type { LogCut, LogRetention, RetentionSettings } from "../log-retention.ts";
import { dayOf } from "../request-log/tables.ts";
import type { Geo } from "../rollups/geo.ts";
import { keptRollUps, pruneStatement, rollUpsAtOnce } from "../rollups/retention.ts";
import type { Journal } from "../store.ts";
import { PostgresClient } from "./client.ts";
import { connectionSettings } from "./connect.ts";
import { deleteSome } from "./delete-from-journal.ts";
import { beginTurn, endedList, list, numbers, PostgresRequestLog, type Turn, texts } from "./request-log.ts";
import { rewriteDay, rewriteLimits, sortKeys } from "./sort-keys.ts";
import { storedRetention, sweepSome } from "./sweep-journal.ts";
import { journalAnswerMs, journalLimits } from "./time-limits.ts";
import { dueCuts, writeCuts } from "./trim-request-log.ts";

/** The request log, the sightings and the counts of refusals, on a separate connection that does not wait for the disk. */
export class PostgresJournal implements Journal {
  readonly #url: string;
  readonly #log: PostgresRequestLog;
  readonly #budget = new SightingBudget();
  #client: pg.Client | null = null;
  #rewriting: pg.Client | null = null;

  constructor(url: string, geo: () => Geo | null = () => null) {
    this.#log = new PostgresRequestLog(geo);
    this.#url = url;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const client = await this.#connected();
    try {
      await this.#log.prepare(client, entries);
      await this.#write(client, entries, "together");
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !retried.has(error.code ?? "")) {
        this.#drop();
        throw error;
      }
      await client.query("rollback");
      // Another node may have dropped the tables of an old day.
      if (error.code === checkViolation) this.#log.forget();
      // An attempt with an unknown outcome may have been written completely. Checking first, each time, would cost more.
      await this.append(
        error.code === uniqueViolation ? await this.#log.unwritten(client, entries) : entries,
      );
    }
  }

  async #write(client: pg.Client, entries: readonly JournalEntry[], turn: Turn): Promise<void> {
    const closedUntil = await beginTurn(client, turn);
    const late = entries.filter(({ at }) => at < closedUntil);
    // Late rows change segments that are closed.
    if (late.length > 0 && turn === "together") {
      await client.query("rollback");
      return this.#write(client, entries, "alone");
    }
    await this.#log.insert(client, entries);
    if (late.length > 0) await this.#log.addLate(client, late);
    await this.#see(client, entries);
    await this.#count(client, entries);
    await client.query("commit");
  }

  async closeSegment(nowMs: number): Promise<number> {
    const client = await this.#connected();
    if (!(await this.#log.isSegmentDue(client, nowMs))) return 0;
    return this.#alone((client) => this.#log.closeSegment(client, nowMs));
  }

  async retention(environment: RetentionSettings): Promise<LogRetention> {
    return storedRetention(await this.#connected(), environment);
  }

  async prune({ serverDays, maxDays }: LogRetention, nowMs: number): Promise<number> {
    const dropped = await this.#dropOldest(keptSince(maxDays, nowMs));
    await this.#sortKeys();
    // Either may have given up, and its connection with it.
    const client = await this.#connected();
    const refused = await client.query({
      ...pruneRefusals,
      values: [quotaDay(keptSince(serverDays, nowMs))],
    });
    const rolledUp = await pruneRollUps(client, serverDays, nowMs);
    return dropped + (refused.rowCount ?? 0) + rolledUp;
  }

  /** Drops the oldest day if it ended before this time, and returns how many days. */
  async #dropOldest(beforeMs: number): Promise<0 | 1> {
    const client = await this.#connected();
    const { rows } = await client.query<{ day: number | null }>(
      "select min(day) as day from request_days where day < $1",
      [dayOf(beforeMs)],
    );
    const day = rows[0]?.day ?? null;
    if (day === null) return 0;
    const dropped = await this.#unlessLocked(() =>
      this.#alone(async (client) => {
        await this.#log.dropDay(client, day);
        return 1 as const;
      }),
    );
    return dropped ?? 0;
  }

  /** Without a turn: nodes go on adding rows, except late ones of the same day. */
  async #sortKeys(): Promise<void> {
    await this.#unlessLocked(async () => {
      const client = await this.#connected();
      await client.query("begin");
      await sortKeys(client);
      await client.query("commit");
    });
  }

  async trim(maxBytes: number): Promise<readonly LogCut[]> {
    const cuts = await dueCuts(await this.#connected(), maxBytes);
    if (cuts.length > 0) await this.#alone((client) => writeCuts(client, cuts));
    return cuts;
  }

  async sweep(retention: LogRetention, nowMs: number): Promise<number> {
    return (
      (await this.#unlessLocked(() =>
        this.#alone((client) => sweepSome(client, this.#log, retention, nowMs)),
      )) ?? 0
    );
  }

  async reclaim(nowMs: number): Promise<number> {
    // Not on the connection of the log, which would have to wait.
    const client = new PostgresClient(connectionSettings(this.#url, rewriteLimits));
    client.on("error", () => undefined);
    this.#rewriting = client;
    try {
      await client.connect();
      await client.query("begin");
      const day = await rewriteDay(client, nowMs);
      await client.query("commit");
      return day === null ? 0 : 1;
    } catch (error) {
      if (isLocked(error)) return 0;
      throw error;
    } finally {
      this.#rewriting = null;
      client.connection.stream.destroy();
    }
  }

  async deleteOrganization(step: JournalDeletion): Promise<JournalDeletion | null> {
    return this.#alone((client) => deleteSome(client, step));
  }

  /** A day cannot be dropped or sorted while a backup or a long query reads the log: it is tried again later. */
  async #unlessLocked<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#drop();
      if (isLocked(error)) return null;
      throw error;
    }
  }

  /** Runs a step that changes segments, while no node adds rows. */
  async #alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    try {
      await beginTurn(client, "alone");
      const result = await work(client);
      await client.query("commit");
      return result;
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  /** A database that does not respond is not waited for. */
  async close(): Promise<void> {
    this.#rewriting?.connection.stream.destroy();
    const client = this.#client;
    if (client === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxShutdownMs);
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

function isLocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === lockNotAvailable;
}

async function pruneRollUps(client: pg.Client, serverDays: number, nowMs: number): Promise<number> {
  let pruned = 0;
  for (const table of keptRollUps(nowMs, keptSince(serverDays, nowMs))) {
    const { rowCount } = await client.query(pruneStatement(table, "$1", "$2"), [table.since, rollUpsAtOnce]);
    pruned += rowCount ?? 0;
  }
  return pruned;
}

const uniqueViolation = "23505";
/** A row of a day that has no table. */
const checkViolation = "23514";
const lockNotAvailable = "55P03";
const retried = new Set([uniqueViolation, checkViolation]);
const maxShutdownMs = 1_000;

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

const pruneRefusals = {
  name: "prune_refusals",
  text: `delete from license_refusals where (license_id, day, status) in
    (select license_id, day, status from license_refusals where day < $1 order by day limit 5000)`,
};
