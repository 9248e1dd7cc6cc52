import pg from "pg";
import { StorageUnavailable, StoreProblem } from "../problem.ts";
import { sentence } from "../sentence.ts";

const connectTimeoutMs = 1_500;
/** A connection that carries nothing is asked after so long whether it still is one. */
const keepAliveMs = 10_000;
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
    keepAliveInitialDelayMillis: keepAliveMs,
    types,
    ...(sessionSettings === "" ? {} : { options: sessionSettings }),
  };
}

/** Which PostgreSQL it is. Throws one sentence when it cannot be reached or is too old. */
export async function checkServer(pool: pg.Pool): Promise<number> {
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
  return major;
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
