/**
 * `npm run bench [-- --quick] [--only sqlite] [--json FILE]`: starts bare servers and Countersign on both databases,
 * loads them in turns, and prints how they compare. Loopback only; stops by itself.
 */
import { rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { freshFolder } from "../tests/support/databases.ts";
import { freshDatabase, startPostgres } from "../tests/support/postgres.ts";
import { compare, median, perSecond, ratio } from "./compare.ts";
import { countQuestions, licenseFile, questions, seedOffice } from "./licenses.ts";
import { hasWrk, load, type Measurement, type Target } from "./load.ts";
import { workAt } from "./manage.ts";
import { ask, importSeconds, untilIndexed } from "./office.ts";
import { type Seeded, seed } from "./seed.ts";
import { residentMiB, startBunEcho, startCountersign, startNodeEcho } from "./servers.ts";
import { measureWebhooks } from "./webhook-part.ts";
import { openReceivers } from "./webhooks.ts";

const { values: options } = parseArgs({
  options: { quick: { type: "boolean" }, only: { type: "string" }, json: { type: "string" } },
});
const quick = options.quick === true;
const settings = { connections: 64, seconds: quick ? 2 : 5, rate: null, rounds: quick ? 3 : 7 };
const managementPerSecond = 50;
const webhooksPerSecond = 100;
const million = quick ? 200_000 : 1_000_000;

interface Row {
  readonly work: string;
  readonly value: number | null;
  readonly goal: string;
  readonly detail: string;
}

const rows: Row[] = [];
const stops: (() => unknown)[] = [];
const wanted = (part: string) => options.only === undefined || options.only === part;
const say = (text: string) => void process.stderr.write(`${text}\n`);

try {
  say(
    `Load from ${hasWrk ? "wrk" : "the generator that comes with the bench"}, ${settings.connections} connections, ${settings.rounds} rounds of ${settings.seconds} s.`,
  );
  const bunEcho = await startBunEcho();
  const nodeEcho = await startNodeEcho();
  stops.push(bunEcho.stop, nodeEcho.stop);
  if (wanted("sqlite")) await sqlite(bunEcho.port, nodeEcho.port);
  if (wanted("postgres")) await postgres(bunEcho.port);
  if (wanted("lists")) await lists();
  if (wanted("import")) await imports();
  if (wanted("webhooks")) await webhooks();
  if (wanted("memory")) await memory();
  if (wanted("start")) await startTime();
} finally {
  for (const stop of stops.reverse()) await stop();
}
print();

/** Speed on SQLite, and what more licenses and block lists cost. */
async function sqlite(bunPort: number, nodePort: number): Promise<void> {
  const usual = await onSqlite("SQLite, 100k licenses", 100_000);
  const bare = { ...usual, name: "bare Bun.serve echo", port: bunPort };
  const node = { ...usual, name: "bare node:http echo", port: nodePort };
  const [bareRun, nodeRun, usualRun] = await compare([bare, node, usual], settings, say);
  if (!bareRun || !nodeRun || !usualRun) return;
  add(
    "bare node:http echo / bare Bun.serve echo",
    ratio(nodeRun, bareRun),
    "",
    `${Math.round(perSecond(nodeRun))}/s of ${Math.round(perSecond(bareRun))}/s`,
  );
  add(
    "validate, SQLite, 100k licenses, signed, logged / bare Bun.serve echo",
    ratio(usualRun, bareRun),
    ">= 0.75",
    `${Math.round(perSecond(usualRun))}/s`,
  );

  const half = { connections: 32, seconds: settings.seconds, rate: perSecond(usualRun) / 2 };
  const halfRun = await load(usual, half);
  // What of it is the machine's and the generator's: the same load on a server that does nothing.
  const bareHalfRun = await load(bare, half);
  add(
    "validate p99 at half of the top rate / p50",
    halfRun.p99Ms / halfRun.p50Ms,
    "<= 5",
    `${spread(halfRun)}; bare echo at that rate ${spread(bareHalfRun)}`,
  );

  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    alone.push((await load(usual, settings)).requestsPerSecond);
    const work = workAt(usual.port, usual.desk, managementPerSecond);
    beside.push((await load(usual, settings)).requestsPerSecond);
    await work.stop();
  }
  add(
    `validate while ${managementPerSecond} management requests/s are answered / alone`,
    median(beside.map((rate, round) => rate / (alone[round] ?? 1))),
    "",
    `${Math.round(median(beside))}/s`,
  );

  const few = await onSqlite("SQLite, 1k licenses", 1_000);
  const many = await onSqlite(`SQLite, ${million} licenses`, million);
  const [fewRun, manyRun] = await compare([few, many], settings, say);
  if (fewRun && manyRun)
    add(
      `the same with ${million} licenses / with 1k`,
      ratio(manyRun, fewRun),
      ">= 0.95",
      `${Math.round(perSecond(manyRun))}/s`,
    );

  const blocked = await onSqlite("SQLite, 10k CIDR blocks", 100_000, 10_000);
  const [noneRun, blockedRun] = await compare([usual, blocked], settings, say);
  if (noneRun && blockedRun)
    add(
      "validate with 10k CIDR blocks in force / with none",
      ratio(blockedRun, noneRun),
      ">= 0.97",
      `${Math.round(perSecond(blockedRun))}/s`,
    );
}

function spread({ p50Ms, p99Ms }: Measurement): string {
  return `${p50Ms.toFixed(2)} ms, ${p99Ms.toFixed(2)} ms`;
}

async function postgres(bunPort: number): Promise<void> {
  // As a real one is run: every answer has to wait until it is on the disk.
  const server = await startPostgres({ waitsForDisk: true });
  stops.push(() => server.stop());
  const url = await freshDatabase(server.url);
  say("Seeding PostgreSQL …");
  const seeded = await seed({ kind: "postgres", url }, 100_000);
  const one = await onPostgres("PostgreSQL, 100k licenses", url, seeded);
  const bare = { ...one, name: "bare Bun.serve echo", port: bunPort };
  const [bareRun, oneRun] = await compare([bare, one], settings, say);
  if (!bareRun || !oneRun) return;
  add(
    "validate, PostgreSQL on the same machine, signed, logged / bare echo",
    ratio(oneRun, bareRun),
    ">= 0.60",
    `${Math.round(perSecond(oneRun))}/s`,
  );

  const others = [await onPostgres("second node", url, seeded), await onPostgres("third node", url, seeded)];
  const nodes = [one, ...others];
  const together = await Promise.all(nodes.map((node) => load(node, { ...settings, connections: 32 })));
  const all = together.reduce((sum, measured) => sum + measured.requestsPerSecond, 0);
  const slowest = Math.min(...together.map((measured) => measured.requestsPerSecond));
  add(
    "three nodes on one PostgreSQL / one node (same cores)",
    all / perSecond(oneRun),
    "",
    `slowest node ${Math.round((slowest / all) * 100)} % of the traffic`,
  );
}

/** How long people wait for a list, whatever they ask for. */
async function lists(): Promise<void> {
  const folder = freshFolder();
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  say(`Seeding ${million} licenses with customers, notes and tags …`);
  const desk = await seedOffice({ kind: "sqlite", folder }, million);
  const server = await startCountersign({ COUNTERSIGN_DATA: folder });
  stops.push(() => server.stop());
  const startedMs = performance.now();
  await untilIndexed(folder);
  say(`The text index was made in ${Math.round((performance.now() - startedMs) / 1_000)} s.`);
  await ask(server.port, desk, questions(million), 1);
  const asked = (await ask(server.port, desk, questions(million), quick ? 3 : 10)).sort(
    (a, b) => a.ms - b.ms,
  );
  const at = (share: number) => asked[Math.min(asked.length - 1, Math.floor(asked.length * share))];
  add(
    `license list, search and filters over ${million} licenses, SQLite, p95 in ms`,
    at(0.95)?.ms ?? Number.NaN,
    "<= 50",
    `p50 ${at(0.5)?.ms.toFixed(1)} ms; slowest ${at(1)?.ms.toFixed(0)} ms (${at(1)?.question})`,
  );
  for (const [kind, goal] of [
    ["kept", "<= 50"],
    ["counted", "<= 2000"],
  ] as const) {
    const counted = await ask(server.port, desk, countQuestions[kind], quick ? 3 : 10);
    const slowest = counted.reduce((a, b) => (a.ms > b.ms ? a : b));
    add(
      `page with an exact number of licenses over ${million}, SQLite, ${kind}, median in ms`,
      median(counted.map(({ ms }) => ms)),
      goal,
      `slowest ${slowest.ms.toFixed(0)} ms (${slowest.question})`,
    );
  }
}

/** A file of licenses, and what it does to those who validate meanwhile. */
async function imports(): Promise<void> {
  const count = quick ? 20_000 : 100_000;
  const usual = await onSqlite("SQLite, 100k licenses", 100_000);
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1)
    rates.push(count / (await importSeconds(usual.port, usual.desk, licenseFile(count))));
  add(
    `import of ${count} licenses (CSV, all or nothing), SQLite, rows/s`,
    median(rates),
    ">= 20000",
    `best ${Math.round(Math.max(...rates))}`,
  );
  const receivers = await openReceivers(usual.port, usual.desk);
  stops.push(receivers.stop);
  const alone: number[] = [];
  const beside: number[] = [];
  const delivered: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    alone.push((await load(usual, settings)).requestsPerSecond);
    const importing = importSeconds(usual.port, usual.desk, licenseFile(count));
    const changing = receivers.changeAt(webhooksPerSecond);
    const before = receivers.received;
    beside.push((await load(usual, settings)).requestsPerSecond);
    delivered.push((receivers.received - before) / settings.seconds);
    await changing.stop();
    await importing;
  }
  add(
    `validate while ${webhooksPerSecond} webhooks/s are delivered and ${count} licenses imported / alone`,
    median(beside.map((rate, round) => rate / (alone[round] ?? 1))),
    ">= 0.80",
    `${Math.round(median(beside))}/s; ${Math.round(median(delivered))} webhooks/s`,
  );
}

/** How fast webhooks go to one healthy endpoint, with and without a backlog, on both databases. */
async function webhooks(): Promise<void> {
  const backlogs = [0, quick ? 20_000 : 150_000];
  const shared = { settings: { ...settings, rounds: 3 }, stops };
  for (const backlog of backlogs) {
    const folder = freshFolder();
    stops.push(() => rmSync(folder, { recursive: true, force: true }));
    const part = {
      name: "SQLite",
      location: { kind: "sqlite", folder },
      environment: { COUNTERSIGN_DATA: folder },
    } as const;
    for (const row of await measureWebhooks({ ...part, ...shared, backlog }, say))
      add(row.work, row.value, row.goal, row.detail);
  }
  const server = await startPostgres({ waitsForDisk: true });
  stops.push(() => server.stop());
  for (const backlog of backlogs) {
    const url = await freshDatabase(server.url);
    const part = {
      name: "PostgreSQL",
      location: { kind: "postgres", url },
      environment: { DATABASE_URL: url, COUNTERSIGN_DATA: freshFolder() },
    } as const;
    for (const row of await measureWebhooks({ ...part, ...shared, backlog }, say))
      add(row.work, row.value, row.goal, row.detail);
  }
}

/** Whether memory grows with the number of requests served. */
async function memory(): Promise<void> {
  const folder = freshFolder();
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  const seeded = await seed({ kind: "sqlite", folder }, 100_000);
  const server = await startCountersign({ COUNTERSIGN_DATA: folder });
  stops.push(() => server.stop());
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
    add(
      `resident memory after ${few + many} requests / after ${few}`,
      late / early,
      "<= 1.05",
      `${Math.round(early)} MiB, ${Math.round(late)} MiB`,
    );
  }
}

async function startTime(): Promise<void> {
  const folder = freshFolder();
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  const seconds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const startedMs = performance.now();
    const server = await startCountersign({ COUNTERSIGN_DATA: folder });
    await fetch(`${server.url}/healthz`);
    seconds.push((performance.now() - startedMs) / 1000);
    await server.stop();
  }
  add(
    "server start to first answer, seconds",
    median(seconds),
    "<= 1",
    "without npm, which adds its own start",
  );
}

async function onSqlite(name: string, licenses: number, cidrBlocks = 0): Promise<Target & Seeded> {
  const folder = freshFolder();
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  say(`Seeding ${name} …`);
  const seeded = await seed({ kind: "sqlite", folder }, licenses, cidrBlocks);
  const server = await startCountersign({
    COUNTERSIGN_DATA: folder,
    COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1",
  });
  stops.push(() => server.stop());
  return { name, port: server.port, ...seeded };
}

async function onPostgres(name: string, url: string, seeded: Seeded): Promise<Target> {
  const folder = freshFolder();
  const server = await startCountersign({ DATABASE_URL: url, COUNTERSIGN_DATA: folder });
  stops.push(() => server.stop());
  return { name, port: server.port, ...seeded };
}

function add(work: string, value: number, goal: string, detail: string): void {
  rows.push({ work, value, goal, detail });
  say(`${work}: ${value.toFixed(2)}`);
}

function print(): void {
  const lines = rows.map(
    (row) => `| ${row.work} | ${row.value?.toFixed(2) ?? "-"} | ${row.goal} | ${row.detail} |`,
  );
  process.stdout.write(`| work | measured | goal | |\n|---|---|---|---|\n${lines.join("\n")}\n`);
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ at: new Date().toISOString(), rows }, null, 2)}\n`);
}
