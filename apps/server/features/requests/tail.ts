import { countEntries, newestRequests } from "@countersign/store/queries/requests/search";
import type { Database } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables/journal";

/**
 * Rows become visible up to a few seconds after the time they have, and those of several nodes in any order: so much of
 * the log is read again each time.
 */
export const overlapMs = 5_000;

/** How many rows are read at a time. With more requests than that, the oldest of them are skipped. */
const mostRows = 2_000;

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
  readonly #mostRows: number;
  /** The IDs of the rows that were read before, with their times. */
  #known = new Map<string, number>();
  #readUntilMs: number | null = null;
  #newestMs = 0;

  constructor(db: Database, organizationId: string, limit = mostRows) {
    this.#db = db;
    this.#organizationId = organizationId;
    this.#mostRows = limit;
  }

  /** The first time, everything that is there counts as known. */
  async read(nowMs: number): Promise<NewRequests> {
    const isFirst = this.#readUntilMs === null;
    // After a failure, from where the last success was.
    const fromMs = Math.min(nowMs, this.#readUntilMs ?? nowMs) - overlapMs;
    const newest = await newestRequests(this.#db, this.#organizationId, fromMs, this.#mostRows);
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
    if (oldest === undefined || newest.length < this.#mostRows) return 0;
    const gap = { fromMs: Math.max(fromMs, this.#newestMs + 1), untilMs: oldest.at };
    return gap.fromMs >= gap.untilMs ? 0 : countEntries(this.#db, this.#organizationId, gap);
  }
}
