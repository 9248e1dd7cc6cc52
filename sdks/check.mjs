// Checks the JavaScript SDKs as they are published: built, packed and installed, on Node.js and Deno, in edge runtimes,
// with each supported version of Express and NestJS. Usage: node check.mjs <folder for JUnit reports>
// COUNTERSIGN_BUN is the Bun executable that runs the conformance server.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { frameworkVersions, testFrameworks } from "./check/frameworks.mjs";
import { checkPacked, install, pack } from "./check/packages.mjs";
import { bin, outcome, runOrExit, runTests, sdks } from "./check/run.mjs";
import { runSuite, startConformanceServer } from "./check/suite.mjs";

const reports = process.argv[2] ?? join(sdks, "reports");
mkdirSync(reports, { recursive: true });
for (const { folder } of frameworkVersions) install(folder);
runOrExit("the build", process.execPath, [join(sdks, "build.mjs")]);
runTests(process.execPath, [join(sdks, "check", "sizes.mjs")]);
const packed = pack();
for (const [name, file] of Object.entries(packed)) checkPacked(name, file);
const server = await startConformanceServer();
try {
  const suite = { serverUrl: server.url, reports };
  runSuite("node", process.execPath, "esm", suite);
  // The same code in another module format: the cases of a real server cover it.
  runSuite("node-cjs", process.execPath, "cjs", { ...suite, part: "real" });
  runSuite("deno", bin("deno/bin.cjs"), "esm", { ...suite, before: ["run", "-A", "--quiet"] });
  for (const versions of frameworkVersions) testFrameworks(versions, { ...suite, packed });
} finally {
  server.stop();
}
process.exit(outcome.hasFailed ? 1 : 0);
