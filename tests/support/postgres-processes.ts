import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";

/** Suspends a PostgreSQL of the test, like a swapping machine or an unresponsive disk. */
export interface FrozenPostgres {
  /** Resumes it. */
  thaw(): void;
}

/** Stops the server and all its child processes, which are found through the server. Linux only. */
export async function freezePostgres(url: string): Promise<FrozenPostgres> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  if (postmaster === null || postmaster <= 1) throw new Error("the PostgreSQL server was not found");
  const frozen: number[] = [];
  const stop = (pid: number) => {
    if (send(pid, "SIGSTOP")) frozen.push(pid);
  };
  // The parent first, so that it starts no more children.
  stop(postmaster);
  for (const pid of processIds()) if (parentOf(pid) === postmaster) stop(pid);
  return {
    thaw: () => {
      for (const pid of frozen.splice(0)) send(pid, "SIGCONT");
    },
  };
}

function processIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number | null {
  try {
    const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return parent === null ? null : Number(parent[1]);
  } catch {
    // The process has exited.
    return null;
  }
}

function send(pid: number, signal: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
