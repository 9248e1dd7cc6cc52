import pg from "pg";
import { StorageUnavailable, StoreProblem } from "../problem.ts";

/** How long one statement may take before the caller is told that storage does not answer. */
export const statementTimeoutMs = 1_500;
const connectTimeoutMs = 1_500;
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
    application_name: "countersign",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types,
    ...(sessionSettings === "" ? {} : { options: sessionSettings }),
  };
}

/** A pool for everything that is not the hot path. */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ ...connectionSettings(url), max: 5 });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
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
    throw new StoreProblem(
      `The PostgreSQL database cannot be reached: ${reason(cause)} Check DATABASE_URL and that the server runs.`,
      { cause },
    );
  }
  const major = Math.floor(version / 10_000);
  if (major < oldestSupported) {
    throw new StoreProblem(
      `The database is PostgreSQL ${major}. Countersign needs PostgreSQL ${oldestSupported} or newer.`,
    );
  }
}

export function unavailable(cause: unknown): StorageUnavailable {
  return new StorageUnavailable("PostgreSQL did not answer.", { cause });
}

function reason(cause: unknown): string {
  // A refused connection to a name with several addresses is an AggregateError without a message of its own.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const text = first instanceof Error && first.message !== "" ? first.message : String(first);
  return text.endsWith(".") ? text : `${text}.`;
}
