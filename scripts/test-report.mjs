import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** What a path says about the kind of its tests; the first that fits. */
const kinds = [
  ["apps/server/cli/", "command line"],
  ["tests/cli/", "command line"],
  ["packages/domain/", "rules"],
  ["packages/store/", "store"],
  ["packages/contract/", "contract"],
  ["apps/", "server"],
  ["tests/http/", "black-box"],
  ["tests/manage/", "management"],
  ["tests/races/", "races"],
  ["tests/faults/", "faults"],
];

export function emptyTally() {
  return { passed: 0, failed: 0, skipped: 0 };
}

export function kindOf(file) {
  return kinds.find(([start]) => file.startsWith(start))?.[1] ?? "other";
}

/**
 * Adds the tests of a JUnit report to the tally of their kind. Returns a sentence for everything that went wrong
 * without a test of its own to fail: a file that never ran, or a run that ended badly though every test had passed.
 */
export function readReport(path, { files, code, tallyOf }) {
  if (!existsSync(path)) {
    tallyOf("other").failed += 1;
    return ["The test run ended before it could report."];
  }
  const problems = [];
  const reported = new Set();
  let failed = 0;
  for (const { file, outcome } of testcases(readFileSync(path, "utf8"))) {
    reported.add(file);
    tallyOf(kindOf(file))[outcome] += 1;
    if (outcome === "failed") failed += 1;
  }
  for (const file of files.filter((file) => !reported.has(file))) {
    tallyOf(kindOf(file)).failed += 1;
    failed += 1;
    problems.push(`No test of ${file} ran.`);
  }
  if (code !== 0 && failed === 0) {
    tallyOf("other").failed += 1;
    problems.push("The test run failed outside of any test.");
  }
  return problems;
}

/** Attribute values are escaped, so an element ends at the first `>`, and a test's own elements follow it. */
function* testcases(xml) {
  for (const [, attributes, selfClosed, inside] of xml.matchAll(
    /<testcase\b((?:[^>"]|"[^"]*")*?)(?:(\/)>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const file = / file="([^"]*)"/.exec(attributes)?.[1] ?? "";
    const ended = selfClosed ? "" : inside;
    const outcome = /<(failure|error)\b/.test(ended)
      ? "failed"
      : /<skipped\b/.test(ended)
        ? "skipped"
        : "passed";
    yield { file: file.split(sep).join("/"), outcome };
  }
}

/** Every test file under these folders, as the report names them. */
export function testFiles(root, folders) {
  return folders.flatMap((folder) => {
    const start = join(root, folder);
    if (!existsSync(start)) return [];
    return readdirSync(start, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
      .map((entry) =>
        relative(root, join(entry.parentPath ?? entry.path, entry.name))
          .split(sep)
          .join("/"),
      )
      .filter((path) => !path.includes("node_modules/"));
  });
}

export function totals(tallies) {
  const sum = emptyTally();
  for (const tally of tallies.values()) {
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.skipped += tally.skipped;
  }
  return sum;
}

/** How many tests of each kind ran, and how they ended. */
export function table(tallies) {
  const rows = [...tallies].map(([kind, { passed, failed, skipped }]) => [kind, passed, failed, skipped]);
  return [["kind", "passed", "failed", "skipped"], ...rows]
    .map(([kind, ...counts]) => kind.padEnd(14) + counts.map((count) => String(count).padStart(9)).join(""))
    .map((line) => `${line}\n`)
    .join("");
}
