import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "./built.mjs";
import { root } from "./toolchain.mjs";

/** The exit code of a suite whose toolchain is missing and cannot be installed. Its output says how to install it. */
export const toolchainIsMissing = 3;

/** What every suite depends on: the conformance suite, and the server that it runs against. */
const sharedInputs = [
  "sdks/conformance",
  "sdks/snippets",
  "sdks/tests",
  "docs/sdks",
  "packages",
  "apps/server",
  "tests/http/arrange-outcome.ts",
  "tests/http/outcome-rows.ts",
  "tests/support",
  "package-lock.json",
];

/**
 * The SDK suites that do not run on Bun. Each sets up what it needs, runs in its own language and writes JUnit reports.
 * `words` are its arguments, and `reports` is the folder or file of its reports.
 */
export function sdkSuites(reportFolder) {
  return [
    suite("JavaScript", "sdks/check.mjs", join(reportFolder, "javascript"), "", [
      "sdks/check",
      "sdks/check.mjs",
      "sdks/build.mjs",
      "sdks/framework-versions",
      "sdks/runtimes",
      "sdks/package-lock.json",
      "sdks/node",
      "sdks/express",
      "sdks/nestjs",
    ]),
    suite("Python", "sdks/python/check.mjs", join(reportFolder, "python"), "report.xml", ["sdks/python"]),
    suite("Java", "sdks/java/check.mjs", join(reportFolder, "java"), "", [
      "sdks/pom.xml",
      "sdks/java",
      "sdks/java-spring",
    ]),
  ];
}

function suite(language, program, reports, file, inputs) {
  return {
    language,
    program,
    words: [join(root, program), join(reports, file)],
    reports,
    inputs: [...inputs, ...sharedInputs],
    stamp: join(root, "node_modules", `.countersign-passed-${language.toLowerCase()}`),
  };
}

/** Whether nothing that the suite depends on has changed since it last passed. In CI it always runs. */
export function isUnchanged({ inputs, stamp }) {
  if (process.env.CI === "true" || process.env.COUNTERSIGN_TEST_ALL === "true" || !existsSync(stamp))
    return false;
  return readFileSync(stamp, "utf8") === fingerprint(inputs);
}

/** Remembers for which inputs the suite has passed, or that it has not. */
export function remember({ inputs, stamp }, hasPassed) {
  if (hasPassed) writeFileSync(stamp, fingerprint(inputs));
  else rmSync(stamp, { force: true });
}
