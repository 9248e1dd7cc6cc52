import { readdirSync, readFileSync } from "node:fs";

/** CPU time in seconds, or in microseconds for each request. */
export interface CpuTime {
  /** Of the validating thread, which is the server's first. */
  readonly validating: number;
  /** Of the server with all its threads, and of its connections to PostgreSQL. */
  readonly all: number;
}

/** What a server has used since its start; null if the system does not report it. */
export function cpuTime(server: number, databaseUrl: string | null = null): CpuTime | null {
  try {
    const connections = databaseUrl === null ? [] : connectionsTo(databaseUrl);
    const ofDatabase = connections.reduce((sum, pid) => sum + secondsIn(`/proc/${pid}/stat`), 0);
    return {
      validating: secondsIn(`/proc/${server}/task/${server}/stat`),
      all: secondsIn(`/proc/${server}/stat`) + ofDatabase,
    };
  } catch {
    return null;
  }
}

function secondsIn(stat: string): number {
  const afterName = readFileSync(stat, "utf8").split(") ").at(-1) ?? "";
  const [user, system] = afterName.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** PostgreSQL writes the user and the database of a connection into the title of its process. */
function connectionsTo(url: string): number[] {
  const title = `postgres: postgres ${new URL(url).pathname.slice(1)} `;
  const pids = readdirSync("/proc").map(Number).filter(Boolean);
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(title);
    } catch {
      // The process has ended.
      return false;
    }
  });
}

/** The same on all systems with `/proc`. */
const ticksPerSecond = 100;
