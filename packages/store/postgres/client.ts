import pg from "pg";
import { StorageUnavailable } from "../errors/problem.ts";
import type { HostFinder } from "./hosts.ts";

export interface PostgresClientConfig extends pg.ClientConfig {
  readonly finder: HostFinder;
  /** Settings of every statement, such as `statement_timeout=1500`. */
  readonly settings: readonly string[];
}

/**
 * A connection that selects its host, applies its settings, and works behind a pooler. On a direct connection, settings
 * belong to the session and statements keep their names. Behind a pooler, which can give each transaction a different
 * connection, nothing outlives a transaction: settings are sent with each one, and statements are unnamed.
 */
export class PostgresClient extends pg.Client {
  readonly #finder: HostFinder;
  readonly #settings: readonly string[];
  #isPooled = false;
  #inTransaction = false;
  #before: Promise<unknown> = Promise.resolve();

  constructor(config: PostgresClientConfig) {
    const { finder, settings, ...rest } = config;
    super({ ...rest, connectionString: finder.location.url });
    this.#finder = finder;
    this.#settings = settings;
  }

  /** Whether something between this process and PostgreSQL shares its connections. Known once connected. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const opened = this.#open();
    if (callback === undefined) return opened;
    opened.then(
      () => (callback as unknown as (error: null, client: pg.Client) => void)(null, this),
      (error) => callback(error),
    );
    return undefined;
  }

  async #open(): Promise<this> {
    const host = await this.#finder.find();
    if (host !== null) {
      Object.assign(this, { host: host.host, port: host.port ?? defaultPort });
      if (this.connection.stream.destroyed) throw new StorageUnavailable("The connection took too long.");
    }
    try {
      await super.connect();
      await this.#begin();
    } catch (error) {
      this.#finder.failed();
      throw error;
    }
    return this;
  }

  /** One round trip: whether there is a pooler, whether the host is suitable, and the settings if they can stay. */
  async #begin(): Promise<void> {
    const processId = (this as unknown as { readonly processID: number | null }).processID ?? 0;
    const isDirect = `pg_backend_pid() = ${processId}`;
    const settings = this.#settings.map((setting) => `set_config(${nameAndValue(setting)}, false)`);
    const { rows } = await super.query<Beginning>(
      `select ${isDirect} as is_direct, pg_is_in_recovery() as is_standby,
        current_setting('transaction_read_only') = 'on' as is_read_only
        ${settings.length === 0 ? "" : `, case when ${isDirect} then concat(${settings.join()}) end`}`,
    );
    const session = rows[0];
    if (session === undefined) throw new StorageUnavailable("PostgreSQL answered with nothing.");
    this.#finder.check(session);
    this.#isPooled = !session.is_direct;
    // A statement sent before the previous response may reach a connection that the pooler has reassigned by then.
    if (this.#isPooled) {
      Object.assign(this, { pipeline: false, query: (...given: unknown[]) => this.#queryPooled(given) });
    }
  }

  #queryPooled(given: unknown[]): unknown {
    const [first, ...rest] = given;
    const bare = withoutName(first);
    // The driver's pool calls this with a callback, and for nothing that needs settings.
    if (typeof given.at(-1) === "function" || hasSubmit(first))
      return super.query.apply(this, [bare, ...rest] as never);
    const text = typeof first === "string" ? first : String((first as { text: string }).text);
    const ask = (...what: unknown[]) => this.#ask(what);
    const word = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? "";
    if (word === "begin" || word === "start") {
      this.#inTransaction = true;
      return ask([text, ...this.#settings.map(setLocal)].join("; ")).then(lastOf, (error) => {
        this.#inTransaction = false;
        throw error;
      });
    }
    const isRollbackTo = /^\s*rollback\s+to\b/i.test(text);
    if ((word === "commit" || word === "rollback") && !isRollbackTo) {
      this.#inTransaction = false;
      return ask(bare, ...rest);
    }
    if (this.#inTransaction || this.#settings.length === 0) return ask(bare, ...rest);
    const begun = ask(["begin", ...this.#settings.map(setLocal)].join("; "));
    const answer = ask(bare, ...rest);
    // The commit of a failed transaction rolls it back.
    const ended = ask("commit");
    return Promise.all([begun, answer, ended]).then(([, result]) => result);
  }

  /** Sequentially: each is sent once the previous one has been answered. */
  #ask(given: unknown[]): Promise<unknown> {
    const answer = this.#before.then(() => super.query.apply(this, given as never) as unknown);
    this.#before = answer.catch(() => undefined);
    return answer;
  }
}

interface Beginning {
  readonly is_direct: boolean;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

const defaultPort = 5432;

function withoutName(query: unknown): unknown {
  if (typeof query !== "object" || query === null || !("name" in query)) return query;
  const { name: _, ...rest } = query;
  return rest;
}

function hasSubmit(query: unknown): boolean {
  return typeof query === "object" && query !== null && "submit" in query;
}

function lastOf(result: unknown): unknown {
  return Array.isArray(result) ? result.at(-1) : result;
}

function setLocal(setting: string): string {
  const [name, value] = split(setting);
  return `set local ${name} = ${pg.escapeLiteral(value)}`;
}

function nameAndValue(setting: string): string {
  return split(setting).map(pg.escapeLiteral).join();
}

function split(setting: string): [string, string] {
  const at = setting.indexOf("=");
  return [setting.slice(0, at), setting.slice(at + 1)];
}
