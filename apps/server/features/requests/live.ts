import { matches, type RequestFilter } from "@countersign/store/queries/requests/filter";
import { countEntries, newestRequests } from "@countersign/store/queries/requests/search";
import type { Database, Store } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables/journal";
import { type Log, reasonOf } from "../../base/log.ts";
import { Problem } from "../../http/problem.ts";
import { showRequests } from "./show.ts";

/** One client that watches requests as they happen. */
interface Watcher {
  readonly filter: RequestFilter;
  /** Gets the requests that are new and match, the oldest first, and how many were left out. */
  receive(events: readonly RequestEvent[], skipped: number): void;
  /** The server is stopping. */
  end(): void;
}

/** A request, and the time and ID by which a client can continue after it. */
export interface RequestEvent {
  readonly at: number;
  readonly id: string;
  readonly json: string;
}

/** An organization that has watchers. */
interface Watched {
  readonly tail: RequestTail;
  readonly started: Promise<void>;
  readonly watchers: Set<Watcher>;
}

const readEveryMs = 1_000;
/** Reading takes at most this part of the time, however many organizations are watched. */
const busyPart = 0.1;

/**
 * Reads the log once a second for each organization that is watched, for all of its watchers, and only while there are
 * any. What other nodes have logged is found like everything else.
 */
class LiveRequests {
  readonly #store: Store;
  readonly #log: Log;
  readonly #watched = new Map<string, Watched>();
  #isStopped = false;
  #isReading = false;
  #isFailing = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** From now on, the watcher gets new requests. Returns a function that ends that. */
  async watch(watcher: Watcher): Promise<() => void> {
    if (this.#isStopped) throw new Problem("server_busy", {}, soon);
    const { organizationId } = watcher.filter;
    const watched = this.#watched.get(organizationId) ?? this.#start(organizationId);
    watched.watchers.add(watcher);
    const leave = () => {
      if (!watched.watchers.delete(watcher)) return;
      if (watched.watchers.size === 0) this.#watched.delete(organizationId);
    };
    try {
      await watched.started;
    } catch (error) {
      leave();
      throw error;
    }
    void this.#readOn();
    return leave;
  }

  stop(): void {
    this.#isStopped = true;
    for (const { watchers } of this.#watched.values()) for (const watcher of [...watchers]) watcher.end();
  }

  /** What is in the log already is not new. */
  #start(organizationId: string): Watched {
    const tail = new RequestTail(this.#store.listReads, organizationId);
    const started = this.#store.clock().then(async (nowMs) => void (await tail.read(nowMs)));
    const watched = { tail, started, watchers: new Set<Watcher>() };
    this.#watched.set(organizationId, watched);
    return watched;
  }

  async #readOn(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    let restMs = readEveryMs;
    while (this.#watched.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      const startMs = performance.now();
      try {
        for (const organizationId of [...this.#watched.keys()]) await this.#read(organizationId);
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing)
          this.#log.warn("New requests cannot be read from the log.", { reason: reasonOf(error) });
        this.#isFailing = true;
      }
      restMs = Math.max(readEveryMs, (performance.now() - startMs) / busyPart);
    }
    this.#isReading = false;
  }

  async #read(organizationId: string): Promise<void> {
    const watched = this.#watched.get(organizationId);
    if (watched === undefined) return;
    await watched.started;
    const { rows, skipped } = await watched.tail.read(await this.#store.clock());
    const watchers = [...watched.watchers];
    const meant = rows.filter((row) => watchers.some(({ filter }) => matches(filter, row)));
    const shown = await showRequests(this.#store.reads, organizationId, meant);
    const events = meant.map(({ at, id }, index) => ({ at, id, json: JSON.stringify(shown[index]) }));
    for (const watcher of watchers) {
      const matching = events.filter((_, index) => matches(watcher.filter, meant[index] ?? never()));
      if (matching.length > 0 || skipped > 0) watcher.receive(matching, skipped);
    }
  }
}

function never(): never {
  throw new Error("There is an event for each row.");
}

const soon = { headers: { "retry-after": "5" } };

const ofStores = new WeakMap<Store, LiveRequests>();

/** Those of this process. */
export function liveRequests(store: Store, log: Log): LiveRequests {
  const known = ofStores.get(store) ?? new LiveRequests(store, log);
  ofStores.set(store, known);
  return known;
}

/** Ends all streams, so that the server can stop. Clients continue on another node. */
export function stopStreams(store: Store): void {
  ofStores.get(store)?.stop();
}

/**
 * Rows become visible up to a few seconds after the time they have, and those of several nodes in any order: so much of
 * the log is read again each time.
 */
export const overlapMs = 5_000;

/** How many rows are read at a time. With more requests than that, the oldest of them are skipped. */
const maxRows = 2_000;

interface NewRequests {
  /** The oldest first. */
  readonly rows: readonly RequestLogRow[];
  /** About how many others there were. */
  readonly skipped: number;
}

/** Reads what was added to the log of one organization since the last time. */
export class RequestTail {
  readonly #db: Database;
  readonly #organizationId: string;
  readonly #maxRows: number;
  /** The IDs of the rows that were read before, with their times. */
  #known = new Map<string, number>();
  #readUntilMs: number | null = null;
  #newestMs = 0;

  constructor(db: Database, organizationId: string, limit = maxRows) {
    this.#db = db;
    this.#organizationId = organizationId;
    this.#maxRows = limit;
  }

  /** The first time, everything that is there counts as known. */
  async read(nowMs: number): Promise<NewRequests> {
    const isFirst = this.#readUntilMs === null;
    // After a failure, from where the last success was.
    const fromMs = Math.min(nowMs, this.#readUntilMs ?? nowMs) - overlapMs;
    const newest = await newestRequests(this.#db, this.#organizationId, fromMs, this.#maxRows);
    const rows = newest.filter(({ id }) => !this.#known.has(id)).reverse();
    const skipped = isFirst ? 0 : await this.#skipped(newest, fromMs);
    this.#known = new Map([...this.#known].filter(([, at]) => at >= fromMs));
    for (const { id, at } of newest) this.#known.set(id, at);
    this.#newestMs = Math.max(this.#newestMs, newest[0]?.at ?? 0);
    this.#readUntilMs = nowMs;
    return isFirst ? { rows: [], skipped: 0 } : { rows, skipped };
  }

  /** The entries between what was read the last time and what was read now. */
  async #skipped(newest: readonly RequestLogRow[], fromMs: number): Promise<number> {
    const oldest = newest.at(-1);
    if (oldest === undefined || newest.length < this.#maxRows) return 0;
    const gap = { fromMs: Math.max(fromMs, this.#newestMs + 1), untilMs: oldest.at };
    return gap.fromMs >= gap.untilMs ? 0 : countEntries(this.#db, this.#organizationId, gap);
  }
}
