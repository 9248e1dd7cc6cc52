import type pg from "pg";
import {
  type JournalEntry,
  refusals,
  type Sighting,
  SightingBudget,
  scopeSightings,
  sightings,
} from "../journal.ts";
import { endedList, list, numbers, texts } from "./lists.ts";

/** Writes which IP addresses used licenses. */
export class PostgresSightings {
  readonly #budget = new SightingBudget();

  /** Adds to the sightings of licenses, organizations and the platform. */
  async add(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
    const seen = await this.#kept(client, sightings(entries));
    if (seen.length === 0) return;
    const result = await client.query<{ scope_id: string; ip: string }>({
      ...seenByLicense,
      values: [
        list(seen, (s) => s.licenseId),
        list(seen, (s) => s.ip),
        list(seen, (s) => s.firstSeenMs),
        list(seen, (s) => s.lastSeenMs),
        list(seen, (s) => s.hits),
      ],
    });
    // Only those seen for the first time are named.
    const fresh = new Set(result.rows.map((row) => `${row.scope_id} ${row.ip}`));
    const scopes = scopeSightings(seen, (s) => fresh.has(`${s.licenseId} ${s.ip}`));
    await client.query({
      ...seenInScope,
      values: [
        list(scopes, (s) => s.tier),
        list(scopes, (s) => s.scopeId),
        list(scopes, (s) => s.ip),
        list(scopes, (s) => s.firstSeenMs),
        list(scopes, (s) => s.lastSeenMs),
        list(scopes, (s) => s.hits),
        list(scopes, (s) => s.newLicenses),
      ],
    });
  }

  /** Those that are already known, and those that can be added. */
  async #kept(client: pg.Client, seen: readonly Sighting[]): Promise<Sighting[]> {
    if (seen.length === 0) return [];
    const { rows } = await client.query<{ scope_id: string; ip: string }>({
      ...knownToLicense,
      values: [list(seen, (s) => s.licenseId), list(seen, (s) => s.ip)],
    });
    const known = new Set(rows.map((row) => `${row.scope_id} ${row.ip}`));
    return seen.filter((s) => known.has(`${s.licenseId} ${s.ip}`) || this.#budget.admit(s));
  }
}

/** Counts refused validations. */
export async function addRefusals(client: pg.Client, entries: readonly JournalEntry[]): Promise<void> {
  const refused = refusals(entries);
  if (refused.length === 0) return;
  await client.query({
    ...countRefusals,
    values: [
      endedList(refused, (r) => r.licenseId),
      endedList(refused, (r) => r.day),
      endedList(refused, (r) => r.status),
      endedList(refused, (r) => r.organizationId),
      endedList(refused, (r) => r.count),
      endedList(refused, (r) => r.firstAtMs),
      endedList(refused, (r) => r.lastAtMs),
      endedList(refused, (r) => r.lastIp),
      endedList(refused, (r) => r.lastVersion),
    ],
  });
}

const knownToLicense = {
  name: "known_to_license",
  text: `select s.scope_id, s.ip from unnest(${texts("$1")}, ${texts("$2")}) as seen (scope_id, ip)
    join ip_sightings s on s.tier = 'license' and s.scope_id = seen.scope_id and s.ip = seen.ip`,
};

const seenByLicense = {
  name: "seen_by_license",
  text: `with written as (
      insert into ip_sightings as s (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
      select 'license', scope_id, ip, first_seen_at, last_seen_at, hits, 1
      from unnest(${texts("$1")}, ${texts("$2")}, ${numbers("$3")}, ${numbers("$4")}, ${numbers("$5")})
        as seen (scope_id, ip, first_seen_at, last_seen_at, hits)
      on conflict (tier, scope_id, ip) do update set
        first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at), hits = s.hits + excluded.hits
      returning scope_id, ip, xmax = 0 as is_new
    )
    select scope_id, ip from written where is_new`,
};

const seenInScope = {
  name: "seen_in_scope",
  text: `insert into ip_sightings as s (tier, scope_id, ip, first_seen_at, last_seen_at, hits, license_count)
    select * from unnest(${texts("$1")}, ${texts("$2")}, ${texts("$3")}, ${numbers("$4")}, ${numbers("$5")},
      ${numbers("$6")}, ${numbers("$7")})
    on conflict (tier, scope_id, ip) do update set
      first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
      hits = s.hits + excluded.hits, license_count = s.license_count + excluded.license_count`,
};

const countRefusals = {
  name: "count_refusals",
  text: `insert into license_refusals as r
      (license_id, day, status, organization_id, count, first_at, last_at, last_ip, last_version)
    select * from unnest(${texts("$1")}, ${numbers("$2")}, ${texts("$3")}, ${texts("$4")}, ${numbers("$5")},
      ${numbers("$6")}, ${numbers("$7")}, ${texts("$8")}, ${texts("$9")}) as refused (license_id)
    where license_id is not null
    on conflict (license_id, day, status) do update set
      count = r.count + excluded.count,
      first_at = least(r.first_at, excluded.first_at),
      last_at = greatest(r.last_at, excluded.last_at),
      last_ip = case when excluded.last_at < r.last_at then r.last_ip else excluded.last_ip end,
      last_version = case when excluded.last_at < r.last_at then r.last_version else excluded.last_version end`,
};
