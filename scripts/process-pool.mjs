import { spawn } from "node:child_process";

/** Longer than any test may take, so a process without output for this long is stuck. */
const longestSilenceMs = 10 * 60_000;
const longestExitMs = 5_000;

/**
 * Runs processes in parallel, each in its own process group. No process of a group outlives the first. The output of
 * a process is returned in one piece when it exits.
 */
export class ProcessPool {
  #running = new Set();
  #isStopped = false;

  /**
   * Runs a program until it exits. Returns its exit code (null if there is none), its output and its duration. A
   * process that is silent for too long is killed.
   */
  async run(program, words, { silenceMs = longestSilenceMs, ...options } = {}) {
    const startedMs = performance.now();
    const finished = (code, text) => ({ code, text, seconds: (performance.now() - startedMs) / 1000 });
    if (this.#isStopped) return finished(null, "");
    const child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#running.add(child);
    const chunks = [];
    let silence;
    const restartTimer = () => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        chunks.push(Buffer.from(`It was killed after ${silenceMs / 1000} seconds of silence.\n`));
        signal(child, "SIGKILL");
      }, silenceMs);
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        chunks.push(chunk);
        restartTimer();
      });
    }
    restartTimer();
    const closed = new Promise((resolve) => child.on("close", resolve));
    const code = await new Promise((resolve) => {
      child.on("error", (error) => {
        chunks.push(Buffer.from(`${program} could not be run: ${error.message}\n`));
        resolve(null);
      });
      child.on("exit", resolve);
    });
    clearTimeout(silence);
    signal(child, "SIGKILL");
    this.#running.delete(child);
    // A process that left the group may keep the pipes open. Then only the output so far is returned.
    if (child.pid !== undefined) await Promise.race([closed, after(longestExitMs)]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    return finished(code, Buffer.concat(chunks).toString());
  }

  /** Kills all processes and starts no more. */
  stop() {
    this.#isStopped = true;
    for (const child of this.#running) signal(child, "SIGTERM");
    after(longestExitMs).then(() => {
      for (const child of this.#running) signal(child, "SIGKILL");
    });
  }
}

/** Runs the jobs, at most `workers` at a time. */
export async function runJobs(jobs, workers, run) {
  const rest = [...jobs];
  const worker = async () => {
    for (let job = rest.shift(); job !== undefined; job = rest.shift()) await run(job);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** Signals the whole process group, even if its first process has exited. */
function signal(child, name) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, name);
  } catch {
    // No process of the group is left.
  }
}

function after(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
