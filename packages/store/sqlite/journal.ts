import type { DatabaseSync, StatementSync } from "node:sqlite";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { type JournalEntry, type Sighting, scopeSightings, sightings } from "../journal.ts";
import type { Journal } from "../store.ts";
import { openDatabase, sqliteFiles } from "./files.ts";

/** The request log and the sightings, in a file of their own and on a connection of their own. */
export class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #log: StatementSync;
  readonly #seenByLicense: StatementSync;
  readonly #seenInScope: StatementSync;
  readonly #prune: StatementSync;

  constructor(folder: string) {
    this.#database = openDatabase(sqliteFiles(folder).journal);
    this.#log = this.#database.prepare(
      `insert into request_log (id, at, organization_id, product_id, license_id, endpoint, status, ip, version,
        device_id, problem) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#seenByLicense = this.#database.prepare(
      `insert into ip_sightings (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
       values ('license', ?, ?, ?, ?, ?, 1)
       on conflict (tier, scope_id, ip) do update set
         last_seen_at = max(last_seen_at, excluded.last_seen_at), hits = hits + excluded.hits
       returning hits`,
    );
    this.#seenInScope = this.#database.prepare(
      `insert into ip_sightings (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
       values (?, ?, ?, ?, ?, ?, ?)
       on conflict (tier, scope_id, ip) do update set
         last_seen_at = max(last_seen_at, excluded.last_seen_at),
         hits = hits + excluded.hits, license_count = license_count + excluded.license_count`,
    );
    this.#prune = this.#database.prepare(
      "delete from request_log where id in (select id from request_log where id < ? order by id limit 5000)",
    );
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    this.#inTransaction(() => {
      for (const [
        id,
        atMs,
        organization,
        product,
        license,
        endpoint,
        status,
        ip,
        version,
        device,
        problem,
      ] of entries) {
        this.#log.run(
          id,
          atMs,
          organization,
          product,
          license,
          endpoint,
          status,
          ip,
          version,
          device,
          problem,
        );
      }
      this.#see(sightings(entries));
    });
  }

  async prune(beforeMs: number): Promise<number> {
    return Number(this.#prune.run(firstUuidAt(beforeMs)).changes);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #see(seen: readonly Sighting[]): void {
    const isNew = ({ licenseId, ip, firstSeenMs, lastSeenMs, hits }: Sighting) => {
      const row = this.#seenByLicense.get(licenseId, ip, firstSeenMs, lastSeenMs, hits) as { hits: number };
      return row.hits === hits;
    };
    for (const scope of scopeSightings(seen, isNew)) {
      const { tier, scopeId, ip, firstSeenMs, lastSeenMs, hits, newLicenses } = scope;
      this.#seenInScope.run(tier, scopeId, ip, firstSeenMs, lastSeenMs, hits, newLicenses);
    }
  }

  #inTransaction(work: () => void): void {
    this.#database.exec("begin immediate");
    try {
      work();
      this.#database.exec("commit");
    } catch (error) {
      this.#database.exec("rollback");
      throw error;
    }
  }
}
