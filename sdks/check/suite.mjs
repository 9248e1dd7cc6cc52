import { spawn } from "node:child_process";
import { join } from "node:path";
import { runTests, sdks } from "./run.mjs";

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
