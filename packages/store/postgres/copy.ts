import pg from "pg";
import {
  type CopiedTable,
  type CopyProgress,
  type CopyReader,
  type CopyRow,
  type CopyValue,
  type CopyWriter,
  columnList,
  conditionFor,
  isCopied,
  isCopiedColumn,
  keyOf,
  noProgress,
  tablesFilledAtStart,
} from "../copy-format.ts";
import { StoreProblem } from "../errors/problem.ts";
import { countColumns, countDifferences } from "../migrations/license-counts.ts";
import { type AppliedMigration, appliedMigrationsQuery, unfinishedCopy } from "../migrations/migration.ts";
import { createDay, dropDay } from "../request-log/tables.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { refuseSharedConnections, refuseWhileServersRun } from "./backup.ts";
import { PostgresClient } from "./client.ts";
import { connectionSettings, unreachable } from "./connect.ts";
import { migrateDatabase } from "./migrate.ts";

/** Refuses while a server runs. It cannot keep one from starting: the comparison at the end shows what that changed. */
export async function openPostgresSource(url: string): Promise<CopyReader> {
  const client = await connected(url);
  if (await exists(client, "schema_migrations")) return new PostgresCopyReader(client);
  await client.end();
  throw new StoreProblem(
    "The PostgreSQL database has no tables of Countersign. Name the database that has them.",
  );
}

/** Creates the tables if there are none. */
export async function openPostgresTarget(url: string): Promise<CopyWriter> {
  const client = await connected(url);
  try {
    const { rows } = await client.query<{ is_free: boolean }>("select pg_try_advisory_lock($1) as is_free", [
      advisoryLocks.copy,
    ]);
    if (rows[0]?.is_free !== true)
      throw new StoreProblem("Another countersign copy is writing this database. Let it finish.");
    if (!(await exists(client, "copy_state"))) await migrateDatabase(url);
    return new PostgresCopyWriter(client);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new PostgresClient({ ...connectionSettings(url), application_name: "countersign-copy" });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (cause) {
    throw cause instanceof StoreProblem ? cause : unreachable(cause);
  }
  try {
    await refuseSharedConnections(client, url);
    await refuseWhileServersRun(client, "copy");
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>("select to_regclass($1)::text as found", [
    table,
  ]);
  return rows[0]?.found != null;
}

class PostgresCopyReader implements CopyReader {
  readonly kind = "postgres";
  protected readonly client: pg.Client;
  #hasSnapshot = false;

  constructor(client: pg.Client) {
    this.client = client;
  }

  async migrations(): Promise<AppliedMigration[]> {
    return (await this.client.query<AppliedMigration>(appliedMigrationsQuery)).rows;
  }

  async storedDataKey(): Promise<string | null> {
    const { rows } = await this.client.query<{ value: string }>(
      "select value from platform_state where name = 'data_key'",
    );
    return rows[0]?.value ?? null;
  }

  /** Partitions, and not the tables that they are part of. */
  async tables(): Promise<CopiedTable[]> {
    const { rows } = await this.client.query<{
      name: string;
      column: string;
      type: string;
      key_position: number | null;
    }>(
      `select c.relname::text as name, a.attname::text as column, format_type(a.atttypid, null) as type,
         array_position(k.conkey, a.attnum) as key_position
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
       where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
       order by c.relname collate "C", a.attnum`,
    );
    const byName = Map.groupBy(rows, ({ name }) => name);
    return [...byName]
      .filter(([name]) => isCopied(name))
      .map(([name, all]) => {
        const columns = all.filter(({ column }) => isCopiedColumn(name, column));
        const key = columns.filter((column) => column.key_position !== null);
        key.sort((a, b) => Number(a.key_position) - Number(b.key_position));
        return {
          name,
          columns: columns.map(({ column, type }) => ({ name: column, type })),
          key: key.map(({ column }) => column),
        };
      });
  }

  async days(): Promise<number[]> {
    const { rows } = await this.client.query<{ day: number }>("select day from request_days order by day");
    return rows.map(({ day }) => day);
  }

  /** In the order of the index of the key, whatever the collation of the database is. */
  async page(table: CopiedTable, after: CopyRow | null, limit: number): Promise<CopyRow[]> {
    const { name, key } = table;
    // The other database may call an integer otherwise.
    const isText = (column: string) => table.columns.find((other) => other.name === column)?.type === "text";
    const values = key.map((column, at) => `$${at + 1}::${isText(column) ? "text" : "bigint"}`);
    const next = after === null ? "" : `and (${key.join()}) > (${values.join()})`;
    const { rows } = await this.client.query<CopyValue[]>({
      text: `select ${columnList(table)} from ${name} where ${conditionFor(name)} ${next} order by ${key.join()} limit ${limit}`,
      values: after === null ? [] : [...keyOf(table, after)],
      rowMode: "array",
    });
    return rows;
  }

  async takeSnapshot(): Promise<void> {
    if (this.#hasSnapshot) {
      await this.client.query("rollback");
      await refuseWhileServersRun(this.client, "copy");
    }
    this.#hasSnapshot = true;
    await this.client.query("begin isolation level repeatable read read only");
    await this.client.query("set local idle_in_transaction_session_timeout = 0");
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

class PostgresCopyWriter extends PostgresCopyReader implements CopyWriter {
  override async takeSnapshot(): Promise<void> {
    // Nobody else writes it.
  }

  async unfinishedCopyOf(): Promise<string | null> {
    if (!(await exists(this.client, "copy_state"))) return null;
    return this.#state("source");
  }

  async occupiedTable(): Promise<string | null> {
    for (const { name } of await this.tables()) {
      if (tablesFilledAtStart.has(name)) continue;
      const { rows } = await this.client.query(`select 1 from ${name} limit 1`);
      if (rows.length > 0) return name;
    }
    return null;
  }

  async begin(source: string): Promise<void> {
    const tables = await this.tables();
    await this.#inTransaction(async () => {
      await this.client.query("create table copy_state (name text primary key, value text not null)");
      await this.client.query(
        "create table copy_progress (name text primary key, last text, row_count bigint not null, is_done integer not null)",
      );
      await this.client.query(
        "insert into schema_migrations (name, applied_at, oldest_release) values ($1, $2, $1)",
        [unfinishedCopy, Date.now()],
      );
      const restoring = await setAside(this.client);
      await this.client.query(`truncate ${tables.map(({ name }) => name).join()}`);
      await this.client.query(
        "insert into copy_state (name, value) values ('source', $1), ('restoring', $2)",
        [source, JSON.stringify(restoring)],
      );
    });
  }

  async prepare(days: readonly number[]): Promise<void> {
    const existing = await this.days();
    await this.#inTransaction(async () => {
      for (const day of existing.filter((day) => !days.includes(day))) {
        for (const statement of dropDay(day)) await this.client.query(statement);
        await this.client.query("delete from request_days where day = $1", [day]);
      }
      for (const day of days.filter((day) => !existing.includes(day))) {
        for (const statement of createDay("postgres", day)) await this.client.query(statement);
        await this.client.query("insert into request_days (day) values ($1)", [day]);
      }
    });
  }

  async progress(table: string): Promise<CopyProgress> {
    const { rows } = await this.client.query<{ last: string | null; row_count: number; is_done: number }>(
      "select last, row_count, is_done from copy_progress where name = $1",
      [table],
    );
    const row = rows[0];
    if (row === undefined) return noProgress;
    const last = row.last === null ? null : (JSON.parse(row.last) as CopyRow);
    return { last, rows: row.row_count, isDone: row.is_done === 1 };
  }

  async write(table: CopiedTable, rows: readonly CopyRow[], progress: CopyProgress): Promise<void> {
    const lists = table.columns.map(({ type }, at) => `$${at + 1}::${type}[]`);
    await this.#inTransaction(async () => {
      if (rows.length > 0)
        await this.client.query(
          `insert into ${table.name} (${columnList(table)}) select * from unnest(${lists.join()})`,
          table.columns.map((_, at) => rows.map((row) => row[at])),
        );
      await this.client.query(
        `insert into copy_progress (name, last, row_count, is_done) values ($1, $2, $3, $4)
         on conflict (name) do update set last = excluded.last, row_count = excluded.row_count, is_done = excluded.is_done`,
        [
          table.name,
          progress.last === null ? null : JSON.stringify(progress.last),
          progress.rows,
          progress.isDone ? 1 : 0,
        ],
      );
    });
  }

  async clear(table: CopiedTable): Promise<void> {
    await this.#inTransaction(async () => {
      await this.client.query("delete from copy_progress where name = $1", [table.name]);
      await this.client.query(`truncate ${table.name}`);
    });
  }

  async finish(): Promise<void> {
    const restoring = JSON.parse(await this.#state("restoring")) as string[];
    await this.#inTransaction(async () => {
      await this.client.query("delete from license_counts");
      await this.client.query("delete from license_count_changes");
      await this.client.query(`insert into license_counts (${countColumns}, licenses) ${countDifferences}`);
      for (const statement of restoring) await this.client.query(statement);
      await this.client.query("drop table copy_progress, copy_state");
      await this.client.query("delete from schema_migrations where name = $1", [unfinishedCopy]);
    });
    await this.client.query("analyze");
  }

  async #state(name: string): Promise<string> {
    const { rows } = await this.client.query<{ value: string }>(
      "select value from copy_state where name = $1",
      [name],
    );
    return rows[0]?.value ?? "";
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.client.query("begin");
    try {
      await work();
      await this.client.query("commit");
    } catch (error) {
      await this.client.query("rollback").catch(() => undefined);
      throw error;
    }
  }
}

/**
 * Disables triggers, which would change what is copied, and removes foreign keys and indexes, which are faster to create
 * at the end. Returns the statements that undo it, in their order. Primary keys and unique columns stay.
 */
async function setAside(client: pg.Client): Promise<string[]> {
  const inSchema = "relnamespace = current_schema()::regnamespace";
  const { rows: keys } = await client.query<{ name: string; table: string; definition: string }>(
    `select k.conname::text as name, k.conrelid::regclass::text as table, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid where ${inSchema} and k.contype = 'f' order by 1`,
  );
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid
     where ${inSchema} and c.relkind = 'r' and not c.relispartition
       and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid) order by 1`,
  );
  const { rows: triggers } = await client.query<{ table: string }>(
    `select distinct t.tgrelid::regclass::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where ${inSchema} and not t.tgisinternal order by 1`,
  );
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const { table } of triggers) await client.query(`alter table ${table} disable trigger user`);
  return [
    ...indexes.map(({ definition }) => definition),
    ...keys.map(
      ({ table, name, definition }) =>
        `alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`,
    ),
    ...triggers.map(({ table }) => `alter table ${table} enable trigger user`),
  ];
}
