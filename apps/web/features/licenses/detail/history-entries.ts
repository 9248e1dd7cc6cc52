import type { Item } from "../../../api/client.ts";

export type AuditEntry = Item<"listAuditLog">;
export type LicenseEvent = Item<"listLicenseEvents">;

/** One entry of a license's history, from either of the two lists. */
export interface HistoryEntry {
  readonly id: string;
  readonly at: string;
  /** For example `license.renewed`. */
  readonly action: string;
  readonly actor: AuditEntry["actor"] | null;
  readonly ip: string | null;
  readonly reason: string | null;
  /** Why the system cancelled a transfer. */
  readonly systemReason: string | null;
  /** Whom a transfer is for. */
  readonly recipient: string | null;
  readonly count: number | null;
  /** Present when one event summarizes many within an hour. */
  readonly summary: Summary | null;
  readonly changes: readonly Change[];
}

interface Summary {
  readonly count: number;
  readonly ipCount: number;
  readonly isExact: boolean;
}

export interface Change {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Source<T> {
  readonly items: readonly T[];
  /** Whether older entries can be fetched. */
  readonly hasMore: boolean;
}

/**
 * Merges both lists, newest first. An entry in both, with the same type and time, is taken from the audit log, which
 * has the actor. Ends where one of the lists still has more to load.
 */
export function historyOf(log: Source<AuditEntry>, events: Source<LicenseEvent>): HistoryEntry[] {
  const logged = new Set(log.items.map(({ action, at }) => `${eventOf(action)} ${at}`));
  const all = [
    ...log.items.map(ofEntry),
    ...events.items.filter(({ type, timestamp }) => !logged.has(`${type} ${timestamp}`)).map(ofEvent),
  ];
  const ends = [
    log.hasMore ? log.items.at(-1)?.at : undefined,
    events.hasMore ? events.items.at(-1)?.timestamp : undefined,
  ].filter((end) => end !== undefined);
  const horizon = ends.sort().at(-1) ?? "";
  return all.filter(({ at }) => at >= horizon).sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** The audit log has its own name for this event. */
function eventOf(action: string): string {
  return action === "license.key_rotated" ? "license.updated" : action;
}

/** Changes that the action implies are not listed. */
const plain: Readonly<Record<string, readonly string[]>> = {
  "license.revoked": ["status", "revoked_at", "revoked_reason"],
  "license.reinstated": ["status", "revoked_at", "revoked_reason"],
  "license.ips_reset": ["current_unique_ip_count"],
  "license.transferred": ["global_customer_id", "current_unique_ip_count"],
  "license.renewed": ["status"],
  "license.updated": ["is_lifetime", "status", "global_customer_id"],
  "ip_block.updated": ["level", "license_id", "cidr"],
};

function ofEntry(entry: AuditEntry): HistoryEntry {
  const { before, after, action } = entry;
  const isNew = before === null || after === null;
  return {
    id: entry.id,
    at: entry.at,
    action,
    actor: entry.actor,
    ip: textOf(after?.ip ?? before?.ip ?? after?.cidr ?? before?.cidr),
    reason: reasonOf(entry),
    systemReason: null,
    recipient: textOf(after?.to_email ?? after?.to_discord_id),
    count: numberOf(before?.current_unique_ip_count),
    summary: null,
    changes: isNew ? [] : differences(action, Object.keys(after), before, after),
  };
}

function reasonOf({ action, after }: AuditEntry): string | null {
  if (action === "license.revoked") return textOf(after?.revoked_reason);
  if (action === "license.transfer_rejected") return textOf(after?.reason);
  return action === "ip_block.added" ? textOf(after?.note) : null;
}

function ofEvent(event: LicenseEvent): HistoryEntry {
  const { data } = event;
  const license = recordOf(data.license);
  const changed = Array.isArray(data.changed) ? data.changed.map(String) : [];
  const transfer = recordOf(data.transfer);
  const to = recordOf(transfer.to);
  const isBySystem = transfer.decided_by === "system";
  return {
    id: event.id,
    at: event.timestamp,
    action: event.type,
    actor: null,
    ip: textOf(data.ip),
    reason: textOf(data.reason ?? (isBySystem ? null : transfer.reason)),
    systemReason: isBySystem ? textOf(transfer.reason) : null,
    recipient: textOf(to.customer_email ?? to.customer_discord_id),
    count: numberOf(data.count),
    summary: summaryOf(recordOf(data.summary)),
    changes: differences(event.type, changed, recordOf(data.previous), license),
  };
}

function summaryOf(summary: Members): Summary | null {
  const [count, ipCount] = [numberOf(summary.count), numberOf(summary.ip_count)];
  if (count === null || ipCount === null) return null;
  return { count, ipCount, isExact: summary.ip_count_is_exact !== false };
}

type Members = Readonly<Record<string, unknown>>;

function differences(action: string, fields: readonly string[], before: Members, after: Members): Change[] {
  const skipped = plain[action] ?? [];
  return fields
    .filter((field) => !skipped.includes(field))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
}

function recordOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
