import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

/**
 * The server that `npm test` has built, which is what users start, or the executable, with `npm run test:executable`.
 * The sources if a test file runs directly.
 */
const testedServer =
  process.env.COUNTERSIGN_TEST_SERVER ?? join(import.meta.dir, "../../apps/server/main.ts");

export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>;

/** Starts the real server in a separate process and waits until it reports ready. */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
  program = testedServer,
) {
  const settings = { PORT: "0", HOST: "127.0.0.1", COUNTERSIGN_LOG_FORMAT: "json", ...environment };
  const { child, output, ended } = spawnCountersign(["serve"], settings, program);
  const exited = ended.then(({ code }) => code);
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.on("data", () => {
      const ready = /"port":(\d+)/.exec(output());
      if (ready) resolve(Number(ready[1]));
    });
    exited.then((code) =>
      reject(new Error(`The server ended with ${code} before it was ready:\n${output()}`)),
    );
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    /** All output so far. */
    output,
    exited,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Returns when no thread of it runs any more, which is later than the signal on a busy machine. */
    pause: async () => {
      child.kill("SIGSTOP");
      await until("the server is paused", () => isStopped(child.pid ?? 0));
    },
    resume: () => void child.kill("SIGCONT"),
    /** SIGTERM, then waits. */
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** True on systems that do not say. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) =>
    /^State:\s+T/m.test(readFileSync(`${threads}/${thread}/status`, "utf8")),
  );
}

const maxCommandMs = 120_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it exits. */
export async function runCountersign(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program = testedServer,
): Promise<Finished> {
  const { child, ended } = spawnCountersign(words, environment, program);
  // A server that starts unexpectedly would otherwise outlive the test.
  const overdue = setTimeout(() => child.kill("SIGKILL"), maxCommandMs);
  const { code, stdout, stderr } = await ended;
  clearTimeout(overdue);
  return { code, stdout, stderr };
}

export function spawnCountersign(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  program = testedServer,
) {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment };
  const isScript = /\.[jt]s$/.test(program);
  const [command, before] = isScript ? [process.execPath, [program]] : [program, []];
  return spawnCollecting(command, [...before, ...words], { env });
}

/** A process, and what it has printed. */
export type Spawned = ReturnType<typeof spawnCollecting>;

/** Starts a program and collects its output. */
export function spawnCollecting(
  command: string,
  words: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "detached">,
) {
  const child = spawn(command, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [output, stdout, stderr] = ["", "", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    output += chunk;
  });
  const ended = new Promise<Finished & { readonly signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  return { child, output: () => output, ended };
}
