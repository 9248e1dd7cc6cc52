import type { DatabaseSync, StatementSync } from "node:sqlite";
import { quotaDay } from "@countersign/domain/quota/day";
import { keptSince } from "@countersign/domain/requests/log-days";
import {
  type JournalDeletion,
  type JournalEntry,
  type Refusal,
  refusals,
  type Sighting,
  SightingBudget,
  scopeSightings,
  sightings,
} from "../journal.ts";
import type { LogCut, LogRetention, RetentionSettings } from "../log-retention.ts";
import { dayOf } from "../request-log/tables.ts";
import type { Geo } from "../rollups/geo.ts";
import { keptRollUps, pruneStatement, rollUpsAtOnce } from "../rollups/retention.ts";
import type { Journal } from "../store.ts";
import { deleteSome } from "./delete-from-journal.ts";
import { rollback, storageError } from "./errors.ts";
import { openDatabase, type SqliteFiles, sqliteFiles } from "./files.ts";
import { SqliteRequestLog } from "./request-log.ts";
import { storedRetention, sweepSome } from "./sweep-journal.ts";
import { dueCuts, writeCuts } from "./trim-request-log.ts";

/** The request log, the sightings and the counts of refusals, in a separate file and on a separate connection. */
export class SqliteJournal implements Journal {
  readonly #files: SqliteFiles;
  readonly #database: DatabaseSync;
  readonly #log: SqliteRequestLog;
  readonly #seenAgain: StatementSync;
  readonly #seenWithMore: StatementSync;
  readonly #seenFirst: StatementSync;
  readonly #refused: StatementSync;
  readonly #pruneRefusals: StatementSync;
  readonly #budget = new SightingBudget();

  constructor(folder: string, geo: () => Geo | null = () => null) {
    this.#files = sqliteFiles(folder);
    this.#database = openDatabase(this.#files.journal);
    this.#log = new SqliteRequestLog(this.#database, geo);
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
    this.#pruneRefusals = this.#database.prepare(
      `delete from license_refusals where (license_id, day, status) in
        (select license_id, day, status from license_refusals where day < ? order by day limit 5000)`,
    );
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    this.#inTransaction(() => {
      const fresh = this.#log.append(entries);
      this.#see(sightings(fresh));
      this.#count(refusals(fresh));
    });
  }

  async closeSegment(nowMs: number): Promise<number> {
    return this.#inTransaction(() => this.#log.closeSegment(nowMs));
  }

  async retention(environment: RetentionSettings): Promise<LogRetention> {
    return storedRetention(this.#files.main, environment);
  }

  async prune({ serverDays, maxDays }: LogRetention, nowMs: number): Promise<number> {
    const ended = this.#database
      .prepare("select min(day) as day from request_days where day < ?")
      .get(dayOf(keptSince(maxDays, nowMs)))?.day;
    const days = typeof ended === "number" ? 1 : 0;
    if (typeof ended === "number") this.#inTransaction(() => this.#log.dropDay(ended));
    const refusals = this.#pruneRefusals.run(quotaDay(keptSince(serverDays, nowMs))).changes;
    return days + Number(refusals) + this.#pruneRollUps(serverDays, nowMs);
  }

  #pruneRollUps(serverDays: number, nowMs: number): number {
    let pruned = 0;
    for (const table of keptRollUps(nowMs, keptSince(serverDays, nowMs))) {
      const statement = this.#database.prepare(pruneStatement(table, "?1", "?2"));
      pruned += Number(statement.run(table.since, rollUpsAtOnce).changes);
    }
    return pruned;
  }

  async trim(maxBytes: number): Promise<readonly LogCut[]> {
    const cuts = await dueCuts(this.#database, maxBytes);
    if (cuts.length > 0) this.#inTransaction(() => writeCuts(this.#database, cuts));
    return cuts;
  }

  async sweep(retention: LogRetention, nowMs: number): Promise<number> {
    return this.#inTransaction(() =>
      sweepSome(this.#database, this.#files.main, this.#log, retention, nowMs),
    );
  }

  async reclaim(): Promise<number> {
    return 0;
  }

  async deleteOrganization(step: JournalDeletion): Promise<JournalDeletion | null> {
    return this.#inTransaction(() => deleteSome(this.#database, this.#files.main, step));
  }

  async close(): Promise<void> {
    this.#database.close();
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

  #inTransaction<T>(work: () => T): T {
    try {
      this.#database.exec("begin immediate");
      const result = work();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      rollback(this.#database);
      this.#log.forget();
      throw storageError(error);
    }
  }
}
