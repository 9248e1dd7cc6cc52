import { minuteMs } from "@countersign/domain/dates/lengths";
import type { JournalEntry } from "@countersign/store/journal";

/** How many sandbox requests of a product are logged one by one in a minute. */
const sandboxPerMinute = 600;
/** Of products, endpoints and outcomes. With more, those of the minute so far are logged, and counting starts again. */
const maxGroups = 10_000;

/**
 * Requests that a client can send without end: those beyond the daily limit, and those of the sandbox. The first in each
 * minute are logged one by one; the rest of the minute becomes one entry for each product, endpoint and outcome, with
 * their number and the ID of the first of them. So a flood cannot fill the disk.
 */
export class FoldedEntries {
  readonly #log: (entry: JournalEntry) => void;
  readonly #groups = new Map<string, Group>();
  #minute = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(log: (entry: JournalEntry) => void) {
    this.#log = log;
  }

  concerns(entry: JournalEntry): boolean {
    return entry.status === "rate_limit_exceeded" || entry.sandbox === 1;
  }

  add(entry: JournalEntry): void {
    const { at: atMs, product_id: productId, endpoint, status, sandbox } = entry;
    const minute = Math.floor(atMs / minuteMs);
    // An entry of an earlier minute, which a slow request can have, counts for the current one.
    if (minute > this.#minute || this.#groups.size >= maxGroups) this.flush(atMs);
    if (this.#groups.size === 0) this.#start(Math.max(minute, this.#minute), atMs);
    const limited = sandbox === 0;
    const single = this.#group(limited ? `${productId} ${endpoint}` : productId);
    if (single.count < (limited ? 1 : sandboxPerMinute)) {
      single.count += 1;
      this.#log(entry);
      return;
    }
    const rest = this.#group(`${productId} ${endpoint} ${status} rest`);
    rest.first ??= entry;
    rest.count += 1;
  }

  /** Logs what was counted so far. The time is the end of the minute, because the live stream reads only the newest entries. */
  flush(nowMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const endMs = (this.#minute + 1) * minuteMs - 1;
    for (const { first, count } of this.#groups.values())
      if (first !== null) this.#log({ ...first, at: Math.max(first.at, Math.min(nowMs, endMs)), count });
    this.#groups.clear();
  }

  #group(key: string): Group {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { first: null, count: 0 };
    this.#groups.set(key, group);
    return group;
  }

  #start(minute: number, nowMs: number): void {
    this.#minute = minute;
    const endMs = (minute + 1) * minuteMs;
    this.#timer = setTimeout(() => this.flush(endMs), Math.max(0, Math.min(minuteMs, endMs - nowMs)));
    this.#timer.unref();
  }
}

interface Group {
  /** Of those that were not logged one by one. */
  first: JournalEntry | null;
  count: number;
}
