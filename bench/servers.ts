import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ServerProcess, startServerProcess } from "../tests/support/server-process.ts";
import type { seed } from "./seed.ts";

interface EchoServer {
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

/** Another version of Countersign: how it fills a database, and how it is started. */
export interface Version {
  readonly seed: typeof seed;
  readonly start: typeof startCountersign;
}

/**
 * The version in another checkout, which must be installed and built. Its own code fills its database, because schemas
 * differ between versions, and starts its own server.
 */
export async function versionIn(folder: string): Promise<Version> {
  const load = (file: string) => import(resolve(folder, "bench", file));
  const ofThisVersion = process.env.COUNTERSIGN_TEST_SERVER;
  // Read when the files are loaded.
  process.env.COUNTERSIGN_TEST_SERVER = resolve(folder, "apps", "server", "dist", "main.js");
  try {
    const [seeds, servers] = await Promise.all([load("seed.ts"), load("servers.ts")]);
    return { seed: seeds.seed, start: servers.startCountersign };
  } finally {
    if (ofThisVersion === undefined) delete process.env.COUNTERSIGN_TEST_SERVER;
    else process.env.COUNTERSIGN_TEST_SERVER = ofThisVersion;
  }
}
