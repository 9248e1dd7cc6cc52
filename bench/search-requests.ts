/**
 * `node scripts/run.mjs bench/search-requests.ts --data FOLDER`, or `--url postgres://…`: measures searches in a request
 * log that `generate-requests.ts` has filled, each with values that occur in it, and prints their times. `--only` takes
 * the name of one.
 */
import { parseArgs } from "node:util";
import { hourMs } from "@countersign/domain/dates/lengths";
import { type DatabaseLocation, openStore } from "@countersign/store/databases/open";
import { everyRequest, type RequestFilter } from "@countersign/store/queries/requests/filter";
import { searchRequests } from "@countersign/store/queries/requests/search";
import type { TimeRange } from "@countersign/store/queries/requests/span";
import { existingDays, logOf, startOfDay } from "@countersign/store/request-log/tables";
import type { Database } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables/journal";
import { GeneratedRequests } from "./generated-requests.ts";

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    url: { type: "string" },
    organizations: { type: "string", default: "200" },
    licenses: { type: "string", default: "200000" },
    searches: { type: "string", default: "200" },
    only: { type: "string" },
  },
});
const location: DatabaseLocation =
  options.url === undefined
    ? { kind: "sqlite", folder: options.data ?? "" }
    : { kind: "postgres", url: options.url };
const store = await openStore(location, { encryptionKey: null, durability: "standard" });
const print = (text: string) => void process.stdout.write(`${text}\n`);
const { licenses } = new GeneratedRequests(7, {
  organizations: Number(options.organizations),
  licenses: Number(options.licenses),
}).population;
const rankOf = new Map(licenses.map((id, rank) => [id, rank / licenses.length]));
const always = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };

interface Search {
  readonly filter: RequestFilter;
  readonly range?: TimeRange;
}

const searches: Readonly<Record<string, (row: RequestLogRow) => Search | null>> = {
  "newest of an organization": ({ organization_id: id }) => ({ filter: everyRequest(id) }),
  "by time": ({ organization_id: id, at }) => ({
    filter: everyRequest(id),
    range: { fromMs: at - hourMs, untilMs: at },
  }),
  "by frequent license": (row) => ofLicense(row, 0, 0.001),
  "by license": (row) => ofLicense(row, 0, 1),
  "by rare license": (row) => ofLicense(row, 0.9, 1),
  "by unknown license": (row) => ({ filter: { ...everyRequest(row.organization_id), licenseId: "none" } }),
  "by IP address": (row) => ({ filter: { ...everyRequest(row.organization_id), ips: [row.ip] } }),
  "by request ID": (row) => ({ filter: { ...everyRequest(row.organization_id), requestId: row.id } }),
  "by outcome": ({ organization_id: id }) => ({ filter: { ...everyRequest(id), outcomes: ["revoked"] } }),
  "by device ID": (row) =>
    row.device_id === null
      ? null
      : { filter: { ...everyRequest(row.organization_id), deviceId: row.device_id } },
  "by unknown version": ({ organization_id: id }) => ({ filter: { ...everyRequest(id), version: "9" } }),
};

for (const [name, searchFor] of Object.entries(searches)) {
  if (options.only !== undefined && options.only !== name) continue;
  const times: number[] = [];
  let [found, unfinished, cpuMs] = [0, 0, 0];
  while (times.length < Number(options.searches)) {
    const search = searchFor(await someRow(store.listReads));
    if (search === null) continue;
    const [startedMs, before] = [performance.now(), process.cpuUsage()];
    const page = { range: always, ...search, after: null, limit: 50 };
    const { rows, searchedUntilMs } = await searchRequests(store.listReads, page);
    times.push(performance.now() - startedMs);
    const { user, system } = process.cpuUsage(before);
    cpuMs += (user + system) / 1_000;
    found += rows.length;
    if (searchedUntilMs !== null) unfinished += 1;
  }
  times.sort((one, other) => one - other);
  const at = (part: number) => `${(times[Math.floor(times.length * part)] ?? 0).toFixed(1)} ms`;
  const each = (sum: number) => (sum / times.length).toFixed(1);
  print(
    `${name}: p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(0.999)}; on average ${each(cpuMs)} ms CPU and ${each(found)} rows; ` +
      `${unfinished} unfinished`,
  );
}
await store.close();

function ofLicense(row: RequestLogRow, from: number, until: number): Search | null {
  const rank = rankOf.get(row.license_id ?? "") ?? Number.NaN;
  if (!(rank >= from && rank < until)) return null;
  return { filter: { ...everyRequest(row.organization_id), licenseId: row.license_id } };
}

/** A row at a random time. */
async function someRow(db: Database): Promise<RequestLogRow> {
  const days = await existingDays(db);
  for (;;) {
    const day = (days.at(-1) ?? 0) + Math.random() * days.length;
    const row = await db
      .selectFrom(logOf(Math.floor(day)))
      .selectAll()
      .where("at", ">=", Math.floor(startOfDay(day)))
      .orderBy("at")
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return row;
  }
}
