import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Kysely } from "kysely";
import { type Call, CallCount, type CallResult } from "../batches/calls.ts";
import { StorageUnavailable } from "../errors/problem.ts";
import type { MigrationOptions } from "../migrations/migration.ts";
import { sealWith } from "../sealed-columns.ts";
import { createDataKey, openDataKey } from "../secrets/data-key.ts";
import { KeyRing, type KnownKey, keyStates, keysAmong, reloadEveryMs } from "../secrets/key-ring.ts";
import type { Sealer } from "../secrets/sealer.ts";
import type { CommitDurability, IntegrityPart, Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import type { SlowStatementObserver } from "../threads/slow-statements.ts";
import type { ForWorker, MainStore, SqliteOpening } from "../threads/worker-store.ts";
import { type HoldTimes, WriteLock } from "../threads/write-lock.ts";
import { SqliteBulk } from "./bulk.ts";
import { MainSide, WorkerSide } from "./cross-thread-lock.ts";
import { kyselyOver } from "./dialect.ts";
import { directKysely } from "./direct.ts";
import { Checkpoints, DiskSync } from "./disk.ts";
import { rollback, storageError, unavailable } from "./errors.ts";
import {
  openDatabase,
  openReader,
  prepareFolder,
  type SqliteFiles,
  sqliteFiles,
  takeOwnership,
} from "./files.ts";
import { checkInProcess } from "./integrity.ts";
import type { JournalSetAside } from "./migrate.ts";
import { busyTimeoutMs, Probe } from "./probe.ts";
import { TextIndexUpkeep } from "./text-index-upkeep.ts";
import { upgradeFolder } from "./upgrade.ts";
import { SqliteValidate } from "./validate.ts";

interface SqliteOptions extends MigrationOptions {
  readonly folder: string;
  readonly encryptionKey: string | null;
  /**
   * `strict` makes every response wait for the disk; otherwise a power failure can lose the last second of counters.
   */
  readonly durability: "standard" | "strict";
  readonly now: () => number;
  /** Refuse to open the folder while another server owns it. */
  readonly soleServer: boolean;
  /** Called when a damaged request log was set aside. */
  readonly journalSetAside?: JournalSetAside;
  readonly slowStatement?: SlowStatementObserver | undefined;
}

/** Opens the data folder, migrates it and returns the store. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const files = sqliteFiles(options.folder);
  prepareFolder(files.folder);
  const release = options.soleServer ? takeOwnership(files) : () => {};
  try {
    const { soleServer: isOwner, journalSetAside = () => {} } = options;
    await upgradeFolder(files.folder, {
      ...options,
      isOwner,
      journalSetAside: isOwner ? journalSetAside : null,
    });
    const threads = new MainSide();
    return new SqliteStore(files, openDatabase(files.main), options, { threads, release });
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens what another thread of this process has open, and shares its write lock. */
export function openSqliteInWorker(
  { folder, durability, encryptionKey, writeLock, calls, ...known }: SqliteOpening,
  slowStatement?: SlowStatementObserver,
): SqliteStore {
  const files = sqliteFiles(folder);
  const threads = new WorkerSide(writeLock);
  return new SqliteStore(
    files,
    openDatabase(files.main),
    { folder, durability, encryptionKey, now: Date.now, soleServer: false, slowStatement },
    { threads, release: () => threads.close(), calls: new CallCount(calls), known },
  );
}

interface Shared {
  readonly threads: MainSide | WorkerSide;
  /** Called when the store is closed. */
  readonly release: () => void;
  readonly calls?: CallCount;
  readonly known?: KnownKey;
}

export class SqliteStore implements MainStore {
  readonly kind = "sqlite";
  /** One batch at a time: it never waits for anything, so a second could only queue behind it. */
  readonly batching = { maxCalls: 256, maxInFlight: 1 };
  readonly sealer: Sealer;
  readonly reads: Kysely<Tables>;
  readonly bulk: SqliteBulk;
  readonly direct: Kysely<Tables>;
  readonly #writer: DatabaseSync;
  readonly #reader: DatabaseSync;
  readonly #lastWrite: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #probe: Probe;
  readonly #keys: KeyRing;
  readonly #readKeys: StatementSync;
  readonly #writes: Kysely<Tables>;
  readonly #threads: MainSide | WorkerSide;
  readonly #lock: WriteLock;
  readonly #disk: DiskSync;
  readonly #validate: SqliteValidate;
  readonly #options: SqliteOptions;
  readonly #syncTimer: ReturnType<typeof setInterval>;
  readonly #keysTimer: ReturnType<typeof setInterval>;
  readonly #files: SqliteFiles;
  readonly #release: () => void;
  readonly #calls: CallCount;
  #textIndex: TextIndexUpkeep | null = null;
  #unsynced = false;

  constructor(files: SqliteFiles, database: DatabaseSync, options: SqliteOptions, shared: Shared) {
    this.#options = options;
    this.#files = files;
    this.#threads = shared.threads;
    this.#lock = new WriteLock(shared.threads);
    this.#release = shared.release;
    this.#calls = shared.calls ?? new CallCount();
    this.#writer = database;
    // While another process writes, the event loop waits here, but no longer than a caller can be kept waiting.
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    // Lookups access the whole file: mapped into memory, a page costs no system call, however many licenses there are.
    database.exec("pragma mmap_size = 4294967296");
    this.#reader = openReader(files);
    this.#reader.exec("pragma query_only = on");
    this.#lastWrite = this.#reader.prepare("pragma data_version");
    const known = shared.known ?? dataKey(database, options.encryptionKey);
    this.#readKeys = database.prepare(
      `select name, value from platform_state where name in (${keyStates.map((name) => `'${name}'`).join()})`,
    );
    this.#keys = new KeyRing(known, options.encryptionKey, () => this.#reloadKeys());
    this.#reloadKeys();
    this.sealer = this.#keys.sealer;
    this.#validate = new SqliteValidate(database, this.sealer);
    this.#begin = database.prepare("begin immediate");
    this.#commit = database.prepare("commit");
    this.#probe = new Probe(database, files.main, this.#lock);
    this.#writes = kyselyOver(database, options.slowStatement);
    this.reads = kyselyOver(this.#reader, options.slowStatement);
    sealWith(this.sealer, this.#writes, this.reads);
    const isInWorker = shared.calls !== undefined;
    this.bulk = new SqliteBulk(database, new Checkpoints(database, files.main, this.#lock, isInWorker));
    this.#disk = new DiskSync(`${files.main}-wal`);
    this.direct = directKysely({
      writer: database,
      reader: this.#reader,
      lock: this.#lock,
      flush: () => this.#disk.flush(),
      slow: options.slowStatement,
    });
    this.#syncTimer = setInterval(() => this.#syncSoon(), 1000);
    this.#syncTimer.unref();
    this.#keysTimer = setInterval(() => this.#reloadKeys(), reloadEveryMs);
    this.#keysTimer.unref();
  }

  get writeHolds(): HoldTimes {
    return this.#lock.holds;
  }

  get answeredCalls(): number {
    return this.#calls.value;
  }

  /** As the reader sees it, which never writes itself, so every change comes from another connection. */
  get lastWrite(): number {
    return Number(this.#lastWrite.get()?.data_version);
  }

  forWorker(): ForWorker {
    if (this.#threads instanceof WorkerSide) throw new Error("A worker cannot share what is shared with it.");
    const { folder, durability } = this.#options;
    const writeLock = this.#threads.share();
    return {
      opening: {
        kind: "sqlite",
        folder,
        durability,
        ...this.#keys.known,
        encryptionKey: this.#options.encryptionKey,
        calls: this.#calls.shared,
        writeLock,
      },
      transfer: [writeLock.port],
    };
  }

  get listReads(): Kysely<Tables> {
    return this.reads;
  }

  async transaction<T>(
    work: (db: Kysely<Tables>) => Promise<T>,
    lasting: CommitDurability = "now",
  ): Promise<T> {
    const result = await this.#lock.hold(async () => {
      try {
        this.#writer.exec("begin immediate");
        const value = await work(this.#writes);
        // A full disk ends a transaction implicitly. Work that continued regardless must not count as done.
        if (!this.#writer.isTransaction) throw new StorageUnavailable("SQLite undid the transaction.");
        this.#writer.exec("commit");
        return value;
      } catch (error) {
        rollback(this.#writer);
        throw storageError(error);
      }
    });
    if (lasting === "now") await this.#flush();
    else this.#unsynced = true;
    return result;
  }

  async searchLicenses(
    organizationId: string,
    words: readonly string[],
    most: number,
  ): Promise<string[] | null> {
    return this.#textIndex?.find(organizationId, words, most) ?? null;
  }

  /** A statement cannot be interrupted: this thread could do nothing else until it ends. */
  async countLicenses(): Promise<null> {
    return null;
  }

  startUpkeep(trouble: (reason: string) => void): void {
    this.#textIndex = new TextIndexUpkeep(this.#files, this, trouble);
  }

  checkIntegrity(after: string | null, timeoutMs: number, signal: AbortSignal): Promise<IntegrityPart> {
    return checkInProcess(this.#files.folder, after, timeoutMs, signal);
  }

  async validate(calls: readonly Call[]): Promise<readonly CallResult[]> {
    this.#calls.add(calls.length);
    const results = this.#lock.tryAcquire()
      ? this.#validateAndRelease(calls)
      : await this.#validateInOrder(calls);
    if (this.#options.durability === "strict") await this.#flush();
    else this.#unsynced = true;
    return results;
  }

  async ping(): Promise<void> {
    await this.#probe.run(this.#options.now());
    if (this.#options.durability === "strict") await this.#flush();
  }

  async clock(): Promise<number> {
    return this.#options.now();
  }

  async close(): Promise<void> {
    clearInterval(this.#syncTimer);
    clearInterval(this.#keysTimer);
    await this.#textIndex?.close();
    await this.#lock.hold(async () => undefined);
    await this.#disk.flush().catch(() => undefined);
    this.#disk.close();
    this.#reader.close();
    this.#writer.close();
    this.#release();
  }

  /** A caller gets a quick "not now" rather than wait for a writer that does not finish. */
  async #validateInOrder(calls: readonly Call[]): Promise<CallResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<CallResult[]>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new StorageUnavailable("Another writer has held the database for too long."));
    }, maxWaitMs);
    // A batch that is too late must not be counted: its callers have already been answered 503.
    this.#lock.hold(async () => (isLate ? [] : this.#validateNow(calls))).then(resolve, reject);
    return promise.finally(() => clearTimeout(timer));
  }

  /** There is one writer at a time in any case: separate connections would change nothing. */
  withOwnConnections(): Store {
    return this;
  }

  #validateAndRelease(calls: readonly Call[]): CallResult[] {
    try {
      return this.#validateNow(calls);
    } finally {
      this.#lock.release();
    }
  }

  #validateNow(calls: readonly Call[]): CallResult[] {
    try {
      this.#begin.run();
      const results = this.#validate.validate(calls, this.#options.now());
      this.#commit.run();
      this.#validate.committed();
      return results;
    } catch (cause) {
      rollback(this.#writer);
      throw unavailable(cause);
    }
  }

  #reloadKeys(): void {
    try {
      this.#keys.reload(keysAmong(this.#readKeys.all() as { name: string; value: string }[]));
    } catch {
      // What is known stays valid, and the next call tries again.
    }
  }

  async #flush(): Promise<void> {
    try {
      await this.#disk.flush();
    } catch (error) {
      throw unavailable(error);
    }
  }

  #syncSoon(): void {
    if (!this.#unsynced) return;
    this.#unsynced = false;
    this.#disk.flush().catch(() => {
      this.#unsynced = true;
    });
  }
}

const maxWaitMs = 1_500;

function dataKey(database: DatabaseSync, passphrase: string | null): KnownKey {
  const read = database.prepare("select value from platform_state where name = 'data_key'");
  const stored = () => (read.get() as { value: string } | undefined)?.value;
  if (stored() === undefined) {
    database
      .prepare(
        "insert into platform_state (name, value) values ('data_key', ?) on conflict (name) do nothing",
      )
      .run(createDataKey(passphrase));
  }
  const storedKey = stored() ?? "";
  const { key, rewritten } = openDataKey(storedKey, passphrase);
  if (rewritten !== null) {
    database
      .prepare("update platform_state set value = ? where name = 'data_key' and value = ?")
      .run(rewritten, storedKey);
  }
  return { dataKey: key, storedDataKey: storedKey };
}
