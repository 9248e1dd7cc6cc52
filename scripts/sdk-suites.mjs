import { join } from "node:path";
import { root } from "./toolchain.mjs";

/** What a suite ends with when its toolchain is not there and cannot be brought: it has said how to get it. */
export const toolchainIsMissing = 3;

/**
 * The suites of the SDKs that are not Bun's: each sets up what it needs, runs in its own language, and leaves reports
 * as JUnit would. `words` are what it is called with, `reports` where they are then.
 */
export function sdkSuites(reportFolder) {
  return [
    suite("JavaScript", "sdks/check.mjs", join(reportFolder, "javascript")),
    suite("Python", "sdks/python/check.mjs", join(reportFolder, "python"), "report.xml"),
    suite("Java", "sdks/java/check.mjs", join(root, "sdks", "java", "target", "surefire-reports")),
  ];
}

function suite(language, program, reports, file = "") {
  return { language, program, words: [join(root, program), join(reports, file)], reports };
}
