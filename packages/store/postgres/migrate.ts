import type pg from "pg";
import { StoreProblem } from "../errors/problem.ts";
import { allMigrations } from "../migrations/all.ts";
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  inOrder,
  isOlder,
  type Migration,
  type MigrationOptions,
  migrationsTable,
  refuseIfNewer,
  statementsFor,
} from "../migrations/migration.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { PostgresClient } from "./client.ts";
import { checkServer, connectedReleases } from "./connect.ts";
import { isConflict, isLockTimeout } from "./errors.ts";
import { closePool, openPool } from "./pools.ts";

/**
 * How long a migration waits for the lock of a table. Everything that needs the table queues behind it in the meantime:
 * also reads, which the holder of the lock would not delay.
 */
const maxLockMs = 1_000;
/** Then the others have their turn. */
const pauseMs = 5_000;

interface Options extends MigrationOptions {
  readonly lockMs?: number;
  readonly retryMs?: number;
}

/** Brings the database up to date and returns what was applied. */
export async function migrateDatabase(url: string, options: Options = {}): Promise<string[]> {
  const pool = openPool(url, "setup", 0);
  try {
    await checkServer(pool);
    return await migratePostgres(pool, allMigrations, options);
  } finally {
    await closePool(pool);
  }
}

/**
 * Applies pending migrations, each completely or not at all, and waits as long as others hold a lock that one needs.
 * Nodes that start together take turns.
 */
export async function migratePostgres(
  pool: pg.Pool,
  migrations: readonly Migration[],
  options: Options = {},
): Promise<string[]> {
  const { lockMs = maxLockMs, retryMs = pauseMs } = options;
  const applied: string[] = [];
  for (const migration of inOrder(migrations)) {
    for (;;) {
      const result = await attempt(pool, { migration, all: migrations, lockMs, options });
      if (result === "applied") applied.push(migration.name);
      if (typeof result === "string") break;
      if ("postponed" in result) {
        options.migrationPostponed?.({ migration: migration.name, reason: result.postponed });
        break;
      }
      options.migrationWaits?.({ migration: migration.name, heldBy: result.heldBy, retryMs });
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
  return applied;
}

interface Step {
  readonly migration: Migration;
  readonly all: readonly Migration[];
  readonly lockMs: number;
  readonly options: MigrationOptions;
}

type Result =
  | "applied"
  | "was applied"
  | { readonly heldBy: readonly string[] }
  | { readonly postponed: string };

async function attempt(pool: pg.Pool, step: Step): Promise<Result> {
  const { migration, lockMs } = step;
  const client = await pool.connect();
  const watch = new LockWatch(pool, lockMs);
  try {
    await client.query("begin");
    // Others wait for nothing while another node migrates: this needs no limit.
    await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks.migration]);
    await client.query(`set local lock_timeout = ${lockMs}`);
    const result = await apply(client, step, watch);
    await client.query("commit");
    client.release();
    return result;
  } catch (cause) {
    // Closing the connection rolls back the step, whatever its state.
    client.release(true);
    if (cause instanceof StoreProblem) throw cause;
    if (isLockTimeout(cause) || isConflict(cause)) return { heldBy: await watch.holders };
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new StoreProblem(`Migration ${migration.name} failed and was rolled back: ${text}.`, { cause });
  }
}

async function apply(
  client: pg.PoolClient,
  { migration, all, options }: Step,
  watch: LockWatch,
): Promise<Result> {
  await client.query(migrationsTable);
  const { rows } = await client.query<AppliedMigration>(appliedMigrationsQuery);
  refuseIfNewer(rows, all);
  if (rows.some((row) => row.name === migration.name)) return "was applied";
  if (migration.phase === "contract" && options.contractAnyway !== true) {
    const postponed = await whyPostponed(client, migration.oldestRelease);
    if (postponed !== null) return { postponed };
  }
  const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid ?? 0;
  for (const statement of statementsFor(migration, "postgres"))
    await watch.run(pid, () => client.query(statement));
  await client.query("insert into schema_migrations (name, applied_at, oldest_release) values ($1, $2, $3)", [
    migration.name,
    Date.now(),
    migration.oldestRelease,
  ]);
  return "applied";
}

/**
 * Why what older releases use cannot be removed now; null if it can. A server that starts while this runs waits for the
 * migration's lock, and then reads that it is too old.
 */
export async function whyPostponed(client: pg.ClientBase, oldestRelease: string): Promise<string | null> {
  // It gives connections of one server to another, and their names with them.
  if (client instanceof PostgresClient && client.isPooled)
    return "a connection pooler hides which servers are connected";
  const older = (await connectedReleases(client)).filter((release) => isOlder(release, oldestRelease));
  return older.length === 0 ? null : `servers of release ${older.join(" and ")} are connected`;
}

/** Runs a statement, and notes who it waits for if it waits for long. */
class LockWatch {
  readonly #pool: pg.Pool;
  readonly #lockMs: number;
  #holders: Promise<readonly string[]> = Promise.resolve([]);

  constructor(pool: pg.Pool, lockMs: number) {
    this.#pool = pool;
    this.#lockMs = lockMs;
  }

  /** Those that the last statement waited for. */
  get holders(): Promise<readonly string[]> {
    return this.#holders;
  }

  async run(pid: number, statement: () => Promise<unknown>): Promise<void> {
    // Afterwards the database no longer knows who it was.
    const timer = setTimeout(() => {
      this.#holders = sessionsBefore(this.#pool, pid).catch(() => []);
    }, this.#lockMs / 2);
    try {
      await statement();
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Session {
  readonly pid: number;
  readonly name: string;
  readonly state: string | null;
  readonly seconds: number | null;
}

async function sessionsBefore(pool: pg.Pool, pid: number): Promise<readonly string[]> {
  const { rows } = await pool.query<Session>(
    `select pid, coalesce(nullif(application_name, ''), backend_type) as name, state,
       extract(epoch from clock_timestamp() - xact_start)::int as seconds
     from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start limit 5`,
    [pid],
  );
  return rows.map(({ pid, name, state, seconds }) => {
    const facts = [
      name,
      ...(state === null ? [] : [state]),
      ...(seconds === null ? [] : [`for ${seconds} s`]),
    ];
    return `process ${pid} (${facts.join(", ")})`;
  });
}
