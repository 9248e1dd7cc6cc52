import pg from "pg";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { thisRelease } from "../migrations/migration.ts";
import { PostgresClient, type PostgresClientConfig } from "./client.ts";
import { HostFinder } from "./hosts.ts";
import { parsePostgresUrl } from "./url.ts";

const connectTimeoutMs = 1_500;
/** How long a connection is idle before it is checked. */
const keepAliveMs = 10_000;
/** Of the application names of servers, and of commands that change the database, in its list of sessions. */
const namePrefix = "countersign ";
/** Finds these sessions. */
export const ownSessions = `pg_stat_activity
  where datname = current_database() and application_name like '${namePrefix}%'`;
const oldestSupported = 15;

/** Numbers as numbers: every integer stored here fits, and every reader would have to parse text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") => {
    switch (oid) {
      case pg.types.builtins.INT2:
      case pg.types.builtins.INT4:
      case pg.types.builtins.INT8:
        return Number;
      case pg.types.builtins.TEXT:
      case pg.types.builtins.VARCHAR:
        return asText;
      default:
        return pg.types.getTypeParser(oid, format);
    }
  },
};

function asText(value: string): string {
  return value;
}

export function connectionSettings(url: string, settings: readonly string[] = []): PostgresClientConfig {
  return {
    finder: new HostFinder(parsePostgresUrl(url)),
    settings,
    application_name: `${namePrefix}${thisRelease}`,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types,
  };
}

/**
 * The PostgreSQL version. Throws one sentence if it cannot be reached, is too old, or is behind an unsupported pooler.
 */
export async function checkServer(pool: pg.Pool): Promise<number> {
  const client = await pool.connect().catch((cause) => {
    throw unreachable(cause);
  });
  try {
    const major = await serverMajor(client);
    if (major < oldestSupported) {
      throw new StoreProblem(
        `The database is PostgreSQL ${major}. Countersign needs PostgreSQL ${oldestSupported} or newer.`,
      );
    }
    await checkTransactions(client);
    return major;
  } finally {
    client.release(true);
  }
}

async function serverMajor(client: pg.ClientBase): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    return Math.floor((rows[0]?.version ?? 0) / 10_000);
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** A pooler that gives each statement a different connection cannot support transactions. */
async function checkTransactions(client: pg.ClientBase): Promise<void> {
  try {
    await client.query("begin");
    await client.query("commit");
  } catch (cause) {
    if (!/statement pooling/i.test(errorSentence(cause))) throw unreachable(cause);
    throw new StoreProblem(
      "The connection pooler in front of PostgreSQL allows no transactions. Set pool_mode = transaction or pool_mode = session for this database.",
      { cause },
    );
  }
}

/** The releases of servers that are connected, and of this one. */
export async function connectedReleases(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from ${ownSessions} order by 1`,
  );
  return rows.map(({ name }) => name.slice(namePrefix.length));
}

export function unreachable(cause: unknown): StoreProblem {
  return new StoreProblem(
    `The PostgreSQL database cannot be reached: ${errorSentence(cause)} Check DATABASE_URL, and that PostgreSQL is running.`,
    { cause },
  );
}

/** What is between this process and PostgreSQL. */
type Pooler = "none" | "session" | "transaction";

const rounds = 20;

/**
 * Checks in turn which PostgreSQL process answers two connections. A pooler in session mode always gives each its own;
 * one that shares connections gives the one that was just freed to the next query.
 */
export async function detectPooler(client: PostgresClient, url: string): Promise<Pooler> {
  if (!client.isPooled) return "none";
  await checkTransactions(client);
  const other = new PostgresClient({
    ...connectionSettings(url),
    application_name: "countersign-pooler-check",
  });
  other.on("error", () => {});
  try {
    await other.connect();
    const backend = await processOf(client);
    const others = await processOf(other);
    for (let round = 0; round < rounds; round++) {
      if ((await processOf(client)) !== backend || (await processOf(other)) !== others) return "transaction";
      if (backend === others) return "transaction";
    }
    return "session";
  } finally {
    await other.end().catch(() => undefined);
  }
}

async function processOf(client: PostgresClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}
