import { readdirSync, readFileSync } from "node:fs";
import { withClient } from "./postgres.ts";

/** Suspends a PostgreSQL of the test and all its child processes, like an unresponsive disk. Linux only. */
export async function freezePostgres(url: string) {
  const query = "select pg_read_file('postmaster.pid') as text";
  const { rows } = await withClient(url, (client) => client.query(query));
  const postmaster = Number.parseInt(rows[0].text, 10);
  // The parent first, so that it starts no more children.
  process.kill(postmaster, "SIGSTOP");
  const children = readdirSync("/proc").filter((name) => parentOf(name) === postmaster);
  const frozen = [postmaster, ...children.map(Number)].filter((pid) => send(pid, "SIGSTOP"));
  return {
    /** Resumes it. */
    thaw: () => {
      for (const pid of frozen.splice(0)) send(pid, "SIGCONT");
    },
  };
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    // It is no process, or has exited.
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
