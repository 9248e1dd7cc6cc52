// Checks the JavaScript SDKs as they are published: built, packed and installed, on Node.js with the newest Express and
// NestJS. With COUNTERSIGN_TEST_ALL=true also on Deno, in edge runtimes, and with every supported version of Express and
// NestJS. Usage: node check.mjs <folder for JUnit reports> [test files to run instead of everything]
// COUNTERSIGN_BUN is the Bun executable that runs the conformance server.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { frameworkVersions, testFrameworks } from "./check/frameworks.mjs";
import { checkPacked, install, pack } from "./check/packages.mjs";
import {
  outcome,
  runOrExit,
  runSuite,
  runTests,
  runtimes,
  sdks,
  startConformanceServer,
} from "./check/run.mjs";

const [reports = join(sdks, "reports"), ...only] = process.argv.slice(2);
const isComplete = process.env.COUNTERSIGN_TEST_ALL === "true";
const versions = isComplete ? frameworkVersions : frameworkVersions.slice(0, 1);
mkdirSync(reports, { recursive: true });
for (const { folder } of versions) install(folder);
// These are larger than everything else that is installed.
if (isComplete) install(runtimes);
runOrExit("the build", process.execPath, [join(sdks, "build.mjs")]);
const packed = pack();
if (only.length === 0) {
  runTests(process.execPath, [join(sdks, "check", "sizes.mjs")]);
  for (const [name, file] of Object.entries(packed)) checkPacked(name, file);
}
const server = await startConformanceServer();
try {
  const suite = { serverUrl: server.url, reports };
  if (only.length === 0) {
    runSuite("node", process.execPath, "esm", suite);
    // The same code in another module format: the cases of a real server cover it.
    runSuite("node-cjs", process.execPath, "cjs", { ...suite, part: "real" });
    const deno = join(runtimes, "node_modules", "deno", "bin.cjs");
    if (isComplete) runSuite("deno", deno, "esm", { ...suite, before: ["run", "-A", "--quiet"] });
  }
  for (const version of versions) testFrameworks(version, { ...suite, packed, only, isComplete });
} finally {
  server.stop();
}
process.exit(outcome.hasFailed ? 1 : 0);
