// Runs every check and every test for `npm test`, with the set-up they need. Plain JavaScript for Node.js, because a
// fresh clone has nothing else yet. The last line of the output is the result.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateEvents } from "../sdks/events/generate.mjs";
import { buildExecutables, nameForThisMachine } from "./build-executable.mjs";
import { ensureBuilt } from "./built.mjs";
import { ProcessorTime, ProcessPool, runJobs } from "./process-pool.mjs";
import { isUnchanged, remember, sdkSuites, toolchainIsMissing } from "./sdk-suites.mjs";
import { builtServer } from "./server.mjs";
import { planOf, readDurations, workerCount, writeDurations } from "./test-plan.mjs";
import { ensureDebianPrograms } from "./test-programs.mjs";
import {
  emptyTally,
  failureTexts,
  readReport,
  readReports,
  secondsOfFiles,
  slowest,
  table,
  testFiles,
  totals,
} from "./test-report.mjs";
import { bunBinary, ensureInstalled, root, whenOrphaned } from "./toolchain.mjs";

const startedMs = performance.now();
// Beside what npm installs: both wait for the network.
const debianPrograms = ensureDebianPrograms();
ensureInstalled();
generateEvents();
// Both databases for every file, and every version of the frameworks that the SDKs support.
if (process.argv.includes("--all")) process.env.COUNTERSIGN_TEST_ALL = "true";
// The server is the executable. Without words, the black-box tests of the public API, and the dashboard's first run.
const ofExecutable = process.argv.includes("--executable");
const wantedOfExecutable = ["./tests/http/", "./tests/browser/first-", "./tests/browser/docs"];
let serverPath = builtServer;
const bun = bunBinary();
const reportFolder = mkdtempSync(join(tmpdir(), "countersign-report-"));
const pool = new ProcessPool();
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupt);
if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(interrupt);

// Several would each check what they have in common, while other processes keep the cores busy.
const oneChecker = ["--checkers", "1"];
const allChecks = [
  ["formatting and lint", "@biomejs/biome/bin/biome", ["check", "."]],
  ["types", "typescript/bin/tsc", ["--noEmit", ...oneChecker]],
  ["types of the dashboard", "typescript/bin/tsc", ["--noEmit", "-p", "apps/web", ...oneChecker]],
];
const tallies = new Map();
const failures = [];
const explanations = [];
const times = [];
const skips = new Set();
const durations = readDurations();
try {
  // Words after `npm test --` select the paths that contain them and skip the checks.
  const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const wanted = ofExecutable && words.length === 0 ? wantedOfExecutable : words;
  const files = testFiles(root, ["packages", "apps", "sdks", "tests"]).filter((file) =>
    isWanted(file, wanted),
  );
  const suites = sdkSuites(reportFolder).filter(({ program }) => isWanted(program, wanted));
  if (files.length + suites.length === 0)
    process.stdout.write(`No test file has ${wanted.join(" or ")} in its path.\n`);
  const checks = wanted.length === 0 ? allChecks : [];
  if (ofExecutable) [serverPath = ""] = buildExecutables([nameForThisMachine()]);
  else ensureBuilt("server");
  await debianPrograms;
  if (!interrupted && files.length + suites.length > 0)
    await test(planOf(files, { secondsOf: (file) => durations.get(file) }), suites, checks);
} finally {
  rmSync(reportFolder, { recursive: true, force: true });
  writeDurations(durations);
}
if (interrupted) fail("interrupted", "The run was interrupted.");
summarize();

/** Runs a tool of node_modules as one test, which fails if the tool does. */
async function check(name, program, words) {
  const { code, text, ...spent } = await pool.run(
    process.execPath,
    [join(root, "node_modules", program), ...words],
    { cwd: root },
  );
  if (interrupted) return;
  process.stdout.write(text);
  addTime("checks", spent);
  if (code === 0) tally("checks").passed += 1;
  else fail("checks", `The check of ${name} failed.`);
}

async function test({ parallel, last }, suites, checks) {
  const postgres = await startPostgres();
  if (postgres === null) {
    fail("store", "PostgreSQL for the tests could not be started. Its output is above.");
    return;
  }
  try {
    const env = {
      ...process.env,
      COUNTERSIGN_TEST_POSTGRES: postgres.url,
      COUNTERSIGN_TEST_SERVER: serverPath,
    };
    const prepared = prepare([...parallel, ...last]);
    const testOf = (group) =>
      Object.assign(() => testGroup(group, env), {
        after:
          group.needs.length === 0 ? undefined : Promise.all(group.needs.map((need) => prepared.get(need))),
      });
    // The suites start first, because they often wait for the network.
    const jobs = [
      ...suites.map((suite) => () => testSuite(suite, env)),
      ...checks.map((given) => () => check(...given)),
      ...parallel.map(testOf),
    ];
    await runJobs(jobs, workerCount(), (job) => job());
    await runJobs(last.map(testOf), 3, (job) => job());
  } finally {
    await postgres.stop();
  }
}

/**
 * Starts the rest of the set-up, one process for each thing that a group needs, beside the first jobs. What it prints
 * about a failure explains the failures of tests.
 */
function prepare(groups) {
  const needs = new Set(groups.flatMap((group) => group.needs));
  return new Map([...needs].map((need) => [need, prepareOne(need)]));
}

async function prepareOne(need) {
  const words = [join(root, "scripts", "prepare-tests.mjs"), need];
  const { code, text, ...spent } = await pool.run(process.execPath, words);
  process.stdout.write(text);
  addTime("set-up", spent);
  if (code !== 0 && !interrupted) fail("set-up", "The set-up of the tests failed. Its output is above.");
}

async function testGroup({ kind, files }, env) {
  const report = join(reportFolder, `${files[0].replaceAll("/", "-")}.xml`);
  const places = files.map((file) => `./${file}`);
  const words = ["test", "--timeout=60000", "--reporter=junit", `--reporter-outfile=${report}`, ...places];
  const { code, text, ...spent } = await pool.run(bun, words, { cwd: root, env });
  // An interrupted process says nothing about its tests.
  if (interrupted) return;
  process.stdout.write(text);
  noteSkips(text);
  addTime(kind, spent);
  times.push({ ...spent, what: files.length === 1 ? files[0] : `${files.length} files of ${kind}` });
  for (const [file, seconds] of secondsOfFiles(report)) durations.set(file, seconds);
  addFailures(readReport(report, { files, code, tallyOf: tally }), text);
}

async function testSuite(suite, env) {
  const { language, words, reports } = suite;
  const name = `the SDK for ${language}`;
  if (isUnchanged(suite)) {
    process.stdout.write(`Not run: ${name}. Nothing that it depends on has changed since it last passed.\n`);
    return;
  }
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const { code, text, ...spent } = await pool.run(process.execPath, words, {
    cwd: root,
    env: { ...env, COUNTERSIGN_BUN: bun },
  });
  if (interrupted) return;
  process.stdout.write(text);
  addTime("SDKs", spent);
  times.push({ ...spent, what: name });
  if (code === toolchainIsMissing) {
    tally("SDKs").skipped += 1;
    skips.add(`${name}: ${text.trim().replaceAll("\n", " ")}`);
    return;
  }
  const failed = readReports(reports, { name, kind: "SDKs", code, tallyOf: tally });
  remember(suite, failed.length === 0);
  addFailures(failed, text);
}

/** A skipped test says why on a line of its own. */
function noteSkips(text) {
  for (const [, line] of text.matchAll(/^(?:SKIPPED|NOT TESTED): (.+)$/gm)) skips.add(line);
}

function addFailures(lines, text) {
  failures.push(...lines);
  if (lines.length > 0) explanations.push(...failureTexts(text));
}

function addTime(kind, { seconds, processorSeconds }) {
  tally(kind).seconds += seconds;
  tally(kind).processorSeconds += processorSeconds;
}

function isWanted(file, wanted) {
  return wanted.length === 0 || wanted.some((word) => `./${file}`.includes(word));
}

function summarize() {
  const { passed, failed, skipped, processorSeconds } = totals(tallies);
  // At most ten, so that the list of failures stays near them.
  for (const text of explanations.slice(-10)) process.stdout.write(`\n${text}\n`);
  if (failures.length > 0)
    process.stdout.write(`\nFailures:\n${failures.map((line) => `- ${line}\n`).join("")}`);
  if (skips.size > 0) process.stdout.write(`\nSkipped:\n${[...skips].map((line) => `- ${line}\n`).join("")}`);
  // In CI nobody notices a skipped test, so it counts as a failure.
  const skipsFail = skipped > 0 && process.env.CI === "true";
  if (skipsFail) process.stdout.write("\nTests were skipped, which fails the run because CI=true.\n");
  if (times.length > 1) process.stdout.write(`\n${slowest(times)}`);
  process.stdout.write(`\n${table(tallies)}`);
  const elapsed = ((performance.now() - startedMs) / 1000).toFixed(0);
  const used = processorSeconds > 0 ? `, ${processorSeconds.toFixed(0)} seconds of processor time` : "";
  process.stdout.write(`${elapsed} seconds with ${workerCount()} processes in parallel${used}\n\n`);
  const bad = skipsFail ? failed + skipped : failed;
  process.stdout.write(
    `${passed} passed, ${bad} failed${skipped > 0 && !skipsFail ? `, ${skipped} skipped` : ""}\n`,
  );
  process.exitCode = bad > 0 || passed === 0 ? 1 : 0;
}

/** Starts one PostgreSQL for the whole run. Null if it does not start. */
async function startPostgres() {
  const daemon = spawn(bun, [join(root, "tests", "support", "postgres-daemon.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C does not reach PostgreSQL. It exits when this process closes its input, after the tests.
    detached: true,
  });
  const ended = new Promise((resolve) => daemon.on("close", resolve).on("error", resolve));
  const port = await new Promise((resolve) => {
    let text = "";
    daemon.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(Number(text));
    });
    ended.then(() => resolve(null));
  });
  if (port === null) return null;
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const processor = new ProcessorTime();
      daemon.stdin.end();
      await ended;
      tally("PostgreSQL").processorSeconds += processor.sinceLastCall();
    },
  };
}

function interrupt() {
  interrupted = true;
  pool.stop();
}

function fail(kind, sentence) {
  tally(kind).failed += 1;
  failures.push(sentence);
}

function tally(kind) {
  const known = tallies.get(kind) ?? emptyTally();
  tallies.set(kind, known);
  return known;
}
