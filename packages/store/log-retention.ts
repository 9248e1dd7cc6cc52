import { hourMs } from "@countersign/domain/dates/lengths";
import {
  defaultLogDays,
  defaultLogMegabytes,
  keptSince,
  logDays,
} from "@countersign/domain/requests/log-days";

/** How many days requests are kept in the log, by default, and the least and the most of any organization. */
export interface LogRetention {
  readonly serverDays: number;
  readonly minDays: number;
  readonly maxDays: number;
  /** The oldest requests are deleted earlier if the log takes more than this. */
  readonly maxBytes: number;
}

/** Requests of the organization before this time are deleted. */
export interface LogCut {
  readonly organizationId: string;
  readonly untilMs: number;
}

/** What the environment sets, each null if it does not: it overrides the stored settings. */
export interface RetentionSettings {
  readonly days: number | null;
  readonly megabytes: number | null;
}

/**
 * Plans and organizations can keep requests for a different time than the server, and those with the most lose some if
 * the log is too large. Once a day, and after each cut, the segments of the log are looked at in their order, a few at a
 * time: the keys of a segment name the organizations in it, and their requests are deleted if they are no longer kept. A
 * day of which nobody keeps anything is deleted as a whole.
 */
export const sweepEveryMs = 24 * hourMs;
export const segmentsAtOnce = 50;
/** After this many deleted rows a step ends. */
export const sweptAtOnce = 10_000;

/** How far the log was looked at. */
export interface Sweep {
  readonly startedAt: number;
  /** Every segment up to the one that starts here is done; null if all are. */
  readonly position: number | null;
}

/** Where to continue; null if the log need not be read yet. */
export function nextSweep(
  { startedAt, position }: Sweep,
  nowMs: number,
): (Sweep & { position: number }) | null {
  if (position !== null) return { startedAt, position };
  // A start in the future is one of a clock that was set back since.
  const isDue = nowMs - startedAt >= sweepEveryMs || startedAt > nowMs;
  return isDue ? { startedAt: nowMs, position: -1 } : null;
}

/** The row of the query below. */
export interface RetentionRow {
  readonly stored: string | null;
  readonly megabytes: string | null;
  readonly shortest: number | null;
  readonly longest: number | null;
}

export const retentionQuery = `select
    (select value from platform_state where name = 'request_log_days') as stored,
    (select value from platform_state where name = 'request_log_mb') as megabytes,
    min(days) as shortest, max(days) as longest
  from (
    select request_log_days as days from plans where request_log_days is not null
    union all
    select request_log_days_override from organizations where request_log_days_override is not null
  ) as other`;

export function retentionFrom(row: RetentionRow, environment: RetentionSettings): LogRetention {
  const serverDays = environment.days ?? number(row.stored) ?? defaultLogDays;
  const megabytes = environment.megabytes ?? number(row.megabytes) ?? defaultLogMegabytes;
  return {
    serverDays,
    minDays: Math.min(serverDays, row.shortest ?? serverDays),
    maxDays: Math.max(serverDays, row.longest ?? serverDays),
    maxBytes: megabytes * 1024 * 1024,
  };
}

function number(stored: string | null): number | null {
  return /^\d{1,10}$/.test(stored ?? "") ? Number(stored) : null;
}

/** Selects what decides for some organizations. `ids` is a condition on `o.id`. */
export function organizationDaysQuery(ids: string): string {
  return `select o.id, o.request_log_days_override as of_organization, p.request_log_days as of_plan
    from organizations o
    join plans p on p.id = case when o.billing_state = 'cancelled' then 'free' else o.plan end
    where ${ids}`;
}

export interface OrganizationDaysRow {
  readonly id: string;
  readonly of_organization: number | null;
  readonly of_plan: number | null;
}

/** Since when an organization's requests are kept, by its ID. */
export type Cutoffs = ReadonlyMap<string, number>;

/** Without the organizations that keep their requests longest and were not cut. */
export function cutoffs(
  rows: readonly OrganizationDaysRow[],
  cuts: Cutoffs,
  { serverDays, maxDays }: LogRetention,
  nowMs: number,
): Cutoffs {
  const since = new Map(cuts);
  for (const { id, of_organization: ofOrganization, of_plan: ofPlan } of rows) {
    const days = logDays({ ofOrganization, ofPlan, ofServer: serverDays });
    if (days < maxDays) since.set(id, Math.max(keptSince(days, nowMs), cuts.get(id) ?? 0));
  }
  return since;
}

/** Segments that end later need not be looked at. */
export function lastCutoff(cuts: Cutoffs, { minDays, maxDays }: LogRetention, nowMs: number): number {
  let last = minDays < maxDays ? keptSince(minDays, nowMs) : 0;
  for (const atMs of cuts.values()) last = Math.max(last, atMs);
  return last;
}

/** The organizations of which all requests before a time are no longer kept. */
export function endedBefore(untilMs: number, organizations: readonly string[], since: Cutoffs): string[] {
  return organizations.filter((id) => untilMs <= (since.get(id) ?? 0));
}
