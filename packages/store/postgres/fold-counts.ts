import { type Kysely, sql } from "kysely";
import { errorSentence, StorageUnavailable } from "../errors/problem.ts";
import { countColumns } from "../migrations/license-counts.ts";
import type { Tables } from "../tables.ts";
import { advisoryLocks } from "./advisory-locks.ts";

const everyMs = 1_000;
const afterTroubleMs = 5_000;
const maxAtOnce = 20_000;

/**
 * Adds what triggers appended to `license_count_changes` to the counts, which stay correct throughout: see the
 * migration `license-counts.ts`. Returns how many changes it folded; none while another node does the same.
 */
export async function foldCounts(db: Kysely<Tables>): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ is_mine: boolean }>`
      select pg_try_advisory_xact_lock(${advisoryLocks.foldedCounts}) as is_mine`.execute(transaction);
    if (rows[0]?.is_mine !== true) return 0;
    // A power failure loses it completely or not at all, and then it is folded again.
    await sql`set local synchronous_commit = off`.execute(transaction);
    const columns = sql.raw(countColumns);
    const { rows: folded } = await sql<{ taken: number }>`
      with taken as (
        delete from license_count_changes
        where ctid = any (array(select ctid from license_count_changes limit ${maxAtOnce}))
        returning *
      ), added as (
        insert into license_counts as counts (${columns}, licenses)
        select ${columns}, sum(licenses) from taken group by ${columns} having sum(licenses) <> 0
        order by ${columns}
        on conflict (${columns}) do update set licenses = counts.licenses + excluded.licenses
      )
      select count(*) as taken from taken`.execute(transaction);
    await sql`delete from license_counts where licenses = 0`.execute(transaction);
    return Number(folded[0]?.taken ?? 0);
  });
}

/** Folds every second until it is closed. */
export class CountFolding {
  readonly #db: Kysely<Tables>;
  readonly #trouble: (reason: string) => void;
  #next: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(db: Kysely<Tables>, trouble: (reason: string) => void) {
    this.#db = db;
    this.#trouble = trouble;
    this.#workAfter(everyMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await this.#working;
  }

  #workAfter(ms: number): void {
    this.#next = setTimeout(() => {
      this.#working = this.#work();
    }, ms);
    this.#next.unref();
  }

  async #work(): Promise<void> {
    let restMs = everyMs;
    try {
      if ((await this.#hasChanges()) && (await foldCounts(this.#db)) === maxAtOnce) restMs = 0;
    } catch (error) {
      // Counts stay correct in the meantime, but take longer. Storage errors are reported elsewhere.
      if (!this.#isClosed && !(error instanceof StorageUnavailable)) this.#trouble(errorSentence(error));
      restMs = afterTroubleMs;
    }
    if (!this.#isClosed) this.#workAfter(restMs);
  }

  async #hasChanges(): Promise<boolean> {
    const oneChange = this.#db.selectFrom("license_count_changes").select("licenses").limit(1);
    return (await oneChange.executeTakeFirst()) !== undefined;
  }
}
