import pg from "pg";
import { StorageUnavailable } from "../problem.ts";
import { connectionSettings, statementTimeoutMs, unavailable } from "./connect.ts";

const retryAfterMs = 250;
/** All statements of one batch together. */
const longestUseMs = statementTimeoutMs + 300;

/**
 * Settings of a connection that only ever looks rows up by their index. Without them, a plan made while the tables
 * were small would scan them for ever after.
 */
const sessionSettings = [
  "plan_cache_mode=force_generic_plan",
  "enable_seqscan=off",
  "enable_bitmapscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "jit=off",
  // What must be on the disk before an answer leaves is flushed explicitly: see `flush` in sql.ts.
  "synchronous_commit=off",
  `statement_timeout=${statementTimeoutMs}`,
  `lock_timeout=${statementTimeoutMs}`,
  "idle_in_transaction_session_timeout=2000",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

/**
 * The few connections that batches travel on. When one fails, everything fails at once, without waiting, until a new
 * connection has answered: callers get a quick "not now" instead of queueing behind a database that is gone.
 */
export class Lanes {
  readonly #url: string;
  readonly #idle: pg.Client[] = [];
  #down = false;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#down || this.#closed) throw new StorageUnavailable("PostgreSQL is not connected.");
    let client = this.#idle.pop();
    try {
      client ??= await this.#connect();
      const result = await within(longestUseMs, work(client));
      if (this.#closed) await client.end();
      else this.#idle.push(client);
      return result;
    } catch (cause) {
      if (client !== undefined) this.#discard(client);
      this.#goDown();
      throw unavailable(cause);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map((client) => client.end()));
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionSettings(this.#url, sessionSettings),
      pipeline: true,
    });
    client.on("error", () => {
      const index = this.#idle.indexOf(client);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    try {
      await within(
        statementTimeoutMs,
        client.connect().then(() => client.query("select 1")),
      );
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
    void this.#recover();
  }

  async #recover(): Promise<void> {
    while (!this.#closed) {
      try {
        this.#idle.push(await this.#connect());
        this.#down = false;
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
      }
    }
  }

  /** Cuts the connection without a farewell, which a database that hangs would never answer. */
  #discard(client: pg.Client): void {
    client.connection.stream.destroy();
  }
}

/** The database ends statements that take too long; this holds even when it does not answer at all. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms.`)), ms);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
