// What `npm test` runs: every check and every test, with the set-up they need. Plain JavaScript for Node, because
// nothing else is there yet on a fresh clone. The last line it prints is the result.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePostgresPrograms } from "./postgres-programs.mjs";
import { emptyTally, readReport, table, testFiles, totals } from "./test-report.mjs";
import { bunBinary, ensureInstalled, root } from "./toolchain.mjs";

ensureInstalled();
ensurePostgresPrograms();
const bun = bunBinary();
const reportFolder = mkdtempSync(join(tmpdir(), "countersign-report-"));
const children = new Set();
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of children) child.kill(signal);
  });
}

const tallies = new Map();
try {
  // Words after `npm test --` narrow the tests to the paths that contain them; the checks are left out then.
  const wanted = process.argv.slice(2);
  if (wanted.length === 0) await check("formatting and lint", "@biomejs/biome/bin/biome", ["check", "."]);
  if (wanted.length === 0) await check("types", "typescript/bin/tsc", ["--noEmit"]);
  if (!interrupted) await test(wanted);
} finally {
  rmSync(reportFolder, { recursive: true, force: true });
}
if (interrupted) tally("interrupted").failed += 1;

const { passed, failed, skipped } = totals(tallies);
// Where nobody watches, a test that did not run is a guarantee that nobody checked.
const skipsFail = skipped > 0 && process.env.CI === "true";
if (skipsFail) process.stdout.write("\nTests were skipped, which fails the run because CI=true.\n");
const failures = skipsFail ? failed + skipped : failed;
process.stdout.write(`\n${table(tallies)}\n`);
process.stdout.write(
  `${passed} passed, ${failures} failed${skipped > 0 && !skipsFail ? `, ${skipped} skipped` : ""}\n`,
);
process.exitCode = failures > 0 || passed === 0 ? 1 : 0;

/** A tool of node_modules that must end well, as one test. */
async function check(name, program, words) {
  if (interrupted) return;
  const code = await run(process.execPath, [join(root, "node_modules", program), ...words]);
  if (code !== 0) process.stdout.write(`The check of ${name} failed.\n`);
  tally("checks")[code === 0 ? "passed" : "failed"] += 1;
}

async function test(wanted) {
  const postgres = await startPostgres();
  if (postgres === null) {
    tally("store").failed += 1;
    process.stdout.write("PostgreSQL for the tests could not be started; what it says is above.\n");
    return;
  }
  try {
    const report = join(reportFolder, "junit.xml");
    const places = wanted.length === 0 ? ["./packages", "./apps", "./tests"] : wanted;
    const files = wanted.length === 0 ? testFiles(root, places) : [];
    const code = await run(
      bun,
      ["test", "--timeout=60000", "--reporter=junit", `--reporter-outfile=${report}`, ...places],
      { env: { ...process.env, COUNTERSIGN_TEST_POSTGRES: postgres.url } },
    );
    if (interrupted) return;
    const problems = readReport(report, { files, code, tallyOf: tally });
    for (const problem of problems) process.stdout.write(`${problem}\n`);
  } finally {
    await postgres.stop();
  }
}

/** One PostgreSQL for the whole run. Null when it does not start. */
async function startPostgres() {
  const daemon = spawn(bun, [join(root, "tests", "support", "postgres-daemon.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
    // Out of reach of Ctrl-C: it ends when this process closes its input, after the tests have ended.
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
    stop: () => {
      daemon.stdin.end();
      return ended;
    },
  };
}

/** Runs a program to its end with its output passed on, and returns its exit code, or null when it has none. */
function run(program, words, options = {}) {
  const child = spawn(program, words, { stdio: "inherit", cwd: root, ...options });
  children.add(child);
  return new Promise((resolve) => {
    child.on("error", (error) => {
      process.stdout.write(`${program} could not be run: ${error.message}\n`);
      resolve(null);
    });
    child.on("exit", resolve);
  }).finally(() => children.delete(child));
}

function tally(kind) {
  const known = tallies.get(kind) ?? emptyTally();
  tallies.set(kind, known);
  return known;
}
