import pg from "pg";
import { StorageUnavailable, StoreProblem } from "../problem.ts";
import { sentence } from "../sentence.ts";

/** How long one statement may take before the caller is told that storage does not answer. */
export const statementTimeoutMs = 1_500;
const connectTimeoutMs = 1_500;
/** Nobody's app waits behind these, and a machine that is just starting takes its time. */
const patientConnectTimeoutMs = 5_000;
/** What servers are called in the database's list of sessions. */
export const applicationName = "countersign";
const oldestSupported = 15;

/** Numbers as numbers: every integer stored here fits, and text would have to be parsed by each reader. */
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

export function connectionSettings(url: string, sessionSettings = ""): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types,
    ...(sessionSettings === "" ? {} : { options: sessionSettings }),
  };
}

/** A pool for everything that is not the hot path. */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    ...connectionSettings(url),
    connectionTimeoutMillis: patientConnectTimeoutMs,
    max: 5,
  });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on("error", () => {});
  return pool;
}

/** A few connections that read along an index or not at all: see `alongIndexes` of the store. */
export function openIndexPool(url: string): pg.Pool {
  const ways = ["seqscan", "bitmapscan", "sort", "incremental_sort", "hashjoin", "mergejoin"];
  const settings = [...ways.map((way) => `-c enable_${way}=off`), "-c jit=off"].join(" ");
  const pool = new pg.Pool({
    ...connectionSettings(url, settings),
    connectionTimeoutMillis: patientConnectTimeoutMs,
    max: 3,
  });
  pool.on("error", () => {});
  return pool;
}

/** Throws one sentence when the database cannot be reached or is too old. */
export async function checkServer(pool: pg.Pool): Promise<void> {
  let version: number;
  try {
    const result = await pool.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    version = result.rows[0]?.version ?? 0;
  } catch (cause) {
    throw unreachable(cause);
  }
  const major = Math.floor(version / 10_000);
  if (major < oldestSupported) {
    throw new StoreProblem(
      `The database is PostgreSQL ${major}. Countersign needs PostgreSQL ${oldestSupported} or newer.`,
    );
  }
}

export function unreachable(cause: unknown): StoreProblem {
  return new StoreProblem(
    `The PostgreSQL database cannot be reached: ${sentence(cause)} Check DATABASE_URL and that the server runs.`,
    { cause },
  );
}

export function unavailable(cause: unknown): StorageUnavailable {
  return new StorageUnavailable("PostgreSQL did not answer.", { cause });
}
