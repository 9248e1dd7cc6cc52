import { join } from "node:path";
import { root } from "./toolchain.mjs";

/** The exit code of a suite whose toolchain is missing and cannot be installed. Its output says how to install it. */
export const toolchainIsMissing = 3;

/**
 * The SDK suites that do not run on Bun. Each sets up what it needs, runs in its own language and writes JUnit reports.
 * `words` are its arguments, and `reports` is the folder or file of its reports.
 */
export function sdkSuites(reportFolder) {
  return [
    suite("JavaScript", "sdks/check.mjs", join(reportFolder, "javascript")),
    suite("Python", "sdks/python/check.mjs", join(reportFolder, "python"), "report.xml"),
    suite("Java", "sdks/java/check.mjs", join(reportFolder, "java")),
  ];
}

function suite(language, program, reports, file = "") {
  return { language, program, words: [join(root, program), join(reports, file)], reports };
}
