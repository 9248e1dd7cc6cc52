/**
 * `node scripts/run.mjs bench/generate-requests.ts --data FOLDER --millions 30`, or `--url postgres://…`: fills the
 * request log of the last days with generated requests, by the code that writes the log, and prints what that costs.
 * With `--drop`, measures how long dropping the oldest day takes. The database should have no server.
 */
import { parseArgs } from "node:util";
import { dayMs } from "@countersign/domain/dates/lengths";
import { type DatabaseLocation, openJournal, openStore } from "@countersign/store/databases/open";
import type { JournalEntry } from "@countersign/store/journal";
import { GeneratedRequests } from "./generated-requests.ts";

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    url: { type: "string" },
    millions: { type: "string", default: "1" },
    days: { type: "string", default: "30" },
    organizations: { type: "string", default: "200" },
    licenses: { type: "string", default: "200000" },
    drop: { type: "boolean" },
  },
});
const location: DatabaseLocation =
  options.url === undefined
    ? { kind: "sqlite", folder: options.data ?? "" }
    : { kind: "postgres", url: options.url };
const rows = Math.round(Number(options.millions) * 1e6);
const days = Number(options.days);
const batch = 5_000;
const print = (text: string) => void process.stdout.write(`${text}\n`);

const store = await openStore(location, { encryptionKey: null, durability: "standard" });
const journal = await openJournal(location);
const untilMs = Math.floor(Date.now() / 60_000) * 60_000;
const fromMs = untilMs - days * dayMs;
const requests = new GeneratedRequests(7, {
  organizations: Number(options.organizations),
  licenses: Number(options.licenses),
});

const appended = { ms: 0, cpuUs: 0, rows: 0 };
const closed = { ms: 0, cpuUs: 0, rows: 0, longestMs: 0 };
let entries: JournalEntry[] = [];
for (let row = 0; row < rows; row++) {
  const atMs = fromMs + Math.floor((row / rows) * (untilMs - fromMs));
  entries.push(requests.next(atMs));
  if (entries.length < batch && row < rows - 1) continue;
  await measured(appended, entries.length, () => journal.append(entries));
  entries = [];
  for (let isDue = true; isDue; ) {
    const startedMs = performance.now();
    isDue = (await measured(closed, 0, () => journal.closeSegment(atMs))) > 0;
    closed.longestMs = Math.max(closed.longestMs, performance.now() - startedMs);
  }
  if (row % 1_000_000 < batch)
    print(`${Math.round(row / 1e6)}M rows, ${summary(appended)}; closing ${summary(closed)}`);
}
closed.rows = rows;
print(`adding: ${summary(appended)}`);
print(`closing: ${summary(closed)}, at most ${Math.round(closed.longestMs)} ms at once`);
const { organizations, licenses } = requests.population;
print(JSON.stringify({ organization: organizations[0], license: licenses[0], rareLicense: licenses.at(-1) }));

if (options.drop) {
  const retention = { serverDays: days - 1, minDays: days - 1, maxDays: days - 1, maxBytes: 1e15 };
  const startedMs = performance.now();
  const dropped = await journal.prune(retention, untilMs);
  print(`dropping ${dropped} day: ${Math.round(performance.now() - startedMs)} ms`);
}
await journal.close();
await store.close();

interface Cost {
  ms: number;
  cpuUs: number;
  rows: number;
}

/** The CPU time is that of this process: on PostgreSQL, the server's comes on top. */
async function measured<T>(cost: Cost, count: number, work: () => Promise<T>): Promise<T> {
  const [startedMs, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  cost.ms += performance.now() - startedMs;
  cost.cpuUs += user + system;
  cost.rows += count;
  return result;
}

function summary({ ms, cpuUs, rows: count }: Cost): string {
  const of = count === 0 ? appended.rows : count;
  return `${((ms * 1_000) / of).toFixed(1)} µs a row, ${(cpuUs / of).toFixed(1)} µs CPU`;
}
