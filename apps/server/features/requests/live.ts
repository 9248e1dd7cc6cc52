import { matches, type RequestFilter } from "@countersign/store/queries/requests/filter";
import type { Store } from "@countersign/store/store";
import { type Log, reasonOf } from "../../base/log.ts";
import { Problem } from "../../http/problem.ts";
import { showRequests } from "./show.ts";
import { RequestTail } from "./tail.ts";

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
      const own = events.filter((_, index) => matches(watcher.filter, meant[index] ?? never()));
      if (own.length > 0 || skipped > 0) watcher.receive(own, skipped);
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
