/** Runs for `npm run test:faults`: the scenarios with the guaranteed numbers and times. Takes minutes. */
import { join } from "node:path";
import { databases } from "../support/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { whyNoSmallDisk } from "../support/small-disk.ts";
import { holds } from "./assert-holds.ts";
import { fillTheDisk } from "./disk-full.ts";
import { failOver } from "./fail-over.ts";
import { managementThroughRestart, outages, postgresOutages } from "./postgres-outage.ts";
import { replayUnderKills } from "./replay.ts";
import { killUnderLoad, terminateUnderLoad } from "./server-ends.ts";
import { webhooksThroughRestart, webhooksUnderKills, webhooksWithHangingEndpoints } from "./webhooks.ts";

const own = await startPostgres();
process.env.COUNTERSIGN_TEST_POSTGRES ??= (await startPostgres()).url;
const wanted = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const { kind, make } of databases) {
  await scenario(`kill -9 under load, ${kind}`, () =>
    killUnderLoad(make, { kills: 50, callers: 32, licenses: 200, readyWithinMs: 2_000 }),
  );
  await scenario(`SIGTERM under load, ${kind}`, () =>
    terminateUnderLoad(make, { rounds: 10, callers: 64, endsWithinMs: 10_000 }),
  );
  await scenario(`roll-ups of 1,000,000 requests, kill -9, ${kind}`, () =>
    replayUnderKills(make, {
      ...{ rounds: 10, replayed: 100_000, sent: 1_000 },
      nodes: kind === "postgres" ? 2 : 1,
    }),
  );
  await scenario(`webhooks, kill -9, ${kind}`, () => webhooksUnderKills(make, { events: 10_000, kills: 20 }));
  await scenario(`webhooks, 1 endpoint in 10 hangs, ${kind}`, () =>
    webhooksWithHangingEndpoints(make, { endpoints: 20, events: 600, everyMs: 100, p99Ms: 2_000 }),
  );
}
await scenario("webhooks, PostgreSQL restarted", () => webhooksThroughRestart(own, { events: 2_000 }));
await scenario("management, PostgreSQL restarted", () => managementThroughRestart(own, { restarts: 3 }));
await scenario("PostgreSQL, a standby takes over", () => failOver({ callers: 32, recoversWithinMs: 5_000 }));
for (const outage of outages) {
  await scenario(`PostgreSQL ${outage}`, () =>
    postgresOutages(own, [outage], {
      callers: 32,
      outageMs: 10_000,
      answersWithinMs: 2_000,
      recoversWithinMs: 5_000,
    }),
  );
}
await scenario("disk full, then freed", async () => {
  const noSmallDisk = whyNoSmallDisk();
  holds(noSmallDisk === null, `not tested, because ${noSmallDisk}`);
  return fillTheDisk({ callers: 16, fullForMs: 10_000 });
});
await scenario("races with full numbers", () => longTests("tests/races", { COUNTERSIGN_LONG_TESTS: "true" }));
for (const [name, path] of [
  ["imports and bulk actions", "licenses"],
  ["a replay", "webhook-replay"],
])
  await scenario(`${name} during a kill`, () =>
    longTests(`tests/manage/${path}-kill.test.ts`, { COUNTERSIGN_LONG_TESTS: "true" }),
  );
await scenario("erasing a customer of 10,000 licenses", () =>
  longTests("apps/server/features/customer-erasure/many-licenses.test.ts", {
    COUNTERSIGN_LONG_TESTS: "true",
  }),
);
await scenario("100,000 generated requests", () =>
  longTests("tests/http/fuzz.test.ts", { COUNTERSIGN_FUZZ_RUNS: "25000" }),
);

await own.stop();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** Words on the command line narrow the run to the scenarios whose names contain one of them. */
async function scenario(name: string, run: () => Promise<string>): Promise<void> {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) return;
  const startedMs = performance.now();
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  try {
    const figures = await run();
    passed += 1;
    process.stdout.write(`passed  ${name} (${seconds()}): ${figures}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(
      `FAILED  ${name} (${seconds()}): ${error instanceof Error ? error.message : error}\n`,
    );
  }
}

/** Runs tests in a separate runner with these settings, and returns its summary. */
async function longTests(path: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const runner = Bun.spawn([process.execPath, "test", path], {
    cwd: join(import.meta.dir, "../.."),
    env: { ...process.env, ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, code] = await Promise.all([new Response(runner.stderr).text(), runner.exited]);
  holds(code === 0, output.slice(-3_000));
  return / \d+ pass\n/.exec(output)?.[0].trim() ?? "";
}
