import { type Expression, Kysely, PostgresDialect, type SqlBool, sql } from "kysely";
import type pg from "pg";
import { type Call, CallCount, type CallResult } from "../batches/calls.ts";
import { StorageUnavailable } from "../errors/problem.ts";
import { allMigrations } from "../migrations/all.ts";
import type { MigrationOptions } from "../migrations/migration.ts";
import { sealWith } from "../sealed-columns.ts";
import { createDataKey, openDataKey } from "../secrets/data-key.ts";
import { KeyRing, type KnownKey, keyStates, keysAmong, reloadEveryMs } from "../secrets/key-ring.ts";
import type { Sealer } from "../secrets/sealer.ts";
import type { BackgroundWork, CommitDurability, Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import { ConcurrencyLimit } from "../threads/concurrency-limit.ts";
import type { SlowStatementObserver } from "../threads/slow-statements.ts";
import type { ForWorker, MainStore, PostgresOpening } from "../threads/worker-store.ts";
import { PostgresBulk } from "./bulk.ts";
import { checkServer } from "./connect.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { conflict, isConflict, unavailable, violatesKey } from "./errors.ts";
import { CountFolding } from "./fold-counts.ts";
import { guardedPool, SilenceWatch } from "./guarded-pool.ts";
import { migratePostgres } from "./migrate.ts";
import { closePool, connectTimeoutMs, openListPool, openPool } from "./pools.ts";
import { Probe } from "./probe.ts";
import { countLicenses, searchLicenses } from "./search.ts";
import { poolLimits } from "./time-limits.ts";
import { PostgresValidate } from "./validate.ts";

interface PostgresOptions extends MigrationOptions {
  readonly url: string;
  readonly encryptionKey: string | null;
  readonly durability: "standard" | "strict";
  /** Whether a server opens it and will validate. */
  readonly soleServer?: boolean;
  /** Null for the database's own clock, which all nodes share. */
  readonly now: (() => number) | null;
  readonly slowStatement?: SlowStatementObserver | undefined;
}

/** Connects, migrates and returns the store. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const store = await open(options, new CallCount(), null);
  if (options.soleServer === true) await store.reserve();
  return store;
}

/** Opens what another thread of this process has open. */
export async function openPostgresInWorker(
  { url, durability, encryptionKey, calls, ...known }: PostgresOpening,
  slowStatement?: SlowStatementObserver,
): Promise<PostgresStore> {
  const options = { url, durability, encryptionKey, now: null, slowStatement };
  return open(options, new CallCount(calls), known);
}

/** The first store of a process migrates; others get the data key that it decrypted. */
async function open(
  options: PostgresOptions,
  calls: CallCount,
  knownKey: KnownKey | null,
): Promise<PostgresStore> {
  const pool = openPool(options.url, "setup", 0);
  try {
    const serverMajor = await checkServer(pool);
    if (knownKey === null) await migratePostgres(pool, allMigrations, options);
    const key = knownKey ?? (await dataKey(pool, options.encryptionKey));
    let store: PostgresStore | null = null;
    const keys = new KeyRing(key, options.encryptionKey, () => void store?.reloadKeys());
    keys.reload(keysAmong((await pool.query<StoredState>(keyStatesQuery)).rows));
    const { sealer } = keys;
    const validate = new PostgresValidate(new ConnectionPool(options.url, serverMajor), sealer, options.now);
    const probe = new Probe(new ConnectionPool(options.url, serverMajor));
    const silence = new SilenceWatch(() => probe.run());
    const shared = { options, serverMajor, keys, sealer, calls, validate, probe, silence };
    store = new PostgresStore(shared, "management");
    return store;
  } finally {
    await closePool(pool);
  }
}

/** What a store shares with others on the same database that have their own connections. */
interface Shared {
  readonly options: PostgresOptions;
  readonly serverMajor: number;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly calls: CallCount;
  readonly validate: PostgresValidate;
  readonly probe: Probe;
  readonly silence: SilenceWatch;
}

const clockLastsMs = 5_000;

interface StoredState {
  readonly name: string;
  readonly value: string;
}

const keyStatesQuery = `select name, value from platform_state
  where name in (${keyStates.map((name) => `'${name}'`).join()})`;

class PostgresStore implements MainStore {
  readonly kind = "postgres";
  /** While one batch waits for the disk, the next is being read: a third would only make batches smaller. */
  readonly batching = { maxCalls: 512, maxInFlight: 2 };
  readonly sealer: Sealer;
  readonly reads: Kysely<Tables>;
  readonly listReads: Kysely<Tables>;
  readonly bulk = new PostgresBulk();
  readonly direct: Kysely<Tables>;
  readonly #shared: Shared;
  readonly #pool: pg.Pool;
  readonly #listPool: pg.Pool;
  /** Transactions can wait for locks, and reads cannot: so they always have a connection that is soon free. */
  readonly #transactions: ConcurrencyLimit;
  readonly #others = new Map<BackgroundWork, PostgresStore>();
  readonly #keysTimer: ReturnType<typeof setInterval>;
  #folding: CountFolding | null = null;
  /** The time on the database's clock, and when it was read. */
  #asked: { readonly databaseMs: number; readonly atMs: number } | null = null;
  #asking: Promise<{ readonly databaseMs: number; readonly atMs: number }> | null = null;

  constructor(shared: Shared, purpose: "management" | BackgroundWork) {
    const { url, slowStatement } = shared.options;
    this.#shared = shared;
    this.sealer = shared.sealer;
    this.#pool = openPool(url, purpose, shared.serverMajor);
    this.reads = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: guardedPool(this.#pool, shared.silence, slowStatement) }),
    });
    this.direct = this.reads;
    const { connections } = poolLimits[purpose];
    this.#transactions = new ConcurrencyLimit(purpose === "management" ? connections - 1 : connections);
    this.#listPool = openListPool(url, purpose, shared.serverMajor);
    this.listReads = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: guardedPool(this.#listPool, shared.silence, slowStatement) }),
    });
    sealWith(shared.sealer, this.reads, this.listReads);
    this.#keysTimer = setInterval(() => void this.reloadKeys(), reloadEveryMs);
    this.#keysTimer.unref();
    // Stores for background work share the keys of this one.
    if (purpose !== "management") clearInterval(this.#keysTimer);
  }

  /** What is known stays valid if it fails, and the next call tries again. */
  async reloadKeys(): Promise<void> {
    const stored = await this.#pool.query<StoredState>(keyStatesQuery).catch(() => null);
    if (stored !== null) this.#shared.keys.reload(keysAmong(stored.rows));
  }

  withOwnConnections(work: BackgroundWork): Store {
    const known = this.#others.get(work);
    if (known !== undefined) return known;
    const other = new PostgresStore(this.#shared, work);
    this.#others.set(work, other);
    return other;
  }

  get writeHolds(): null {
    return null;
  }

  get answeredCalls(): number {
    return this.#shared.calls.value;
  }

  get lastWrite(): null {
    return null;
  }

  /** Each connection writes for itself here. */
  forWorker(): ForWorker {
    const { url, durability, encryptionKey } = this.#shared.options;
    const { keys, calls } = this.#shared;
    return {
      opening: {
        ...({ kind: "postgres", url, durability, encryptionKey, ...keys.known } as const),
        calls: calls.shared,
      },
      transfer: [],
    };
  }

  async transaction<T>(
    work: (db: Kysely<Tables>) => Promise<T>,
    lasting: CommitDurability = "now",
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#alone(() =>
          this.reads.transaction().execute(async (db) => {
            if (lasting === "soon") await sql`set local synchronous_commit = off`.execute(db);
            return work(db);
          }),
        );
      } catch (error) {
        const isOver = attempt === maxAttempts || (attempt > 1 && violatesKey(error));
        // Another transaction may have written what this one looked for and did not find, or deleted what it found. A
        // retry sees the current state. If it still violates a key, the conflict is real.
        // PostgreSQL checks for a deadlock once, a second after a wait began. A deadlock that arises later is ended by
        // the lock's time limit, and by then the other transaction can continue.
        const isRetried = isConflict(error) || violatesKey(error) || (attempt === 1 && wasLocked(error));
        if (!isOver && isRetried) continue;
        throw isConflict(error) ? conflict(error) : error;
      }
    }
  }

  /** As one of the transactions that leave a connection for reads. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.#transactions.acquire(performance.now() + connectTimeoutMs)))
      throw new StorageUnavailable("Too many transactions are waiting.", { reason: "slow" });
    try {
      return await work();
    } finally {
      this.#transactions.release();
    }
  }

  searchLicenses(organizationId: string, words: readonly string[], most: number): Promise<string[] | null> {
    return searchLicenses(this.reads, organizationId, words, most);
  }

  countLicenses(where: readonly Expression<SqlBool>[], timeoutMs: number): Promise<number | null> {
    return countLicenses(this.reads, where, timeoutMs);
  }

  /** PostgreSQL maintains the text index itself. */
  startUpkeep(trouble: (reason: string) => void): void {
    this.#folding = new CountFolding(this.withOwnConnections("jobs").reads, trouble);
  }

  async checkIntegrity(): Promise<null> {
    return null;
  }

  validate(calls: readonly Call[]): Promise<readonly (CallResult | Promise<CallResult>)[]> {
    this.#shared.calls.add(calls.length);
    return this.#shared.validate.validate(calls);
  }

  /** Opens the connections for validations before anything else can take them. */
  async reserve(): Promise<void> {
    await this.#shared.validate.reserve(this.batching.maxInFlight);
  }

  async ping({ needsSpace } = { needsSpace: false }): Promise<void> {
    await this.#shared.probe.run();
    if (needsSpace) await this.#shared.probe.grow();
  }

  /**
   * Read every few seconds and extrapolated in between: every management request needs the time. It can be slightly
   * behind, but is never ahead: what starts or ends now must apply to the very next validation.
   */
  async clock(): Promise<number> {
    if (this.#asked === null || performance.now() - this.#asked.atMs > clockLastsMs) {
      // Concurrent requests share one query.
      this.#asking ??= this.#askClock().finally(() => {
        this.#asking = null;
      });
      this.#asked = await this.#asking;
    }
    return Math.floor(this.#asked.databaseMs + performance.now() - this.#asked.atMs);
  }

  async #askClock(): Promise<{ databaseMs: number; atMs: number }> {
    try {
      const { rows } = await this.#pool.query<{ now: number }>(
        "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now",
      );
      // As if the database had read its clock when its response arrived.
      return { databaseMs: rows[0]?.now ?? Date.now(), atMs: performance.now() };
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#keysTimer);
    this.#shared.silence.close();
    await this.#folding?.close();
    await Promise.all([
      this.#shared.validate.close(),
      this.#shared.probe.close(),
      ...[...this.#others.values()].map((other) => other.close()),
      // Not `reads.destroy()`, which leaves the pool open, and the process alive, if nothing was read through it.
      closePool(this.#pool),
      closePool(this.#listPool),
    ]);
  }
}

function wasLocked(error: unknown): boolean {
  return error instanceof StorageUnavailable && error.reason === "locked";
}

const maxAttempts = 4;

async function dataKey(pool: pg.Pool, passphrase: string | null): Promise<KnownKey> {
  const stored = (await storedDataKey(pool)) ?? (await makeStoredDataKey(pool, passphrase));
  const { key, rewritten } = openDataKey(stored, passphrase);
  if (rewritten !== null) {
    await pool.query("update platform_state set value = $1 where name = 'data_key' and value = $2", [
      rewritten,
      stored,
    ]);
  }
  return { dataKey: key, storedDataKey: stored };
}

async function storedDataKey(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ value: string }>(
    "select value from platform_state where name = 'data_key'",
  );
  return rows[0]?.value ?? null;
}

/**
 * Only if there is none: stretching a passphrase takes time. If two nodes start at the same time, the first one's key
 * wins.
 */
async function makeStoredDataKey(pool: pg.Pool, passphrase: string | null): Promise<string> {
  await pool.query(
    "insert into platform_state (name, value) values ('data_key', $1) on conflict (name) do nothing",
    [createDataKey(passphrase)],
  );
  return (await storedDataKey(pool)) ?? "";
}
