import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the SDKs. */
export const sdks = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folder of the runtimes other than Node.js. */
export const runtimes = join(sdks, "runtimes");

export const outcome = { hasFailed: false };

export function bin(path) {
  return join(sdks, "node_modules", ...path.split("/"));
}

/** Runs tests. A failure does not stop the following tests. */
export function runTests(command, args, options = {}) {
  const { status } = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    cwd: sdks,
    ...options,
  });
  if (status !== 0) outcome.hasFailed = true;
}

/** Runs a step that the following ones need, and exits if it fails. */
export function runOrExit(step, command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: "utf8", cwd: sdks, ...options });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}\nFailed: ${step}.\n`);
  process.exit(1);
}

export function runNpm(step, args, options = {}) {
  const npm = process.env.npm_execpath;
  const [command, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  runOrExit(step, command, [...before, ...args, "--loglevel=error"], options);
}

/** Runs the conformance suite, or a part of it, in this form of the client: `esm`, `cjs` or an adapter. */
export function runSuite(
  name,
  program,
  form,
  { serverUrl, reports, before = [], part = "whole", testFolder },
) {
  const script = join(testFolder ?? join(sdks, "node", "tests"), "run-suite.mjs");
  const args = [...before, script, form, serverUrl, join(reports, `${name}.xml`), part];
  if (program.endsWith(".cjs")) runTests(process.execPath, [program, ...args]);
  else runTests(program, args);
}

export async function startConformanceServer() {
  const program = join(sdks, "conformance", "server.ts");
  const child = spawn(process.env.COUNTERSIGN_BUN ?? "bun", [program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error("The conformance server did not start.")));
  });
  return { url, stop: () => child.stdin.end() };
}
