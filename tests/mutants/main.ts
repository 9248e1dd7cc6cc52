/**
 * Runs for `npm run test:mutants`: plants each fault of the table in a copy of the project and runs the tests that guard
 * its place. A fault that no test catches fails the run.
 *
 *   npm run test:mutants                    the whole table, for releases
 *   npm run test:mutants -- --minute        as many faults, chosen at random, as take about a minute
 *   npm run test:mutants -- --seed 17       repeats such a choice
 *   npm run test:mutants -- quota webhooks  the faults with one of these words in their name, area or guards
 *   npm run test:mutants -- --record        writes the results to record.json
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres.ts";
import { type Copy, makeCopy } from "./copy.ts";
import type { Fault } from "./faults-in.ts";
import { runGuard } from "./guard.ts";
import { placesOf, sourceTexts } from "./sources.ts";
import { areaOf, faults } from "./table.ts";

interface Outcome {
  /** The file and the name of the test that failed first. */
  readonly caughtBy?: string;
  /** Why the fault could not be tested. */
  readonly problem?: string;
}

/** With the time from the planted fault to the failed test, builds included. */
type Result = Outcome & { readonly seconds: number };

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    minute: { type: "boolean", default: false },
    seed: { type: "string" },
    record: { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
    verbose: { type: "boolean", default: false },
  },
});
const workers = Number(options.workers);
/** The results of the last recorded runs, by the name of the fault. */
const recordPath = join(import.meta.dir, "record.json");
const record: Record<string, Result> = JSON.parse(readFileSync(recordPath, "utf8"));
const texts = sourceTexts();
const chosen = chooseFaults();
const postgres = await startPostgres();
const startedMs = performance.now();
const missed: Fault[] = [];
try {
  const waiting = [...chosen];
  const work = async () => {
    const copy = makeCopy();
    try {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) await test(fault, copy);
    } finally {
      copy.remove();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, chosen.length) }, work));
} finally {
  await postgres.stop();
}
const elapsed = ((performance.now() - startedMs) / 1000).toFixed(0);
process.stdout.write(`\n${elapsed} seconds with ${workers} copies in parallel\n`);
for (const fault of missed) process.stdout.write(`not caught: ${areaOf(fault)}: ${fault.name}\n`);
process.stdout.write(`${chosen.length - missed.length} caught, ${missed.length} not caught\n`);
process.exitCode = missed.length > 0 || chosen.length === 0 ? 1 : 0;

function chooseFaults(): readonly Fault[] {
  const textsOf = (fault: Fault) => [fault.name, areaOf(fault), ...fault.guards];
  const isWanted = (fault: Fault) => words.some((word) => textsOf(fault).some((text) => text.includes(word)));
  const wanted = words.length === 0 ? faults : faults.filter(isWanted);
  if (!options.minute && options.seed === undefined) return wanted;
  const seed = options.seed ?? String(Math.floor(Math.random() * 1_000_000));
  const sample = sampleOf(wanted, seed, 60 * workers);
  process.stdout.write(`${sample.length} of ${wanted.length} faults, seed ${seed}\n`);
  return sample;
}

/** Faults in an order that depends only on the seed, until they take this long. At least one. */
function sampleOf(wanted: readonly Fault[], seed: string, seconds: number): Fault[] {
  const orderOf = ({ name }: Fault) => Bun.hash.crc32(`${seed} ${name}`);
  let total = 0;
  return wanted
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .filter(({ name }, index) => {
      // A fault that has never been run usually takes 20 seconds.
      const needed = record[name]?.seconds ?? 20;
      if (index > 0 && total + needed > seconds) return false;
      total += needed;
      return true;
    });
}

/** Recorded at once, because the whole table takes long and may be interrupted. */
async function test(fault: Fault, copy: Copy): Promise<void> {
  const begunMs = performance.now();
  const outcome = await outcomeOf(fault, copy);
  const seconds = Math.round((performance.now() - begunMs) / 100) / 10;
  const { caughtBy, problem } = outcome;
  if (caughtBy === undefined) missed.push(fault);
  record[fault.name] = { ...outcome, seconds };
  const sorted = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  if (options.record) writeFileSync(recordPath, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  const state = caughtBy === undefined ? "NOT CAUGHT" : "caught    ";
  const detail = problem ?? caughtBy ?? `by ${fault.guards.join(", ")}`;
  process.stdout.write(`${state} ${seconds.toFixed(1).padStart(6)} s  ${areaOf(fault)}: ${fault.name}\n`);
  process.stdout.write(`${" ".repeat(21)}${detail}\n`);
}

async function outcomeOf(fault: Fault, copy: Copy): Promise<Outcome> {
  const [path, ...others] = placesOf(fault, texts);
  if (path === undefined || others.length > 0) return { problem: "its text must occur once in the sources" };
  return copy.plant(fault, path, async () => {
    const built = new Set<string>();
    for (const guard of fault.guards) {
      const failure = build(partsNeeded(path, guard), built, copy.folder);
      if (failure !== null) return { problem: failure };
      const { failedTest, problem, output } = await runGuard(copy.folder, guard, {
        // The template of migrated databases would carry a fault of a migration to other faults.
        COUNTERSIGN_TEST_POSTGRES: path.includes("/migrations/") ? undefined : postgres.url,
        COUNTERSIGN_TEST_SERVER: join(copy.folder, "apps/server/dist/main.js"),
      });
      if (options.verbose) process.stdout.write(output);
      if (problem !== null) return { problem: `${guard}: ${problem}` };
      if (failedTest !== null) return { caughtBy: `${guard}: ${failedTest}` };
    }
    return {};
  });
}

/** What contains the fault and is used by the guard. Unit tests use the sources. */
function partsNeeded(path: string, guard: string): string[] {
  const isShared = path.startsWith("packages/contract/") || path.startsWith("packages/domain/");
  const isServed = path.startsWith("packages/") || path.startsWith("apps/server/");
  const usesServer = guard.startsWith("tests/") || guard.startsWith("apps/server/cli/");
  return [
    ...(isServed && usesServer ? ["server"] : []),
    ...((isShared || path.startsWith("apps/web/")) && guard.startsWith("tests/browser/") ? ["web"] : []),
  ];
}

/** Builds these parts unless they are built with this fault. Returns what is wrong if that fails. */
function build(parts: readonly string[], built: Set<string>, folder: string): string | null {
  for (const part of parts.filter((name) => !built.has(name))) {
    const program = [process.execPath, join(folder, "apps", part, "build.ts")];
    const env = { ...process.env, NODE_ENV: "production" };
    const { exitCode, stderr } = Bun.spawnSync(program, { cwd: folder, env, stdout: "ignore" });
    if (exitCode !== 0) return `it does not build: ${stderr.toString().slice(0, 300)}`;
    built.add(part);
  }
  return null;
}
