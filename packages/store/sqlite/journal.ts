import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type JournalDeletion,
  type JournalEntry,
  type JournalErasure,
  type Refusal,
  refusals,
  type Sighting,
  SightingBudget,
  scopeSightings,
  sightings,
} from "../journal.ts";
import type { LogCut, LogRetention, RetentionSettings } from "../log-retention.ts";
import { dueCuts, writeCuts } from "../request-log/cuts.ts";
import { deleteSome } from "../request-log/delete-organization.ts";
import { eraseSome } from "../request-log/erase-licenses.ts";
import { Segments } from "../request-log/segment.ts";
import { oldestEndedDay, pruneCounts, storedRetention, sweepSome } from "../request-log/sweep.ts";
import type { Geo } from "../rollups/geo.ts";
import type { Journal } from "../store.ts";
import { ConcurrencyLimit } from "../threads/concurrency-limit.ts";
import { rollback, storageError } from "./errors.ts";
import { openDatabase, sqliteFiles } from "./files.ts";
import { SqliteRequestLog } from "./request-log.ts";

/**
 * Transactions of one thread, one after the other: what waits for a lock of SQLite's would keep the other from ending.
 */
const transactions = new ConcurrencyLimit(1);

/** The request log, the sightings and the counts of refusals, in a separate file and on a separate connection. */
export class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #log: SqliteRequestLog;
  readonly #segments: Segments;
  readonly #seenAgain: StatementSync;
  readonly #seenWithMore: StatementSync;
  readonly #seenFirst: StatementSync;
  readonly #refused: StatementSync;
  readonly #budget = new SightingBudget();

  constructor(folder: string, geo: () => Geo | null = () => null) {
    const files = sqliteFiles(folder);
    this.#database = openDatabase(files.journal);
    this.#log = new SqliteRequestLog(this.#database, files.main);
    this.#segments = new Segments(geo);
    const seen = `update ip_sightings set last_seen_at = max(last_seen_at, ?4), hits = hits + ?5,
      first_seen_at = min(first_seen_at, ?6)`;
    const there = "where tier = ?1 and scope_id = ?2 and ip = ?3";
    // Most of the time no license is new. Then its count, which is indexed, is not even mentioned.
    this.#seenAgain = this.#database.prepare(`${seen} ${there}`);
    this.#seenWithMore = this.#database.prepare(`${seen}, license_count = license_count + ?7 ${there}`);
    this.#seenFirst = this.#database.prepare(
      `insert into ip_sightings (tier, scope_id, ip, last_seen_at, hits, first_seen_at, license_count)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
    );
    // The right sides see the row as it was, whatever their order.
    this.#refused = this.#database.prepare(
      `insert into license_refusals as r (license_id, day, status, organization_id, count, first_at, last_at, last_ip,
        last_version) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (license_id, day, status) do update set
        count = r.count + excluded.count,
        first_at = min(r.first_at, excluded.first_at),
        last_at = max(r.last_at, excluded.last_at),
        last_ip = iif(excluded.last_at < r.last_at, r.last_ip, excluded.last_ip),
        last_version = iif(excluded.last_at < r.last_at, r.last_version, excluded.last_version)`,
    );
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    await this.#inTransaction(async () => {
      const { fresh, late } = this.#log.insert(entries);
      if (late.length > 0) await this.#segments.addLate(this.#log, late);
      this.#see(sightings(fresh));
      this.#count(refusals(fresh));
    });
  }

  closeSegment(nowMs: number): Promise<number> {
    return this.#inTransaction(() => this.#segments.closeNext(this.#log, nowMs));
  }

  retention(environment: RetentionSettings): Promise<LogRetention> {
    return storedRetention(this.#log, environment);
  }

  async prune(retention: LogRetention, nowMs: number): Promise<number> {
    const day = await oldestEndedDay(this.#log, retention, nowMs);
    if (day !== null) await this.#inTransaction(() => this.#log.dropDay(day));
    return (day === null ? 0 : 1) + (await pruneCounts(this.#log, retention, nowMs));
  }

  async trim(maxBytes: number): Promise<readonly LogCut[]> {
    const cuts = await dueCuts(this.#log, maxBytes);
    if (cuts.length > 0) await this.#inTransaction(() => writeCuts(this.#log, cuts));
    return cuts;
  }

  sweep(retention: LogRetention, nowMs: number): Promise<number> {
    return this.#inTransaction(() => sweepSome(this.#log, retention, nowMs));
  }

  async reclaim(): Promise<number> {
    return 0;
  }

  deleteOrganization(step: JournalDeletion): Promise<JournalDeletion | null> {
    return this.#inTransaction(() => deleteSome(this.#log, step));
  }

  eraseLicenses(step: JournalErasure): Promise<JournalErasure | null> {
    return this.#inTransaction(() => eraseSome(this.#log, step));
  }

  close(): Promise<void> {
    return transactions.run(async () => this.#database.close());
  }

  #see(seen: readonly Sighting[]): void {
    const fresh = new Set<Sighting>();
    const kept = seen.filter((sighting) => {
      const { licenseId, ip, firstSeenMs, lastSeenMs, hits } = sighting;
      const values = ["license", licenseId, ip, lastSeenMs, hits, firstSeenMs] as const;
      if (this.#seenAgain.run(...values).changes > 0) return true;
      if (!this.#budget.admit(sighting)) return false;
      this.#seenFirst.run(...values, 1);
      fresh.add(sighting);
      return true;
    });
    for (const scope of scopeSightings(kept, (sighting) => fresh.has(sighting))) {
      const { tier, scopeId, ip, firstSeenMs, lastSeenMs, hits, newLicenses } = scope;
      const seen = [tier, scopeId, ip, lastSeenMs, hits, firstSeenMs] as const;
      const again =
        newLicenses === 0 ? this.#seenAgain.run(...seen) : this.#seenWithMore.run(...seen, newLicenses);
      if (again.changes === 0) this.#seenFirst.run(...seen, newLicenses);
    }
  }

  #count(refused: readonly Refusal[]): void {
    for (const { licenseId, day, status, organizationId, count, firstAtMs, ...last } of refused) {
      const { lastAtMs, lastIp, lastVersion } = last;
      const key = [licenseId, day, status] as const;
      this.#refused.run(...key, organizationId, count, firstAtMs, lastAtMs, lastIp, lastVersion);
    }
  }

  /** Waits for nothing but SQLite, so no other task of this thread runs before it ends. */
  #inTransaction<T>(work: () => Promise<T>): Promise<T> {
    return transactions.run(async () => {
      try {
        this.#database.exec("begin immediate");
        const result = await work();
        this.#database.exec("commit");
        return result;
      } catch (error) {
        rollback(this.#database);
        this.#log.forget();
        throw storageError(error);
      }
    });
  }
}
