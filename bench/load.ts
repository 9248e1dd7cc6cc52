import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CpuTime } from "./cpu.ts";

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly apiKey: string;
  readonly keys: readonly string[];
  readonly cpu?: () => CpuTime | null;
}

export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

export interface LoadSettings {
  readonly connections: number;
  readonly seconds: number;
  readonly rate: number | null;
}

export const hasWrk = spawnSync("wrk", ["--version"]).error === undefined;

/** Sends load to one server from another process, and measures it. Uses wrk for unlimited rates if it is installed. */
export function load(target: Target, settings: LoadSettings): Promise<Measurement> {
  return hasWrk && settings.rate === null ? withWrk(target, settings) : withGenerator(target, settings);
}

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));

async function withWrk(target: Target, { connections, seconds }: LoadSettings): Promise<Measurement> {
  const script = join(folder, `${target.name.replaceAll(/\W+/g, "-")}.lua`);
  // Builds all requests beforehand, so that wrk spends its time on sending.
  writeFileSync(
    script,
    `local keys = { ${target.keys.map((key) => `"${key}"`).join(",")} }
math.randomseed(os.time())
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer ${target.apiKey}"
local requests = {}
local at = 0
init = function()
  for i = 1, #keys do requests[i] = wrk.format(nil, "/api/v1/validate", nil, '{"license_key":"' .. keys[i] .. '","version":"1.2.3"}') end
  at = math.random(#keys)
end
request = function()
  at = at % #keys + 1
  return requests[at]
end
`,
  );
  const output = await run("wrk", [
    ...["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "--latency", "-s", script],
    `http://127.0.0.1:${target.port}`,
  ]);
  const rejected = /Non-2xx or 3xx responses: (\d+)/.exec(output);
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? 0),
    p50Ms: milliseconds(/50%\s+(\S+)/.exec(output)?.[1]),
    p99Ms: milliseconds(/99%\s+(\S+)/.exec(output)?.[1]),
    failed:
      Number(rejected?.[1] ?? 0) +
      (socketErrors === null ? 0 : socketErrors.slice(1).reduce((sum, n) => sum + Number(n), 0)),
  };
}

async function withGenerator(target: Target, settings: LoadSettings): Promise<Measurement> {
  const keysFile = join(folder, `${target.name.replaceAll(/\W+/g, "-")}.keys`);
  writeFileSync(keysFile, target.keys.join("\n"));
  const output = await run(process.execPath, [
    join(import.meta.dir, "load-generator.ts"),
    JSON.stringify({ port: target.port, apiKey: target.apiKey, keysFile, ...settings }),
  ]);
  return JSON.parse(output) as Measurement;
}

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.on("close", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} exited with code ${code}.`)),
    );
  });
}

function milliseconds(text: string | undefined): number {
  const match = /^([\d.]+)(us|ms|s)$/.exec(text ?? "");
  const scale = { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? "ms"] ?? 1;
  return Number(match?.[1] ?? 0) * scale;
}
