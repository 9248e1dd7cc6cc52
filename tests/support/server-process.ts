import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

/** The server that `npm test` has built, which is what users start. The sources if a test file runs directly. */
export const serverMain =
  process.env.COUNTERSIGN_TEST_SERVER ?? join(import.meta.dir, "../../apps/server/main.ts");

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** All output so far. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
  /** SIGTERM, then waits. */
  stop(): Promise<number | null>;
}

/** Starts the real server in a separate process and waits until it reports ready. */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawnCountersign(["serve"], {
    PORT: "0",
    HOST: "127.0.0.1",
    COUNTERSIGN_LOG_FORMAT: "json",
    ...environment,
  });
  const { output, exited } = collect(child);
  const port = await new Promise<number>((resolve, reject) => {
    const look = () => {
      const ready = /"port":(\d+)/.exec(output());
      if (ready) resolve(Number(ready[1]));
    };
    child.stdout?.on("data", look);
    exited.then((code) =>
      reject(new Error(`The server ended with ${code} before it was ready:\n${output()}`)),
    );
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    output,
    exited,
    signal: (signal) => void child.kill(signal),
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

const longestCommandMs = 120_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it exits. */
export async function runCountersign(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawnCountersign(words, environment);
  // A server that starts unexpectedly would otherwise outlive the test.
  const overdue = setTimeout(() => child.kill("SIGKILL"), longestCommandMs);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(overdue);
  return { code, stdout, stderr };
}

function spawnCountersign(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(process.execPath, [serverMain, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collect(child: ChildProcess): { output: () => string; exited: Promise<number | null> } {
  let text = "";
  const keep = (chunk: unknown) => {
    text += String(chunk);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  return { output: () => text, exited: new Promise((resolve) => child.on("close", resolve)) };
}
