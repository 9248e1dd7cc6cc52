import { refusalHour } from "@countersign/domain/events/thresholds";
import { quotaDay } from "@countersign/domain/quota/day";
import type { RequestLogRow } from "./tables/journal.ts";

/** The log entry of one request: a row of the request log, and whether its IP address counts as a sighting. */
export interface JournalEntry extends RequestLogRow {
  tracked: boolean;
}

/**
 * The progress of deleting an organization from the journal: first its IP sightings, then its requests, then its
 * roll-ups, then its refusals, then the sightings of licenses that no longer exist. The last are found by looking up the license, so that those of licenses
 * deleted long ago are removed too. Starting over only finds less to do.
 */
export interface JournalDeletion {
  readonly organizationId: string;
  readonly part: "sightings" | "requests" | "rollups" | "refusals" | "licenses";
  /** Everything up to here is done. */
  readonly after: string;
}

/**
 * The progress of erasing a customer's licenses from the journal: first their requests, then their IP sightings, refusals
 * and days. Which licenses is read from `erased_licenses`. Starting over only finds less to do.
 */
export interface JournalErasure {
  readonly customerId: string;
  readonly organizationId: string;
  readonly part: "requests" | "counts";
  /** Everything up to here is done. */
  readonly after: string;
}

export const sightingsAtOnce = 1_000;
export const refusalsAtOnce = 10_000;
export const licensesAtOnce = 500;

export interface Sighting {
  readonly organizationId: string;
  readonly licenseId: string;
  readonly ip: string;
  firstSeenMs: number;
  lastSeenMs: number;
  hits: number;
}

/**
 * Requests from one IP address with one license become one sighting, in an order in which two writers never deadlock.
 */
export function sightings(entries: readonly JournalEntry[]): Sighting[] {
  const seen = new Map<string, Sighting>();
  for (const { at: atMs, organization_id: organizationId, license_id: licenseId, ip, tracked } of entries) {
    if (!tracked || licenseId === null) continue;
    const key = `${licenseId} ${ip}`;
    const known = seen.get(key);
    if (known === undefined) {
      seen.set(key, { organizationId, licenseId, ip, firstSeenMs: atMs, lastSeenMs: atMs, hits: 1 });
    } else {
      known.hits += 1;
      known.firstSeenMs = Math.min(known.firstSeenMs, atMs);
      known.lastSeenMs = Math.max(known.lastSeenMs, atMs);
    }
  }
  return [...seen.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sighting]) => sighting);
}

interface ScopeSighting {
  readonly tier: "organization" | "platform";
  readonly scopeId: string;
  readonly ip: string;
  firstSeenMs: number;
  lastSeenMs: number;
  hits: number;
  newLicenses: number;
}

/** Sums up the sightings of organizations and the platform per IP address. `isNew` marks a license's first use. */
export function scopeSightings(
  seen: readonly Sighting[],
  isNew: (sighting: Sighting, index: number) => boolean,
): ScopeSighting[] {
  const scopes = new Map<string, ScopeSighting>();
  const add = (tier: ScopeSighting["tier"], scopeId: string, sighting: Sighting, newLicenses: number) => {
    const { ip, firstSeenMs, lastSeenMs, hits } = sighting;
    const key = `${tier} ${scopeId} ${ip}`;
    const known = scopes.get(key);
    if (known === undefined) {
      scopes.set(key, { tier, scopeId, ip, firstSeenMs, lastSeenMs, hits, newLicenses });
      return;
    }
    known.firstSeenMs = Math.min(known.firstSeenMs, firstSeenMs);
    known.lastSeenMs = Math.max(known.lastSeenMs, lastSeenMs);
    known.hits += hits;
    known.newLicenses += newLicenses;
  };
  seen.forEach((sighting, index) => {
    const newLicenses = isNew(sighting, index) ? 1 : 0;
    add("organization", sighting.organizationId, sighting, newLicenses);
    add("platform", "", sighting, newLicenses);
  });
  return [...scopes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, scope]) => scope);
}

export interface Refusal {
  readonly licenseId: string;
  readonly day: number;
  readonly status: string;
  readonly organizationId: string;
  count: number;
  firstAtMs: number;
  lastAtMs: number;
  lastIp: string;
  lastVersion: string | null;
}

/**
 * Refused validations of one license become one count per day and status, in an order in which two writers never
 * deadlock. Refusals that found no license have none.
 */
export function refusals(entries: readonly JournalEntry[]): Refusal[] {
  const counts = new Map<string, Refusal>();
  for (const entry of entries) {
    const { at: atMs, organization_id: organizationId, license_id: licenseId } = entry;
    const { endpoint, status, ip, version, sandbox } = entry;
    if (status === "active" || licenseId === null || endpoint !== "validate" || sandbox === 1) continue;
    const day = quotaDay(atMs);
    const key = `${licenseId} ${day} ${status}`;
    const known = counts.get(key);
    if (known === undefined) {
      const last = { lastAtMs: atMs, lastIp: ip, lastVersion: version };
      counts.set(key, { licenseId, day, status, organizationId, count: 1, firstAtMs: atMs, ...last });
      continue;
    }
    known.count += 1;
    known.firstAtMs = Math.min(known.firstAtMs, atMs);
    if (atMs < known.lastAtMs) continue;
    known.lastAtMs = atMs;
    known.lastIp = ip;
    known.lastVersion = version;
  }
  return [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, refusal]) => refusal);
}

/**
 * A caller can use a new IP address for every request. Per license and hour, only this many new IP addresses are
 * recorded; known ones always are. Each process counts separately.
 */
const newSightingsAnHour = 100;

/** Beyond this many licenses the counts start over, which records more, not less. */
const maxCounted = 50_000;

export class SightingBudget {
  readonly #spent = new Map<string, number>();
  #hour = 0;

  /** The new sightings that still fit into the budget. */
  admit({ licenseId, lastSeenMs }: Sighting): boolean {
    const hour = refusalHour(lastSeenMs);
    if (hour > this.#hour || this.#spent.size >= maxCounted) this.#spent.clear();
    this.#hour = Math.max(hour, this.#hour);
    const spent = this.#spent.get(licenseId) ?? 0;
    if (spent >= newSightingsAnHour) return false;
    this.#spent.set(licenseId, spent + 1);
    return true;
  }
}
