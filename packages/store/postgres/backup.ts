import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  type Contents,
  type CopiedIn,
  type CopyInOptions,
  checkRows,
  countedTables,
  type DatabaseCopier,
  type RowCounts,
  refuseToReplace,
  rowCounts,
  timeStamp,
} from "../backup-format.ts";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { PostgresClient } from "./client.ts";
import { Programs } from "./client-programs.ts";
import { connectionSettings, detectPooler, ownSessions, unreachable } from "./connect.ts";
import { migrateDatabase } from "./migrate.ts";

const dumpName = "countersign.dump";

export function postgresCopier(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): DatabaseCopier {
  const programs = new Programs(url, environment);
  return {
    kind: "postgres",
    fileNames: [dumpName],
    copyOut: (folder) => connected(url, (client) => copyOut(client, programs, join(folder, dumpName))),
    copyIn: async (folder, contents, options) => {
      const dump = join(folder, dumpName);
      const keptAside = await connected(url, (client) => copyIn(client, programs, dump, contents, options));
      return { keptAside, migrationsApplied: await migrateDatabase(url) };
    },
  };
}

/** The counts and the dump use the same snapshot, so they agree exactly while the service runs. */
async function copyOut(client: pg.Client, programs: Programs, dump: string): Promise<Contents> {
  await programs.atLeast("pg_dump", await serverMajor(client));
  await client.query("begin isolation level repeatable read read only");
  await client.query("set local idle_in_transaction_session_timeout = 0");
  const { rows: exported } = await client.query<{ id: string }>("select pg_export_snapshot() as id");
  const contents = { rows: await readRows(client), migrations: await readMigrations(client) };
  writeFileSync(dump, "", { mode: 0o600, flag: "wx" });
  await programs.run("pg_dump", [
    "--format=custom",
    "--no-owner",
    "--no-privileges",
    "--lock-wait-timeout=30s",
    `--snapshot=${exported[0]?.id}`,
    `--file=${dump}`,
  ]);
  await client.query("rollback");
  checkRows(await rowsInDump(programs, dump), contents.rows);
  return contents;
}

/** Reads the whole dump back, as a restore would. */
async function rowsInDump(programs: Programs, dump: string): Promise<RowCounts> {
  const counts = new Map<string, number>();
  let table: string | null = null;
  await programs.lines("pg_restore", ["--data-only", "--file=-", dump], (line) => {
    // In this format no value contains a line break, so a line is a row.
    if (table !== null && line !== "\\.") counts.set(table, (counts.get(table) ?? 0) + 1);
    else table = table === null ? (/^COPY (?:\w+\.)?(\w+) /.exec(line)?.[1] ?? null) : null;
  });
  return rowCounts((name) => counts.get(name) ?? 0);
}

/** Everything in one transaction: servers see either the previous data or the backup, also after a failure. */
async function copyIn(
  client: pg.Client,
  programs: Programs,
  dump: string,
  contents: Contents,
  options: CopyInOptions,
): Promise<CopiedIn["keptAside"]> {
  await serverMajor(client);
  await refuseWhileServersRun(client, "restore");
  const tables = await ownTables(client);
  const functions = await ownFunctions(client);
  const occupied = tables.includes("organizations") ? (await readRows(client)).organizations : 0;
  refuseToReplace(occupied, options.force);
  const aside = `before_restore_${timeStamp(options.nowMs)}`;
  await programs.script("pg_restore", ["--no-owner", "--no-privileges", "--file=-", dump], {
    before: ["begin", "set local lock_timeout = '30s'", ...moveAside(tables, functions, aside)],
    after: ["reset search_path", checkInside(contents.rows), "commit"],
  });
  await client.query("analyze");
  return tables.length === 0 ? [] : [`schema ${aside}`];
}

/** PostgreSQL's programs change session settings, which would remain on connections that others use. */
export async function refuseSharedConnections(client: PostgresClient, url: string): Promise<void> {
  if ((await detectPooler(client, url)) !== "transaction") return;
  throw new StoreProblem(
    "DATABASE_URL leads to a connection pooler that shares connections between transactions. Set it to PostgreSQL itself for this command, or to a pool with pool_mode = session.",
  );
}

/** A server caches values by a revision that a restore may set back, and changes what is being copied. */
export async function refuseWhileServersRun(client: pg.Client, then: "copy" | "restore"): Promise<void> {
  const { rows } = await client.query<{ open: number }>(`select count(*) as open from ${ownSessions}`);
  const open = rows[0]?.open ?? 0;
  if (open === 0) return;
  throw new StoreProblem(
    `A Countersign server is using this database (${open} open ${open === 1 ? "connection" : "connections"}). Stop it, then ${then} again.`,
  );
}

/** Moves whole tables with their triggers, including those of a later release, which an older dump could not name. */
function moveAside(tables: readonly string[], functions: readonly string[], schema: string): string[] {
  if (tables.length === 0) return [];
  return [
    `create schema ${schema}`,
    ...tables.map((table) => `alter table ${pg.escapeIdentifier(table)} set schema ${schema}`),
    ...functions.map((signature) => `alter function ${signature} set schema ${schema}`),
  ];
}

function checkInside(rows: RowCounts): string {
  const differs = countedTables
    .map((table) => `(select count(*) from ${table}) <> ${rows[table]}`)
    .join(" or ");
  return `do $check$ begin if ${differs} then raise exception 'it holds other rows than its manifest says'; end if; end $check$`;
}

async function ownTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename::text as name from pg_tables
     where schemaname = current_schema() and tableowner = current_user order by 1`,
  );
  return rows.map((row) => row.name);
}

/** As `name(types)`, quoted if necessary, without those that belong to an extension. */
async function ownFunctions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = current_schema()::regnamespace
       and p.proowner = (select oid from pg_roles where rolname = current_user)
       and not exists (select 1 from pg_depend d
         where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by 1`,
  );
  return rows.map((row) => row.signature);
}

async function readRows(client: pg.Client): Promise<RowCounts> {
  const counts = countedTables.map((table) => `(select count(*) from ${table}) as ${table}`).join(", ");
  const { rows } = await client.query<RowCounts>(`select ${counts}`);
  return rowCounts((table) => rows[0]?.[table] ?? 0);
}

async function readMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>("select name from schema_migrations order by name");
  return rows.map((row) => row.name);
}

async function serverMajor(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  return Math.floor((rows[0]?.version ?? 0) / 10_000);
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new PostgresClient({ ...connectionSettings(url), application_name: "countersign-backup" });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (cause) {
    throw unreachable(cause);
  }
  try {
    await refuseSharedConnections(client, url);
    return await work(client);
  } catch (cause) {
    if (cause instanceof StoreProblem) throw cause;
    throw new StoreProblem(`PostgreSQL reported an error: ${errorSentence(cause)}`, { cause });
  } finally {
    await client.end();
  }
}
