import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The kind of the tests under a path. The first match counts. */
const kinds = [
  ["apps/server/cli/", "command line"],
  ["apps/web/", "dashboard"],
  ["packages/domain/", "rules"],
  ["packages/store/", "store"],
  ["packages/contract/", "contract"],
  ["apps/", "server"],
  ["sdks/", "SDKs"],
  ["tests/http/", "black-box"],
  ["tests/manage/", "management"],
  ["tests/routes/", "routes"],
  ["tests/browser/", "browser"],
  ["tests/races/", "races"],
  ["tests/faults/", "faults"],
  ["tests/test-run/", "test run"],
  ["tests/guides/", "guides"],
  ["tests/upgrades/", "upgrades"],
  ["tests/deploy/", "deploy"],
  ["tests/mutants/", "mutants"],
];

export function emptyTally() {
  return { passed: 0, failed: 0, skipped: 0, seconds: 0, processorSeconds: 0 };
}

export function kindOf(file) {
  return kinds.find(([start]) => file.startsWith(start))?.[1] ?? "other";
}

/**
 * Adds the tests of a JUnit report to the tally of their kind. Returns a line for each failure: a test that failed, a
 * file that never ran, or a run that failed although every test had passed.
 */
export function readReport(path, { files, code, tallyOf }) {
  const failures = [];
  const reported = new Set();
  for (const { file, name, outcome } of existsSync(path) ? testcases(readFileSync(path, "utf8")) : []) {
    reported.add(file);
    tallyOf(kindOf(file))[outcome] += 1;
    if (outcome === "failed") failures.push(`${file}: ${name}`);
  }
  for (const file of files.filter((file) => !reported.has(file))) {
    tallyOf(kindOf(file)).failed += 1;
    failures.push(`${file}: no test of it ran`);
  }
  if (code !== 0 && failures.length === 0) {
    tallyOf(kindOf(files[0] ?? "")).failed += 1;
    failures.push(`${files.join(", ")}: the run failed outside of any test, with exit code ${code}`);
  }
  return failures;
}

/** How long each file of a report took. */
export function secondsOfFiles(path) {
  const xml = existsSync(path) ? readFileSync(path, "utf8") : "";
  return [...xml.matchAll(/<testsuite name="([^"]+)" file="\1"[^>]* time="([\d.]+)"/g)].map(
    ([, file, seconds]) => [file.split(sep).join("/"), Number(seconds)],
  );
}

const maxText = 2_000;

/**
 * What a process of the test runner printed about its failed tests, so that the end of a long output explains them. The
 * runner prints an error before the line of its test. If no test failed, the end of the output.
 */
export function failureTexts(text) {
  const texts = [];
  let start = 0;
  for (const { 0: line, index } of text.matchAll(/^\((?:pass|fail|skip|todo)\).*$/gm)) {
    const end = index + line.length;
    if (line.startsWith("(fail)")) texts.push(text.slice(Math.max(start, end - maxText), end).trim());
    start = end;
  }
  return texts.length > 0 ? texts : [text.slice(-maxText).trim()];
}

/** The same for all reports in a folder, whose tests are of one kind and in no test file of this project. */
export function readReports(folder, { name, kind, code, tallyOf }) {
  const failures = [];
  let count = 0;
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".xml")) : [];
  for (const file of files) {
    for (const test of testcases(readFileSync(join(folder, file), "utf8"))) {
      count += 1;
      tallyOf(kind)[test.outcome] += 1;
      if (test.outcome === "failed") failures.push(`${name}: ${test.name}`);
    }
  }
  if (failures.length === 0 && (code !== 0 || count === 0)) {
    tallyOf(kind).failed += 1;
    failures.push(
      count === 0
        ? `${name}: no test of it ran`
        : `${name}: failed outside of any test, with exit code ${code}`,
    );
  }
  return failures;
}

/** Attribute values are escaped, so an element ends at the first `>`, and its child elements follow. */
function* testcases(xml) {
  for (const [, attributes, selfClosed, inside] of xml.matchAll(
    /<testcase\b((?:[^>"]|"[^"]*")*?)(?:(\/)>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const attribute = (name) => unescaped(new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
    // The report lists the innermost group first. The runner prints it last.
    const groups = attribute("classname").split(" > ").reverse();
    const name = [...groups, attribute("name")].filter((part) => part !== "").join(" > ");
    const ended = selfClosed ? "" : inside;
    const outcome = /<(failure|error)\b/.test(ended)
      ? "failed"
      : /<skipped\b/.test(ended)
        ? "skipped"
        : "passed";
    yield { file: attribute("file").split(sep).join("/"), name, outcome };
  }
}

const escapes = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescaped(text) {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => escapes[name]);
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
    sum.seconds += tally.seconds;
    sum.processorSeconds += tally.processorSeconds;
  }
  return sum;
}

/** The number of tests by kind and result, the duration of their processes, and the processor time of these. */
export function table(tallies) {
  const rows = [...tallies]
    .sort(([a], [b]) => orderOf(a) - orderOf(b))
    .map(([kind, { passed, failed, skipped, seconds, processorSeconds }]) => [
      kind,
      passed,
      failed,
      skipped,
      seconds.toFixed(1),
      processorSeconds.toFixed(1),
    ]);
  return [["kind", "passed", "failed", "skipped", "seconds", "processor"], ...rows]
    .map(([kind, ...counts]) => kind.padEnd(14) + counts.map((count) => String(count).padStart(10)).join(""))
    .map((line) => `${line}\n`)
    .join("");
}

/** The processes that used the most processor time, or, where that is not known, took longest. */
export function slowest(times, count = 12) {
  const cost = ({ seconds, processorSeconds }) => processorSeconds || seconds;
  const rows = times
    .toSorted((a, b) => cost(b) - cost(a))
    .slice(0, count)
    .map(({ seconds, processorSeconds, what }) => {
      const numbers = [seconds, processorSeconds].map((number) => number.toFixed(1).padStart(10));
      return `${numbers.join("")}  ${what}\n`;
    });
  return `   seconds processor\n${rows.join("")}`;
}

/** Checks first, unknown kinds last. */
function orderOf(kind) {
  if (kind === "checks") return -1;
  const place = kinds.findIndex(([, name]) => name === kind);
  return place === -1 ? kinds.length : place;
}
