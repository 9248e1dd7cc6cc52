import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** Longer than any test may take, so a process without output for this long is stuck. */
const silenceTimeoutMs = 10 * 60_000;
const exitTimeoutMs = 5_000;

/**
 * Runs processes in parallel, each in its own process group. No process of a group outlives the first. The output of
 * a process is returned in one piece when it exits.
 */
export class ProcessPool {
  #running = new Set();
  #isStopped = false;
  #processor;

  /**
   * Runs a program until it exits. Returns its exit code (null if there is none), its output, its duration and its
   * processor time. A process that is silent for too long is killed.
   */
  async run(program, words, { silenceMs = silenceTimeoutMs, ...options } = {}) {
    const startedMs = performance.now();
    this.#processor ??= new ProcessorTime();
    const finished = (code, text, processorSeconds = 0) => ({
      code,
      text,
      seconds: (performance.now() - startedMs) / 1000,
      processorSeconds,
    });
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
    const processorSeconds = this.#processor.sinceLastCall();
    clearTimeout(silence);
    signal(child, "SIGKILL");
    this.#running.delete(child);
    // A process that left the group may keep the pipes open. Then only the output so far is returned.
    if (child.pid !== undefined) await Promise.race([closed, after(exitTimeoutMs)]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    return finished(code, Buffer.concat(chunks).toString(), processorSeconds);
  }

  /** Kills all processes and starts no more. */
  stop() {
    this.#isStopped = true;
    for (const child of this.#running) signal(child, "SIGTERM");
    after(exitTimeoutMs).then(() => {
      for (const child of this.#running) signal(child, "SIGKILL");
    });
  }
}

/**
 * The processor time of child processes that have exited, with that of the processes which they waited for. Linux only:
 * elsewhere it is 0. Called after each exit, it returns the time of the process that exited; of two that exit in the
 * same moment, the first gets both.
 */
export class ProcessorTime {
  #counted = ofExitedChildren();

  sinceLastCall() {
    const before = this.#counted;
    this.#counted = ofExitedChildren();
    return this.#counted - before;
  }
}

/** Linux counts it in hundredths of a second. */
function ofExitedChildren() {
  try {
    const [, fields] = readFileSync("/proc/self/stat", "utf8").split(/\) (.*)/s);
    const [user, system] = fields.split(" ").slice(13, 15).map(Number);
    return (user + system) / 100;
  } catch {
    return 0;
  }
}

/** Runs the jobs in their order, at most `workers` at a time. Those whose promise `after` is unsettled let others pass. */
export async function runJobs(jobs, workers, run) {
  const rest = jobs.map((job) => {
    const entry = { job, isReady: job.after === undefined, ready: Promise.resolve(job.after) };
    entry.ready = entry.ready.then(() => {
      entry.isReady = true;
    });
    return entry;
  });
  const worker = async () => {
    while (rest.length > 0) {
      const place = rest.findIndex(({ isReady }) => isReady);
      if (place === -1) await Promise.race(rest.map(({ ready }) => ready));
      else await run(rest.splice(place, 1)[0].job);
    }
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
