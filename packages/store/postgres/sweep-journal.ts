import { keptSince } from "@countersign/domain/requests/log-days";
import type pg from "pg";
import {
  cutoffs,
  endedIn,
  type LogRetention,
  nextSweep,
  type OrganizationDaysRow,
  organizationDaysQuery,
  type RetentionRow,
  type RetentionSettings,
  retentionFrom,
  retentionQuery,
  type Sweep,
  segmentsAtOnce,
  sweptAtOnce,
} from "../log-retention.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";

export async function storedRetention(
  journal: pg.Client,
  environment: RetentionSettings,
): Promise<LogRetention> {
  const { rows } = await journal.query<RetentionRow>(retentionQuery);
  return retentionFrom(rows[0] ?? noRetention, environment);
}

/** One step, as described in `Journal.sweep`, in a transaction that the caller has begun. */
export async function sweepSome(journal: pg.Client, retention: LogRetention, nowMs: number): Promise<number> {
  const { rows: stored } = await journal.query<Sweep>(
    `select sweep_started_at as "startedAt", sweep_position as position from request_log_state`,
  );
  const sweep = stored[0] === undefined ? null : nextSweep(stored[0], nowMs);
  if (sweep === null) return 0;
  const endedMs = keptSince(retention.shortestDays, nowMs);
  const segments = (await segmentsAfter(journal, sweep.position, segmentsAtOnce)).filter(
    ({ until_at }) => until_at <= endedMs,
  );
  const { rows: found } = await journal.query<{ from_at: number; key: string }>(
    "select from_at, key from request_keys where from_at = any ($1::bigint[]) and kind = 'o'",
    [segments.map(({ from_at }) => from_at)],
  );
  const organizations = Map.groupBy(found, ({ from_at }) => from_at);
  const { rows: days } = await journal.query<OrganizationDaysRow>(
    organizationDaysQuery("o.id = any ($1::text[])"),
    [[...new Set(found.map(({ key }) => key))]],
  );
  const ended = cutoffs(days, retention, nowMs);
  let deleted = 0;
  let lookedAt = 0;
  for (const segment of segments) {
    const present = (organizations.get(segment.from_at) ?? []).map(({ key }) => key);
    const ids = endedIn(segment, present, ended);
    if (ids.length > 0) deleted += await deleteFromSegment(journal, segment, ids);
    lookedAt += 1;
    if (deleted >= sweptAtOnce) break;
  }
  await journal.query(
    "update request_log_state set sweep_started_at = $1, sweep_position = $2 where id = 1",
    [sweep.startedAt, segments[lookedAt - 1]?.from_at ?? null],
  );
  return lookedAt;
}

const noRetention: RetentionRow = { stored: null, megabytes: null, shortest: null, longest: null };
