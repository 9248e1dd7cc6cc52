import { hourMs } from "@countersign/domain/dates/lengths";
import { defaultLogDays, keptSince, logDays } from "@countersign/domain/requests/log-days";

/** How many days requests are kept in the log: by default, and the least and the most of any organization. */
export interface LogRetention {
  readonly serverDays: number;
  readonly shortestDays: number;
  readonly longestDays: number;
}

/**
 * Plans and organizations can keep requests for a different time than the server. The log has no index by organization,
 * which every request would have to update: instead, it is read once a day, in its order and a part at a time, and
 * requests that are no longer kept are deleted. Everything older than what is kept longest is deleted without reading.
 */
export const sweepEveryMs = 24 * hourMs;
export const sweptAtOnce = 10_000;

/** How far the log was read. */
export interface Sweep {
  readonly startedAt: number;
  /** Everything up to this ID is done; null if all of it is. */
  readonly position: string | null;
}

/** Where to continue; null if the log need not be read yet. */
export function nextSweep(
  { startedAt, position }: Sweep,
  nowMs: number,
): (Sweep & { position: string }) | null {
  if (position !== null) return { startedAt, position };
  // A start in the future is one of a clock that was set back since.
  const isDue = nowMs - startedAt >= sweepEveryMs || startedAt > nowMs;
  return isDue ? { startedAt: nowMs, position: "" } : null;
}

/** The row of the query below. */
export interface RetentionRow {
  readonly stored: string | null;
  readonly shortest: number | null;
  readonly longest: number | null;
}

export const retentionQuery = `select
    (select value from platform_state where name = 'request_log_days') as stored,
    min(days) as shortest, max(days) as longest
  from (
    select request_log_days as days from plans where request_log_days is not null
    union all
    select request_log_days_override from organizations where request_log_days_override is not null
  ) as other`;

/** `environmentDays` is what the environment sets, which overrides the stored setting. */
export function retentionFrom(row: RetentionRow, environmentDays: number | null): LogRetention {
  const stored = /^\d{1,10}$/.test(row.stored ?? "") ? Number(row.stored) : null;
  const serverDays = environmentDays ?? stored ?? defaultLogDays;
  return {
    serverDays,
    shortestDays: Math.min(serverDays, row.shortest ?? serverDays),
    longestDays: Math.max(serverDays, row.longest ?? serverDays),
  };
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

/** Since when each organization's requests are kept, without those that keep them longest. */
export function cutoffs(
  rows: readonly OrganizationDaysRow[],
  { serverDays, longestDays }: LogRetention,
  nowMs: number,
): { readonly id: string; readonly atMs: number }[] {
  return rows.flatMap(({ id, of_organization: ofOrganization, of_plan: ofPlan }) => {
    const days = logDays({ ofOrganization, ofPlan, ofServer: serverDays });
    return days < longestDays ? [{ id, atMs: keptSince(days, nowMs) }] : [];
  });
}
