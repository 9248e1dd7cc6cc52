import pg from "pg";
import { errorSentence, StorageUnavailable } from "../errors/problem.ts";
import type { PostgresHost, PostgresUrl } from "./url.ts";

/** How much longer an earlier host in the list can take than a later one that is suitable. */
const graceMs = 200;
const maxCheckMs = 1_000;

interface HostState {
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

/**
 * Selects the host of a new connection. All hosts are tried at the same time, so that an unavailable one costs no time;
 * the first suitable one in the list is used until a connection to it fails.
 */
export class HostFinder {
  readonly location: PostgresUrl;
  #found: PostgresHost | null = null;
  #probing: Promise<PostgresHost> | null = null;

  constructor(location: PostgresUrl) {
    this.location = location;
  }

  /** Null if there is only one. */
  async find(): Promise<PostgresHost | null> {
    if (this.location.hosts.length === 1) return null;
    if (this.#found !== null) return this.#found;
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  /** A connection could not be opened: the next one selects a host again. */
  failed(): void {
    this.#found = null;
  }

  /** Throws if the connected host is not suitable. */
  check(state: HostState): void {
    const { target } = this.location;
    if (isWanted(state, target)) return;
    const is = state.is_standby ? "a standby" : "read-only";
    throw new StorageUnavailable(`The PostgreSQL host is ${is}, but target_session_attrs is ${target}.`, {
      reason: "read_only",
    });
  }

  async #probe(): Promise<PostgresHost> {
    const { location } = this;
    const problems: string[] = [];
    const answers: (boolean | null)[] = location.hosts.map(() => null);
    const probes = location.hosts.map(async (host, index) => {
      const problem = await this.#problemOf(host);
      answers[index] = problem === null;
      if (problem !== null) problems.push(`${host.host}: ${problem}`);
      return problem;
    });
    const allAsked = Promise.all(probes);
    const firstGood = new Promise<void>((resolve) => {
      for (const probe of probes)
        void probe.then((problem) => problem === null && setTimeout(resolve, graceMs));
    });
    await Promise.race([allAsked, firstGood]);
    const usableHost = location.hosts[answers.indexOf(true)];
    if (usableHost === undefined)
      throw new StorageUnavailable(`No PostgreSQL host is usable. ${problems.join(" ")}`);
    this.#found = usableHost;
    return usableHost;
  }

  async #problemOf({ host, port }: PostgresHost): Promise<string | null> {
    const client = new pg.Client({
      connectionString: this.location.url,
      application_name: "countersign-host-check",
      connectionTimeoutMillis: maxCheckMs,
      query_timeout: maxCheckMs,
    });
    Object.assign(client, { host, port: port ?? 5432 });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query<HostState>(
        "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only",
      );
      this.check(rows[0] ?? { is_standby: true, is_read_only: true });
      return null;
    } catch (error) {
      return errorSentence(error);
    } finally {
      // A host that hangs would never close cleanly.
      client.connection.stream.destroy();
    }
  }
}

function isWanted(state: HostState, target: PostgresUrl["target"]): boolean {
  switch (target) {
    case "any":
      return true;
    case "read-write":
      return !state.is_standby && !state.is_read_only;
    case "primary":
      return !state.is_standby;
  }
}
