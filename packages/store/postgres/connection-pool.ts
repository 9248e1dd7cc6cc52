import type pg from "pg";
import { StorageUnavailable } from "../errors/problem.ts";
import { PostgresClient } from "./client.ts";
import { connectionSettings, unreachable } from "./connect.ts";
import { endsSession, isReadOnly, unavailable } from "./errors.ts";
import { batchLimitMs, statementLimitMs, validatePoolLimits } from "./time-limits.ts";

const retryAfterMs = 250;
/** How long callers wait when a connection is lost, in case only that one was. */
const maxDoubtMs = 300;
const maxShutdownMs = 1_000;

/**
 * Settings of a connection that only looks rows up through an index. Without them, a plan made while the tables were
 * small would scan them forever.
 */
const sessionSettings = [
  "plan_cache_mode=force_generic_plan",
  "enable_seqscan=off",
  "enable_bitmapscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "jit=off",
  // What must be on disk before a response is sent is flushed explicitly: see `flush` in sql.ts.
  "synchronous_commit=off",
];

/**
 * The few connections for batches. A failed statement costs its batch; the connection continues. If a connection is
 * lost, everything fails immediately, without waiting, until a new one has responded: callers get a quick "not now"
 * instead of queueing for a database that is gone.
 */
export class ConnectionPool {
  readonly #url: string;
  readonly #settings: readonly string[];
  readonly #idle: pg.Client[] = [];
  readonly #open = new Set<pg.Client>();
  #down = false;
  /** Resolves once it is known whether the database is gone, or only a connection was. */
  #doubt: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(url: string, serverMajor: number) {
    this.#url = url;
    this.#settings = [...sessionSettings, ...validatePoolLimits(serverMajor)];
  }

  async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#down) await this.#doubt;
    if (this.#down || this.#closed) throw new StorageUnavailable("PostgreSQL is not connected.");
    const client = this.#idle.pop() ?? (await this.#connectOrGoDown());
    try {
      const result = await within(batchLimitMs, work(client));
      this.#giveBack(client);
      return result;
    } catch (cause) {
      if (cause instanceof NoAnswer || !this.#open.has(client) || endsSession(cause)) {
        this.#discard(client);
        this.#goDown();
      } else if (isReadOnly(cause)) this.#discard(client);
      else this.#giveBack(client);
      throw unavailable(cause);
    }
  }

  /** Connections in use close when their work ends, and are cut if that takes too long. */
  async close(): Promise<void> {
    this.#closed = true;
    const ending = this.#idle.splice(0);
    const ended = Promise.all(ending.map((client) => client.end().catch(() => undefined)));
    await within(maxShutdownMs, ended).catch(() => undefined);
    for (const client of ending) this.#discard(client);
  }

  #giveBack(client: pg.Client): void {
    if (!this.#open.has(client)) return;
    if (this.#closed) this.#discard(client);
    else this.#idle.push(client);
  }

  async #connectOrGoDown(): Promise<pg.Client> {
    try {
      return await this.#connect();
    } catch (cause) {
      this.#goDown();
      throw unavailable(cause);
    }
  }

  /** Opens this many connections, which stay open: nothing else uses them. */
  async reserve(count: number): Promise<void> {
    try {
      const opened = await Promise.all(Array.from({ length: count }, () => this.#connect()));
      for (const client of opened) this.#giveBack(client);
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new PostgresClient({
      ...connectionSettings(this.#url, this.#settings),
      pipeline: true,
    });
    client.on("error", () => this.#dropClient(client));
    client.on("end", () => this.#dropClient(client));
    try {
      this.#open.add(client);
      await within(statementLimitMs, client.connect());
      return client;
    } catch (cause) {
      this.#discard(client);
      throw cause;
    }
  }

  #goDown(): void {
    if (this.#down) return;
    this.#down = true;
    for (const client of this.#idle.splice(0)) this.#discard(client);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxDoubtMs);
    this.#doubt = promise.finally(() => clearTimeout(timer));
    void this.#recover(resolve);
  }

  async #recover(triedOnce: () => void): Promise<void> {
    while (!this.#closed) {
      try {
        const client = await this.#connect();
        this.#down = false;
        this.#giveBack(client);
        break;
      } catch {
        triedOnce();
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
      }
    }
    triedOnce();
  }

  #dropClient(client: pg.Client): void {
    this.#open.delete(client);
    const index = this.#idle.indexOf(client);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  /** Cuts the connection without a clean close, to which a database that hangs would never respond. */
  #discard(client: pg.Client): void {
    this.#dropClient(client);
    client.connection.stream.destroy();
  }
}

class NoAnswer extends Error {}

/** The database ends statements that take too long; this applies even if it does not respond at all. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`No answer within ${ms} ms.`)), ms);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

/**
 * Sends everything that `ask` requests together, so that neither side wakes up once per statement. A transaction sent
 * this way completes on the server without this process, which can be paused at any moment.
 */
export function inOneWrite<T>(client: pg.Client, ask: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}
