import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ServerProcess, startServerProcess } from "../tests/support/server-process.ts";

export interface EchoServer {
  readonly port: number;
  stop(): void;
}

export function startBunEcho(): Promise<EchoServer> {
  return start(process.execPath, [join(import.meta.dir, "echo-bun.ts")]);
}

export function startNodeEcho(): Promise<EchoServer> {
  return start("node", [join(import.meta.dir, "echo-node.mjs")]);
}

export function startCountersign(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return startServerProcess({ COUNTERSIGN_LOG_LEVEL: "info", ...environment });
}

/** Resident memory in MiB; null if the system does not report it. */
export function residentMiB(pid: number): number | null {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

async function start(command: string, args: readonly string[]): Promise<EchoServer> {
  const child: ChildProcess = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once("data", (chunk) => resolve(Number(JSON.parse(String(chunk)).port)));
    child.once("error", reject);
  });
  return { port, stop: () => void child.kill() };
}
