/**
 * `npm run bench [-- --quick] [--only sqlite] [--json FILE]`: starts echo servers and Countersign on both databases,
 * measures them alternately, and prints a comparison. Uses only loopback, and stops automatically.
 * `--baseline FOLDER` compares validations with another version, in a checkout that is installed and built.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "@countersign/store/databases/open";
import { freshFolder } from "../tests/support/databases.ts";
import { freshDatabase, startPostgres } from "../tests/support/postgres.ts";
import { compare, cpuTimes, median, perSecond, ratio } from "./compare.ts";
import { cpuTime } from "./cpu.ts";
import {
  countQueries,
  importSeconds,
  licenseCsv,
  listQueries,
  seedVariedLicenses,
  timeQueries,
  untilIndexed,
} from "./license-requests.ts";
import { hasWrk, load, type Measurement, type Target } from "./load.ts";
import { createManagementAccess, startManagementLoad, startWebhookLoad } from "./management-load.ts";
import { measureWebhooks } from "./measure-webhooks.ts";
import { othersMs, partiesAt, startParty } from "./parties.ts";
import { type Seeded, seed } from "./seed.ts";
import {
  residentMiB,
  startBunEcho,
  startCountersign,
  startNodeEcho,
  type Version,
  versionIn,
} from "./servers.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean" },
    only: { type: "string" },
    json: { type: "string" },
    baseline: { type: "string" },
  },
});
const quick = options.quick === true;
const settings = { connections: 64, seconds: quick ? 2 : 5, rate: null, rounds: quick ? 3 : 7 };
/** While CPU times are measured: far below what any machine reaches. */
const cpuPerSecond = 2_000;
const managementPerSecond = 50;
const webhooksPerSecond = 100;
const largeCount = quick ? 200_000 : 1_000_000;

interface Row {
  readonly work: string;
  readonly value: number | null;
  readonly goal: string;
  readonly detail: string;
}

const rows: Row[] = [];
const cleanups: (() => unknown)[] = [];
const isSelected = (part: string) => options.only === undefined || options.only === part;
const thisVersion: Version = { seed, start: startCountersign };
const log = (text: string) => void process.stderr.write(`${text}\n`);

try {
  log(
    `Load from ${hasWrk ? "wrk" : "the included load generator"}, ${settings.connections} connections, ${settings.rounds} rounds of ${settings.seconds} s.`,
  );
  const bunEcho = await startBunEcho();
  const nodeEcho = await startNodeEcho();
  cleanups.push(bunEcho.stop, nodeEcho.stop);
  if (options.baseline !== undefined && isSelected("baseline")) await baseline(options.baseline);
  if (isSelected("sqlite")) await sqlite(bunEcho.port, nodeEcho.port);
  if (isSelected("postgres")) await postgres(bunEcho.port);
  if (isSelected("lists")) await lists();
  if (isSelected("import")) await imports();
  if (isSelected("webhooks")) await webhooks();
  if (isSelected("parties")) await parties();
  if (isSelected("memory")) await memory();
  if (isSelected("start")) await startTime();
} finally {
  for (const cleanUp of cleanups.reverse()) await cleanUp();
}
printTable();

/** The cost of validations compared with another version, on both databases. */
async function baseline(folder: string): Promise<void> {
  const other = await versionIn(folder);
  const compareBoth = async (database: string, targets: readonly [Target, Target]) => {
    const [otherRun, thisRun] = await compare(targets, settings, log);
    if (!otherRun || !thisRun) return;
    addRow(
      `validate, ${database}, this version / baseline`,
      ratio(thisRun, otherRun),
      ">= 0.95",
      `${Math.round(perSecond(thisRun))}/s of ${Math.round(perSecond(otherRun))}/s`,
    );
    const [others = null, own = null] = await cpuTimes(targets, { ...settings, rate: cpuPerSecond });
    if (own === null || others === null) return;
    addRow(
      `CPU time of the validating thread, ${database}, this version / baseline`,
      own.validating / others.validating,
      "<= 1.05",
      `${own.validating.toFixed(1)} µs of ${others.validating.toFixed(1)} µs a validation; with the request log, analytics and the database ${own.all.toFixed(1)} µs of ${others.all.toFixed(1)} µs`,
    );
  };
  await compareBoth("SQLite", [
    await onSqlite("SQLite, baseline", 100_000, 0, other),
    await onSqlite("SQLite, this version", 100_000),
  ]);
  const server = await startPostgres({ waitsForDisk: true });
  cleanups.push(() => server.stop());
  const target = async (name: string, version: Version) => {
    const url = await freshDatabase(server.url);
    log(`Seeding ${name} …`);
    return onPostgres(name, url, await version.seed({ kind: "postgres", url }, 100_000), version);
  };
  await compareBoth("PostgreSQL", [
    await target("PostgreSQL, baseline", other),
    await target("PostgreSQL, this version", thisVersion),
  ]);
}

/** Speed on SQLite, and the effect of more licenses and IP blocks. */
async function sqlite(bunPort: number, nodePort: number): Promise<void> {
  const standard = await onSqlite("SQLite, 100k licenses", 100_000);
  const bunEcho = { ...standard, name: "Bun.serve echo", port: bunPort };
  const nodeEcho = { ...standard, name: "node:http echo", port: nodePort };
  const [bunRun, nodeRun, standardRun] = await compare([bunEcho, nodeEcho, standard], settings, log);
  if (!bunRun || !nodeRun || !standardRun) return;
  addRow(
    "node:http echo / Bun.serve echo",
    ratio(nodeRun, bunRun),
    "",
    `${Math.round(perSecond(nodeRun))}/s of ${Math.round(perSecond(bunRun))}/s`,
  );
  addRow(
    "validate, SQLite, 100k licenses, signed, logged / Bun.serve echo",
    ratio(standardRun, bunRun),
    ">= 0.75",
    `${Math.round(perSecond(standardRun))}/s`,
  );

  const half = { connections: 32, seconds: settings.seconds, rate: perSecond(standardRun) / 2 };
  const halfRun = await load(standard, half);
  // The same load on the echo server shows the share of the machine and the load generator.
  const bunHalfRun = await load(bunEcho, half);
  addRow(
    "validate p99 / p50 at half of the maximum rate",
    halfRun.p99Ms / halfRun.p50Ms,
    "<= 5",
    `${spread(halfRun)}; Bun.serve echo at that rate ${spread(bunHalfRun)}`,
  );

  const alone: number[] = [];
  const withLoad: number[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    alone.push((await load(standard, settings)).requestsPerSecond);
    const work = startManagementLoad(standard.port, standard.access, managementPerSecond);
    withLoad.push((await load(standard, settings)).requestsPerSecond);
    await work.stop();
  }
  addRow(
    `validate while ${managementPerSecond} management requests/s are processed / alone`,
    median(withLoad.map((rate, round) => rate / (alone[round] ?? 1))),
    "",
    `${Math.round(median(withLoad))}/s`,
  );

  const few = await onSqlite("SQLite, 1k licenses", 1_000);
  const many = await onSqlite(`SQLite, ${largeCount} licenses`, largeCount);
  const [fewRun, manyRun] = await compare([few, many], settings, log);
  if (fewRun && manyRun)
    addRow(
      `validate with ${largeCount} licenses / with 1k`,
      ratio(manyRun, fewRun),
      ">= 0.95",
      `${Math.round(perSecond(manyRun))}/s`,
    );

  const blocked = await onSqlite("SQLite, 10k CIDR blocks", 100_000, 10_000);
  const [noneRun, blockedRun] = await compare([standard, blocked], settings, log);
  if (noneRun && blockedRun)
    addRow(
      "validate with 10k CIDR blocks / with none",
      ratio(blockedRun, noneRun),
      ">= 0.97",
      `${Math.round(perSecond(blockedRun))}/s`,
    );
}

function spread({ p50Ms, p99Ms }: Measurement): string {
  return `${p50Ms.toFixed(2)} ms, ${p99Ms.toFixed(2)} ms`;
}

async function postgres(bunPort: number): Promise<void> {
  // As in production: every response waits until its commit is on disk.
  const server = await startPostgres({ waitsForDisk: true });
  cleanups.push(() => server.stop());
  const url = await freshDatabase(server.url);
  log("Seeding PostgreSQL …");
  const seeded = await seed({ kind: "postgres", url }, 100_000);
  const one = await onPostgres("PostgreSQL, 100k licenses", url, seeded);
  const bunEcho = { ...one, name: "Bun.serve echo", port: bunPort };
  const [bunRun, oneRun] = await compare([bunEcho, one], settings, log);
  if (!bunRun || !oneRun) return;
  addRow(
    "validate, PostgreSQL on the same machine, signed, logged / Bun.serve echo",
    ratio(oneRun, bunRun),
    ">= 0.60",
    `${Math.round(perSecond(oneRun))}/s`,
  );

  const others = [await onPostgres("second node", url, seeded), await onPostgres("third node", url, seeded)];
  const nodes = [one, ...others];
  const together = await Promise.all(nodes.map((node) => load(node, { ...settings, connections: 32 })));
  const all = together.reduce((sum, measured) => sum + measured.requestsPerSecond, 0);
  const slowest = Math.min(...together.map((measured) => measured.requestsPerSecond));
  addRow(
    "three nodes on one PostgreSQL / one node (same cores)",
    all / perSecond(oneRun),
    "",
    `slowest node ${Math.round((slowest / all) * 100)} % of the traffic`,
  );
}

/** What one party that uses as much as it can costs everybody else. */
async function parties(): Promise<void> {
  // Half of the requests are for its first page.
  execFileSync("node", [join(import.meta.dir, "../scripts/build.mjs")], { stdio: "inherit" });
  const folder = freshFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  log("Seeding SQLite, 100k licenses …");
  const { access, ...seeded } = await seed({ kind: "sqlite", folder }, 100_000);
  const store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
  const other = await createManagementAccess(store, access.organizationId, access.productId);
  await store.close();
  const { port, stop } = await startCountersign({
    COUNTERSIGN_DATA: folder,
    COUNTERSIGN_STRIPE_SECRET_KEY: "sk_test_bench",
    COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_bench",
  });
  cleanups.push(stop);
  const target = { name: "beside one party", port, ...seeded };
  const requests = quick ? 200 : 1_000;
  const at = (times: readonly number[], share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  await othersMs(port, other, requests);
  const alone = await othersMs(port, other, requests);
  const validating = await load(target, settings);
  for (const party of partiesAt(port, access)) {
    const running = await startParty(party);
    try {
      const times = await othersMs(port, other, requests);
      const beside = await load(target, settings);
      addRow(
        `others beside ${party.name}, p99 in ms`,
        at(times, 0.99),
        "<= 500",
        `slowest ${at(times, 1).toFixed(0)} ms, alone p99 ${at(alone, 0.99).toFixed(1)} ms; validations ${(beside.requestsPerSecond / validating.requestsPerSecond).toFixed(2)} of alone`,
      );
    } finally {
      running.stop();
    }
  }
}

/** Response times of the license list, for typical queries. */
async function lists(): Promise<void> {
  const folder = freshFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  log(`Seeding ${largeCount} licenses with customers, notes and tags …`);
  const access = await seedVariedLicenses({ kind: "sqlite", folder }, largeCount);
  const server = await startCountersign({ COUNTERSIGN_DATA: folder });
  cleanups.push(() => server.stop());
  const startedMs = performance.now();
  await untilIndexed(folder);
  log(`The text index was built in ${Math.round((performance.now() - startedMs) / 1_000)} s.`);
  await timeQueries(server.port, access, listQueries(largeCount), 1);
  const timed = (await timeQueries(server.port, access, listQueries(largeCount), quick ? 3 : 10)).sort(
    (a, b) => a.ms - b.ms,
  );
  const at = (share: number) => timed[Math.min(timed.length - 1, Math.floor(timed.length * share))];
  addRow(
    `license list, search and filters over ${largeCount} licenses, SQLite, p95 in ms`,
    at(0.95)?.ms ?? Number.NaN,
    "<= 50",
    `p50 ${at(0.5)?.ms.toFixed(1)} ms; slowest ${at(1)?.ms.toFixed(0)} ms (${at(1)?.query})`,
  );
  for (const [kind, goal] of [
    ["stored", "<= 50"],
    ["counted", "<= 2000"],
  ] as const) {
    const counted = await timeQueries(server.port, access, countQueries[kind], quick ? 3 : 10);
    const slowest = counted.reduce((a, b) => (a.ms > b.ms ? a : b));
    addRow(
      `license list with an exact count over ${largeCount} licenses, SQLite, ${kind} count, median in ms`,
      median(counted.map(({ ms }) => ms)),
      goal,
      `slowest ${slowest.ms.toFixed(0)} ms (${slowest.query})`,
    );
  }
}

/** Import speed, and the effect of an import on validation. */
async function imports(): Promise<void> {
  const count = quick ? 20_000 : 100_000;
  const standard = await onSqlite("SQLite, 100k licenses", 100_000);
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1)
    rates.push(count / (await importSeconds(standard.port, standard.access, licenseCsv(count))));
  addRow(
    `import of ${count} licenses (CSV, all or nothing), SQLite, rows/s`,
    median(rates),
    ">= 20000",
    `best ${Math.round(Math.max(...rates))}`,
  );
  const webhookLoad = await startWebhookLoad(standard.port, standard.access);
  cleanups.push(webhookLoad.stop);
  const alone: number[] = [];
  const withLoad: number[] = [];
  const delivered: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    alone.push((await load(standard, settings)).requestsPerSecond);
    const importing = importSeconds(standard.port, standard.access, licenseCsv(count));
    const changing = webhookLoad.changeAt(webhooksPerSecond);
    const before = webhookLoad.received;
    withLoad.push((await load(standard, settings)).requestsPerSecond);
    delivered.push((webhookLoad.received - before) / settings.seconds);
    await changing.stop();
    await importing;
  }
  addRow(
    `validate while ${webhooksPerSecond} webhooks/s are delivered and ${count} licenses imported / alone`,
    median(withLoad.map((rate, round) => rate / (alone[round] ?? 1))),
    ">= 0.80",
    `${Math.round(median(withLoad))}/s; ${Math.round(median(delivered))} webhooks/s`,
  );
}

/** Delivery speed to one healthy endpoint, with and without a backlog, on both databases. */
async function webhooks(): Promise<void> {
  const backlogs = [0, quick ? 20_000 : 150_000];
  const shared = { settings: { ...settings, rounds: 3 }, cleanups };
  for (const backlog of backlogs) {
    const folder = freshFolder();
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const part = {
      name: "SQLite",
      location: { kind: "sqlite", folder },
      environment: { COUNTERSIGN_DATA: folder },
    } as const;
    for (const row of await measureWebhooks({ ...part, ...shared, backlog }, log))
      addRow(row.work, row.value, row.goal, row.detail);
  }
  const server = await startPostgres({ waitsForDisk: true });
  cleanups.push(() => server.stop());
  for (const backlog of backlogs) {
    const url = await freshDatabase(server.url);
    const part = {
      name: "PostgreSQL",
      location: { kind: "postgres", url },
      environment: { DATABASE_URL: url, COUNTERSIGN_DATA: freshFolder() },
    } as const;
    for (const row of await measureWebhooks({ ...part, ...shared, backlog }, log))
      addRow(row.work, row.value, row.goal, row.detail);
  }
}

/** Whether memory grows with the number of requests served. */
async function memory(): Promise<void> {
  const folder = freshFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const seeded = await seed({ kind: "sqlite", folder }, 100_000);
  const server = await startCountersign({ COUNTERSIGN_DATA: folder });
  cleanups.push(() => server.stop());
  const target = { name: "memory", port: server.port, ...seeded };
  const after = async (requests: number): Promise<number | null> => {
    let served = 0;
    while (served < requests) {
      const seconds = 2;
      served += (await load(target, { ...settings, seconds })).requestsPerSecond * seconds;
    }
    return residentMiB(server.pid);
  };
  const [few, many] = quick ? [30_000, 100_000] : [100_000, 900_000];
  const early = await after(few);
  const late = await after(many);
  if (early !== null && late !== null) {
    addRow(
      `resident memory after ${few + many} requests / after ${few}`,
      late / early,
      "<= 1.05",
      `${Math.round(early)} MiB, ${Math.round(late)} MiB`,
    );
  }
}

async function startTime(): Promise<void> {
  const folder = freshFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const seconds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const startedMs = performance.now();
    const server = await startCountersign({ COUNTERSIGN_DATA: folder });
    await fetch(`${server.url}/healthz`);
    seconds.push((performance.now() - startedMs) / 1000);
    await server.stop();
  }
  addRow(
    "server start to first response, seconds",
    median(seconds),
    "<= 1",
    "without npm, which adds its own startup time",
  );
}

async function onSqlite(
  name: string,
  licenses: number,
  cidrBlocks = 0,
  version = thisVersion,
): Promise<Target & Seeded> {
  const folder = freshFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  log(`Seeding ${name} …`);
  const seeded = await version.seed({ kind: "sqlite", folder }, licenses, cidrBlocks);
  const server = await version.start({
    COUNTERSIGN_DATA: folder,
    COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1",
  });
  cleanups.push(() => server.stop());
  return { name, port: server.port, cpu: () => cpuTime(server.pid), ...seeded };
}

async function onPostgres(name: string, url: string, seeded: Seeded, version = thisVersion): Promise<Target> {
  const folder = freshFolder();
  const server = await version.start({ DATABASE_URL: url, COUNTERSIGN_DATA: folder });
  cleanups.push(() => server.stop());
  return { name, port: server.port, cpu: () => cpuTime(server.pid, url), ...seeded };
}

function addRow(work: string, value: number, goal: string, detail: string): void {
  rows.push({ work, value, goal, detail });
  log(`${work}: ${value.toFixed(2)}`);
}

function printTable(): void {
  const lines = rows.map(
    (row) => `| ${row.work} | ${row.value?.toFixed(2) ?? "-"} | ${row.goal} | ${row.detail} |`,
  );
  process.stdout.write(`| work | measured | goal | |\n|---|---|---|---|\n${lines.join("\n")}\n`);
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ at: new Date().toISOString(), rows }, null, 2)}\n`);
}
