import pg from "pg";
import { PostgresClient } from "./client.ts";
import { connectionSettings } from "./connect.ts";
import { limitSettings, type Purpose, poolLimits } from "./time-limits.ts";

/** No app waits for these, and a machine that is just starting takes its time. */
export const connectTimeoutMs = 5_000;
const maxShutdownMs = 1_000;

/** A pool for everything outside the hot path. No connection error goes unhandled. */
export function openPool(url: string, purpose: Purpose, serverMajor: number): pg.Pool {
  const limits = poolLimits[purpose];
  const settings = purpose === "setup" ? [] : limitSettings(limits, serverMajor);
  return open(url, settings, limits.connections, limits.answerMs);
}

/** The same for reads along an index: see `listReads` of the store. */
export function openListPool(url: string, purpose: Purpose, serverMajor: number): pg.Pool {
  const limits = poolLimits[purpose];
  const settings = [...limitSettings(limits, serverMajor), ...listReads];
  return open(url, settings, limits.listConnections, limits.answerMs);
}

const listReads = [
  ...["seqscan", "bitmapscan", "sort", "incremental_sort", "hashjoin", "mergejoin"].map(
    (way) => `enable_${way}=off`,
  ),
  "jit=off",
];

function open(url: string, settings: readonly string[], connections: number, answerMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionSettings(url, settings),
    Client: PostgresClient as never,
    connectionTimeoutMillis: connectTimeoutMs,
    max: connections,
    // A statement without a response then ends with its connection, which would otherwise be reused.
    pipeline: true,
    ...(answerMs === 0 ? {} : { query_timeout: answerMs }),
  });
  const clients = new Set<pg.PoolClient>();
  openClients.set(pool, clients);
  // An idle connection that breaks is replaced on its next use; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    clients.add(client);
    // The same for one that breaks while in use: the statement fails, and its caller gets the error.
    client.on("error", () => {});
    client.on("end", () => clients.delete(client));
  });
  return pool;
}

const openClients = new WeakMap<pg.Pool, Set<pg.PoolClient>>();

/** Whatever waits for one of the connections fails at once, and the next statement gets a new one. */
export function cutConnections(pool: pg.Pool): void {
  for (const client of openClients.get(pool) ?? []) client.connection.stream.destroy();
}

/** Closes all connections; those that do not close cleanly in time, or are still in use, are cut. */
export async function closePool(pool: pg.Pool): Promise<void> {
  const open = openClients.get(pool) ?? new Set();
  const ended = pool.ending ? Promise.resolve() : pool.end().catch(() => undefined);
  const deadlineMs = performance.now() + maxShutdownMs;
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  while ((!isEnded || open.size > 0) && performance.now() < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, 5));
  for (const client of open) client.connection.stream.destroy();
}
