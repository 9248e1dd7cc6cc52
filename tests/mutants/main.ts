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

import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres.ts";
import { type Copy, makeCopy } from "./copy.ts";
import type { Fault } from "./fault.ts";
import { runGuard } from "./guard.ts";
import { type FaultResult, readRecord, writeRecord } from "./record.ts";
import { chosenFor, randomSeed } from "./sample.ts";
import { placesOf, sourceTexts } from "./sources.ts";
import { areaOf, faults } from "./table.ts";

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
const record = readRecord();
const texts = sourceTexts();
const chosen = chooseFaults();
const postgres = await startPostgres();
const startedMs = performance.now();
const results = new Map<string, FaultResult>();
try {
  const waiting = [...chosen];
  await Promise.all(
    Array.from({ length: Math.min(workers, chosen.length) }, async () => {
      const copy = makeCopy();
      try {
        for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift())
          keep(fault, await test(fault, copy));
      } finally {
        copy.remove();
      }
    }),
  );
} finally {
  await postgres.stop();
}
summarize();

function chooseFaults(): readonly Fault[] {
  const wanted = faults.filter(
    (fault) =>
      words.length === 0 ||
      words.some((word) => [fault.name, areaOf(fault), ...fault.guards].some((text) => text.includes(word))),
  );
  if (!options.minute && options.seed === undefined) return wanted;
  const seed = Number(options.seed ?? randomSeed());
  const sample = chosenFor(wanted, { seed, seconds: 60 * workers, record });
  process.stdout.write(`${sample.length} of ${wanted.length} faults, seed ${seed}\n`);
  return sample;
}

async function test(fault: Fault, copy: Copy): Promise<FaultResult> {
  const [path, ...others] = placesOf(fault, texts);
  if (path === undefined || others.length > 0)
    return report(fault, { caughtBy: null, seconds: 0, problem: "its text must occur once in the sources" });
  return copy.plant(fault, path, async () => {
    const begunMs = performance.now();
    const seconds = () => Math.round((performance.now() - begunMs) / 100) / 10;
    const built = new Set<string>();
    for (const guard of fault.guards) {
      const failure = build(partsNeeded(path, guard), built, copy.folder);
      if (failure !== null) return report(fault, { caughtBy: null, seconds: seconds(), problem: failure });
      // The template of migrated databases would carry a fault of a migration to other faults.
      const shared = path.includes("/migrations/") ? undefined : postgres.url;
      const { failedTest, problem, output } = await runGuard(copy.folder, guard, {
        COUNTERSIGN_TEST_POSTGRES: shared,
        COUNTERSIGN_TEST_SERVER: join(copy.folder, "apps/server/dist/main.js"),
      });
      if (options.verbose) process.stdout.write(output);
      if (problem !== null)
        return report(fault, { caughtBy: null, seconds: seconds(), problem: `${guard}: ${problem}` });
      if (failedTest !== null)
        return report(fault, { caughtBy: `${guard}: ${failedTest}`, seconds: seconds() });
    }
    return report(fault, { caughtBy: null, seconds: seconds() });
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
    const { exitCode, stderr } = Bun.spawnSync(program, {
      cwd: folder,
      env: { ...process.env, NODE_ENV: "production" },
      stdout: "ignore",
    });
    if (exitCode !== 0) return `it does not build: ${stderr.toString().slice(0, 300)}`;
    built.add(part);
  }
  return null;
}

/** Written at once, because the whole table takes long and may be interrupted. */
function keep(fault: Fault, result: FaultResult): void {
  results.set(fault.name, result);
  if (options.record) writeRecord({ ...record, ...Object.fromEntries(results) });
}

function report(fault: Fault, result: FaultResult): FaultResult {
  const state = result.caughtBy === null ? "NOT CAUGHT" : "caught";
  const detail = result.problem ?? result.caughtBy ?? `by ${fault.guards.join(", ")}`;
  process.stdout.write(
    `${state.padEnd(10)} ${result.seconds.toFixed(1).padStart(6)} s  ${areaOf(fault)}: ${fault.name}\n${" ".repeat(21)}${detail}\n`,
  );
  return result;
}

function summarize(): void {
  const missed = chosen.filter(({ name }) => results.get(name)?.caughtBy == null);
  const elapsed = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stdout.write(`\n${elapsed} seconds with ${workers} copies in parallel\n`);
  for (const fault of missed) process.stdout.write(`not caught: ${areaOf(fault)}: ${fault.name}\n`);
  process.stdout.write(`${chosen.length - missed.length} caught, ${missed.length} not caught\n`);
  process.exitCode = missed.length > 0 || chosen.length === 0 ? 1 : 0;
}
