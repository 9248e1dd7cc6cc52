import { spawn } from "node:child_process";

/** Longer than any test may take: who has said nothing for so long says nothing any more. */
const longestSilenceMs = 10 * 60_000;
const longestGoodbyeMs = 5_000;

/**
 * Processes that run side by side, each in a group of its own together with all that it starts. Nothing of a group
 * outlives its first process, and what it printed comes in one piece, when it has ended.
 */
export class Crew {
  #members = new Set();
  #isDismissed = false;

  /**
   * Runs a program to its end. Returns its exit code, null when it has none, what it printed, and how long it took.
   * One that is silent for too long is ended.
   */
  async run(program, words, { silenceMs = longestSilenceMs, ...options } = {}) {
    const startedMs = performance.now();
    const finished = (code, text) => ({ code, text, seconds: (performance.now() - startedMs) / 1000 });
    if (this.#isDismissed) return finished(null, "");
    const child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#members.add(child);
    const chunks = [];
    let silence;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        chunks.push(Buffer.from(`It was ended after ${silenceMs / 1000} seconds of silence.\n`));
        signal(child, "SIGKILL");
      }, silenceMs);
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        chunks.push(chunk);
        listen();
      });
    }
    listen();
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
    this.#members.delete(child);
    // Whoever left the group may still hold the pipes; then what has come so far is all.
    if (child.pid !== undefined) await Promise.race([closed, after(longestGoodbyeMs)]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    return finished(code, Buffer.concat(chunks).toString());
  }

  /** Ends everybody, and lets nobody begin. */
  dismiss() {
    this.#isDismissed = true;
    for (const child of this.#members) signal(child, "SIGTERM");
    after(longestGoodbyeMs).then(() => {
      for (const child of this.#members) signal(child, "SIGKILL");
    });
  }
}

/** Does the jobs, `workers` of them at a time: whoever is done takes the next. */
export async function share(jobs, workers, work) {
  const rest = [...jobs];
  const worker = async () => {
    for (let job = rest.shift(); job !== undefined; job = rest.shift()) await work(job);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** To the process and to all that it has started, even when it is gone itself. */
function signal(child, name) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, name);
  } catch {
    // Nobody is left.
  }
}

function after(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
