import { hourMs } from "@countersign/domain/dates/lengths";
import { openJournal } from "@countersign/store/databases/open";
import type { JournalEntry } from "@countersign/store/journal";
import type { Store } from "@countersign/store/store";
import type { TestDatabase } from "../support/databases.ts";
import { journalEntry } from "../support/request-log.ts";
import { checkRollUps } from "../support/rollups.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { openTraffic, withStore } from "./consistency-check.ts";

interface ReplaySize {
  /** Each ends with a kill. */
  readonly rounds: number;
  /** How many requests are replayed in each round, besides those that are sent. */
  readonly replayed: number;
  /** How many are sent in the end. Some are sent in each round, as many as there is time for. */
  readonly sent: number;
  /** Servers that share the database. */
  readonly nodes: number;
}

const atOnce = 5_000;

/**
 * Replays requests into the log, with times of some hours ago, so that the server closes segments and adds to the
 * roll-ups all the time, sends it more requests, and kills it in the middle. In the end the roll-ups must be exactly what
 * the log adds up to.
 */
export async function replayUnderKills(make: () => Promise<TestDatabase>, size: ReplaySize): Promise<string> {
  const database = await make();
  const traffic = await openTraffic(database.location);
  const fromMs = Date.now() - 6 * hourMs;
  const stepMs = (5 * hourMs) / (size.rounds * size.replayed);
  let replayed = 0;
  let lastAt = 0;
  let midwayKills = 0;
  const replay = async () => {
    const journal = await openJournal(database.location);
    for (const end = replayed + size.replayed; replayed < end; ) {
      const entries = Array.from({ length: Math.min(end - replayed, atOnce) }, () => {
        lastAt = Math.floor(fromMs + replayed++ * stepMs);
        return pastRequest(lastAt);
      });
      await journal.append(entries);
    }
    await journal.close();
  };
  const underTraffic = (work: () => Promise<void>) =>
    withServers(database, size.nodes, async (servers) => {
      for (const { port } of servers) traffic.start(port, 4, 0);
      await work();
    });
  const figures = await withStore(database.location, async (store) => {
    for (let round = 0; round < size.rounds; round++) {
      const before = await closedUntil(store);
      await replay();
      await underTraffic(async () => {
        const adds = async () => (await closedUntil(store)) > before;
        await until("the server adds to the roll-ups", adds, 60_000);
        // At any point of closing a segment.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      });
      await traffic.stop();
      if ((await closedUntil(store)) < lastAt) midwayKills += 1;
    }
    await underTraffic(async () => {
      await traffic.flows(size.sent);
      // A busy server takes ten times as long to close segments, on purpose.
      await traffic.stop();
      await until("everything replayed is closed", async () => (await closedUntil(store)) > lastAt, 120_000);
    });
    return checkRollUps(store);
  });
  database.remove();
  const { closed, open, largestError } = figures;
  holds(closed >= replayed, `${closed} requests are in the roll-ups`);
  return (
    `${size.rounds} kills of ${size.nodes} servers, ${midwayKills} of them while segments waited to be closed, ` +
    `${closed} requests in the roll-ups and ${open} after them agree with the log, ` +
    `unique counts within ${(largestError * 100).toFixed(1)} %`
  );
}

async function withServers(
  database: TestDatabase,
  nodes: number,
  work: (servers: readonly ServerProcess[]) => Promise<void>,
): Promise<void> {
  const servers: ServerProcess[] = [];
  try {
    for (let node = 0; node < nodes; node++) servers.push(await startServerProcess(database.environment));
    await work(servers);
  } finally {
    for (const server of servers) server.signal("SIGKILL");
    await Promise.all(servers.map(({ exited }) => exited));
  }
}

async function closedUntil(store: Store): Promise<number> {
  const state = store.reads.selectFrom("request_log_state").select("closed_until");
  return (await state.executeTakeFirstOrThrow()).closed_until;
}

function pastRequest(at: number): JournalEntry {
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const organization = below(3);
  const isRefused = below(8) === 0;
  return journalEntry({
    at,
    organization_id: `replayed ${organization}`,
    product_id: `product ${organization} ${below(4)}`,
    // Few enough licenses are refused for all of them to be told apart.
    license_id: below(20) === 0 ? null : `license ${below(isRefused ? 50 : 5_000)}`,
    endpoint: below(10) === 0 ? "lookup" : "validate",
    status: isRefused ? "ip_blocked" : "active",
    ip: `198.51.${below(30)}.${below(250)}`,
    version: below(5) === 0 ? null : `1.${below(8)}`,
    device_id: `device ${below(100)}`,
    count: below(50) === 0 ? 30 : 1,
    sandbox: below(40) === 0 ? 1 : 0,
  });
}
