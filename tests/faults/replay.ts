import type { JournalEntry } from "@countersign/store/journal";
import { openJournal, openStore } from "@countersign/store/open";
import type { Store } from "@countersign/store/store";
import type { TestDatabase } from "../support/databases.ts";
import { journalEntry } from "../support/request-log.ts";
import { checkRollUps } from "../support/rollups.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

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

const hourMs = 3_600_000;
const atOnce = 5_000;

/**
 * Replays requests into the log, with times of some hours ago, so that the server closes segments and adds to the
 * roll-ups all the time, sends it more requests, and kills it in the middle. In the end the roll-ups must be exactly what
 * the log adds up to.
 */
export async function replayUnderKills(make: () => Promise<TestDatabase>, size: ReplaySize): Promise<string> {
  const database = await make();
  const subjects = await makeSubjects(database.location, 20);
  const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
  const traffic = Array.from({ length: size.nodes }, () => new Traffic(subjects.all));
  const answered = () => traffic.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const replay = new Replay(Date.now() - 6 * hourMs, (5 * hourMs) / (size.rounds * size.replayed));
  let midwayKills = 0;
  try {
    for (let round = 0; round < size.rounds; round++) {
      const before = await closedUntil(store);
      await replay.append(database, size.replayed);
      await withServers(database, size.nodes, async (servers) => {
        for (const [node, { port }] of servers.entries()) traffic[node]?.start(port, 4, 0);
        const adds = async () => (await closedUntil(store)) > before;
        await until("the server adds to the roll-ups", adds, 60_000);
        // At any point of closing a segment.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      });
      await Promise.all(traffic.map((one) => one.stop()));
      if ((await closedUntil(store)) < replay.lastAt) midwayKills += 1;
    }
    await withServers(database, size.nodes, async (servers) => {
      for (const [node, { port }] of servers.entries()) traffic[node]?.start(port, 4, 0);
      const enough = answered() + size.sent;
      await until("there is traffic", () => answered() >= enough, 60_000);
      // A busy server takes ten times as long to close segments, on purpose.
      await Promise.all(traffic.map((one) => one.stop()));
      const isClosed = async () => (await closedUntil(store)) > replay.lastAt;
      await until("everything replayed is closed", isClosed, 120_000);
    });
    const { closed, open, largestError } = await checkRollUps(store);
    holds(closed >= size.rounds * size.replayed, `${closed} requests are in the roll-ups`);
    const percent = (largestError * 100).toFixed(1);
    return (
      `${size.rounds} kills of ${size.nodes} servers, ${midwayKills} of them while segments waited to be closed, ` +
      `${closed} requests in the roll-ups and ${open} after them agree with the log, unique counts within ${percent} %`
    );
  } finally {
    await store.close();
    database.remove();
  }
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

/** Requests of the past, in the order of their times. */
class Replay {
  readonly #fromMs: number;
  readonly #stepMs: number;
  #count = 0;

  constructor(fromMs: number, stepMs: number) {
    this.#fromMs = fromMs;
    this.#stepMs = stepMs;
  }

  get lastAt(): number {
    return this.#atOf(this.#count - 1);
  }

  async append({ location }: TestDatabase, count: number): Promise<void> {
    const journal = await openJournal(location);
    try {
      for (let left = count; left > 0; left -= atOnce) {
        const entries = Array.from({ length: Math.min(left, atOnce) }, () => this.#next());
        await journal.append(entries);
      }
    } finally {
      await journal.close();
    }
  }

  #atOf(number: number): number {
    return Math.floor(this.#fromMs + number * this.#stepMs);
  }

  #next(): JournalEntry {
    const number = this.#count++;
    const below = (limit: number) => Math.floor(Math.random() * limit);
    const organization = below(3);
    const isRefused = below(8) === 0;
    return journalEntry({
      at: this.#atOf(number),
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
}
