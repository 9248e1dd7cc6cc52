import type pg from "pg";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import {
  auditLogLimitsQuery,
  type Inspection,
  type MissingTextIndex,
  type PlanFacts,
  type PlatformFacts,
  planFactsQuery,
  platformSettingsQuery,
} from "../inspection.ts";
import { allMigrations } from "../migrations/all.ts";
import { countOfDifferences } from "../migrations/license-counts.ts";
import { type AppliedMigration, appliedMigrationsQuery, type Migration } from "../migrations/migration.ts";
import { PostgresClient } from "./client.ts";
import { connectionSettings, detectPooler, ownSessions, unreachable } from "./connect.ts";
import { whyPostponed } from "./migrate.ts";
import { parsePostgresUrl } from "./url.ts";

export async function inspectPostgres(url: string): Promise<Inspection> {
  return connected(url, async (client) => inspectFile(client, await connectionNotes(client, url)));
}

export interface PostgresPlan {
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly Migration[];
  /** Why a pending migration that removes something would be left for later now, by its name. */
  readonly postponed: ReadonlyMap<string, string>;
}

export async function planPostgres(url: string): Promise<PostgresPlan> {
  return connected(url, async (client) => {
    const applied = await readApplied(client);
    const pending = allMigrations.filter(({ name }) => !applied.some((one) => one.name === name));
    const postponed = new Map<string, string>();
    for (const { name, phase, oldestRelease } of pending) {
      const reason = phase === "contract" ? await whyPostponed(client, oldestRelease) : null;
      if (reason !== null) postponed.set(name, reason);
    }
    return { applied, pending, postponed };
  });
}

async function connected<T>(url: string, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = new PostgresClient({
    ...connectionSettings(url),
    application_name: "countersign-doctor",
    query_timeout: 5_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (cause) {
    if (cause instanceof StoreProblem) throw cause;
    throw unreachable(cause);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connectionNotes(client: PostgresClient, url: string): Promise<string[]> {
  const { hosts, target } = parsePostgresUrl(url);
  const { host, port } = client;
  const chosenHost =
    hosts.length === 1
      ? []
      : [`Of ${hosts.length} hosts, ${host}:${port} is used (target_session_attrs is ${target}).`];
  switch (await detectPooler(client, url)) {
    case "none":
      return chosenHost;
    case "session":
      return [...chosenHost, "A connection pooler is in front of PostgreSQL (it keeps sessions apart)."];
    case "transaction":
      return [
        ...chosenHost,
        "A connection pooler is in front of PostgreSQL (it shares connections between transactions). Backups need DATABASE_URL to lead past it.",
      ];
  }
}

async function inspectFile(client: pg.Client, connection: readonly string[]): Promise<Inspection> {
  const askedMs = Date.now();
  const { clock, version, servers } = await first<{ clock: number; version: string; servers: number }>(
    client,
    `select (extract(epoch from clock_timestamp()) * 1000)::bigint as clock,
       split_part(current_setting('server_version'), ' ', 1) as version,
       (select count(*) from ${ownSessions}) as servers`,
  );
  const answeredMs = Date.now();
  const keys = (await hasTable(client, "platform_state"))
    ? (await client.query<{ value: string }>("select value from platform_state where name = 'data_key'")).rows
    : [];
  return {
    version: `PostgreSQL ${version}`,
    connection,
    appliedMigrations: await readApplied(client),
    clockAheadMs: Math.round(clock - (askedMs + answeredMs) / 2),
    damage: [],
    writeProblem: await writeProblem(client),
    textIndex: (await hasTable(client, "licenses")) ? await missingTextIndex(client) : null,
    wrongCounts: (await hasTable(client, "license_counts")) ? await wrongCounts(client) : null,
    storedDataKey: keys[0]?.value ?? null,
    platform: (await hasTable(client, "plans")) ? await platformFacts(client) : null,
    serversAtWork: servers,
    files: null,
  };
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  if (!(await hasTable(client, "schema_migrations"))) return [];
  return (await client.query<AppliedMigration>(appliedMigrationsQuery)).rows;
}

async function platformFacts(client: pg.Client): Promise<PlatformFacts> {
  const { rows: settings } = await client.query<{ name: string; value: string }>(platformSettingsQuery);
  const { rows: plans } = await client.query<PlanFacts>(planFactsQuery);
  const limits = (await hasTable(client, "audit_log_cutoffs"))
    ? await client.query(auditLogLimitsQuery)
    : null;
  return {
    settings: new Map(settings.map(({ name, value }) => [name, value])),
    plans,
    limitsAuditLog: (limits?.rows.length ?? 0) > 0,
  };
}

/** The migration that creates it continues without it if the server does not offer, or allow, what it needs. */
async function missingTextIndex(client: pg.Client): Promise<MissingTextIndex | null> {
  const { is_there: isThere } = await first<{ is_there: boolean }>(
    client,
    `select exists (select 1 from pg_index where indexrelid = to_regclass('licenses_by_text') and indisvalid)
       as is_there`,
  );
  if (isThere) return null;
  const { rows } = await client.query<{ name: string }>(
    "select name from pg_available_extensions where name in ('pg_trgm', 'btree_gin')",
  );
  const offered = rows.map((row) => row.name);
  return {
    unavailableExtensions: ["pg_trgm", "btree_gin"].filter((name) => !offered.includes(name)),
    statements: [
      "create extension if not exists pg_trgm",
      "create extension if not exists btree_gin",
      "drop index if exists licenses_by_text",
      "create index concurrently licenses_by_text on licenses using gin (organization_id, search_text gin_trgm_ops)",
    ],
  };
}

/** It reads every license, which takes longer than all other checks. */
async function wrongCounts(client: pg.Client): Promise<number> {
  const patient = { text: countOfDifferences, query_timeout: 120_000 };
  const { rows } = await client.query<{ differing: number }>(patient);
  return Number(rows[0]?.differing);
}

/** A replica, a read-only role or a missing permission only shows when something is written. */
async function writeProblem(client: pg.Client): Promise<string | null> {
  try {
    await client.query("begin");
    await client.query("create table doctor_probe (probed integer)");
    return null;
  } catch (cause) {
    return errorSentence(cause);
  } finally {
    await client.query("rollback").catch(() => undefined);
  }
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { exists } = await first<{ exists: boolean }>(
    client,
    `select to_regclass('${name}') is not null as exists`,
  );
  return exists;
}

async function first<T extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<T> {
  const { rows } = await client.query<T>(text);
  const row = rows[0];
  if (row === undefined) throw new Error("The database answered with nothing.");
  return row;
}
