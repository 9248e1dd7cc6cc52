import { readdirSync, readFileSync } from "node:fs";
import { withClient } from "./postgres.ts";

/** Suspends a PostgreSQL of the test and all its child processes, like an unresponsive disk. Linux only. */
export async function freezePostgres(url: string) {
  // While the connection is open, because its process exits with it.
  const postmaster = await withClient(url, async (client) => {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    return parentOf(rows[0].pid);
  });
  if (postmaster === null || postmaster <= 1) throw new Error("the PostgreSQL server was not found");
  const frozen: number[] = [];
  const stop = (pid: number) => {
    if (send(pid, "SIGSTOP")) frozen.push(pid);
  };
  // The parent first, so that it starts no more children.
  stop(postmaster);
  for (const pid of processIds()) if (parentOf(pid) === postmaster) stop(pid);
  return {
    /** Resumes it. */
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
