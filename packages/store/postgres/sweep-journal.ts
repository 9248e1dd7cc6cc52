import type pg from "pg";
import {
  type Cutoffs,
  cutoffs,
  endedBefore,
  type LogRetention,
  lastCutoff,
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
import { dayOf, keysTable, logTable, startOfDay } from "../request-log/tables.ts";
import type { RequestSegmentRow } from "../tables/journal.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";
import type { PostgresRequestLog } from "./request-log.ts";

export async function storedRetention(
  journal: pg.Client,
  environment: RetentionSettings,
): Promise<LogRetention> {
  const { rows } = await journal.query<RetentionRow>(retentionQuery);
  return retentionFrom(rows[0] ?? noRetention, environment);
}

/** One step, as described in `Journal.sweep`, in a transaction that the caller has begun. */
export async function sweepSome(
  journal: pg.Client,
  log: PostgresRequestLog,
  retention: LogRetention,
  nowMs: number,
): Promise<number> {
  const { rows: stored } = await journal.query<Sweep>(
    `select sweep_started_at as "startedAt", sweep_position as position from request_log_state`,
  );
  const sweep = stored[0] === undefined ? null : nextSweep(stored[0], nowMs);
  if (sweep === null) return 0;
  const cuts = await cutsIn(journal);
  const endedMs = lastCutoff(cuts, retention, nowMs);
  const segments = (await segmentsAfter(journal, sweep.position, segmentsAtOnce)).filter(
    ({ until_at }) => until_at <= endedMs,
  );
  const since = async (organizations: ReadonlySet<string>) =>
    cutoffs(await organizationDays(journal, organizations), cuts, retention, nowMs);
  const finished = async (position: number | null, lookedAt: number) => {
    await journal.query(
      "update request_log_state set sweep_started_at = $1, sweep_position = $2 where id = 1",
      [sweep.startedAt, position],
    );
    return lookedAt;
  };
  const day = dayOf(segments[0]?.from_at ?? 0);
  const isStart = segments.length > 0 && sweep.position < startOfDay(day);
  if (isStart && day < dayOf(nowMs) && (await isDayEnded(journal, day, since))) {
    await log.dropDay(journal, day);
    return finished(startOfDay(day + 1) - 1, 1);
  }
  const organizations = await organizationsIn(journal, segments);
  const ended = await since(new Set([...organizations.values()].flat()));
  let deleted = 0;
  let lookedAt = 0;
  for (const segment of segments) {
    if (lookedAt > 0 && dayOf(segment.from_at) !== day) break;
    const ids = endedBefore(segment.until_at, organizations.get(segment.from_at) ?? [], ended);
    if (ids.length > 0) deleted += await deleteFromSegment(journal, segment, ids);
    lookedAt += 1;
    if (deleted >= sweptAtOnce) break;
  }
  return finished(segments[lookedAt - 1]?.from_at ?? null, lookedAt);
}

async function cutsIn(journal: pg.Client): Promise<Cutoffs> {
  const { rows } = await journal.query<{ organization_id: string; cut_until: number }>(
    "select organization_id, cut_until from request_log_cuts",
  );
  return new Map(rows.map((row) => [row.organization_id, row.cut_until]));
}

/** Whether nobody keeps anything of a day. */
async function isDayEnded(
  journal: pg.Client,
  day: number,
  since: (organizations: ReadonlySet<string>) => Promise<Cutoffs>,
): Promise<boolean> {
  const { rowCount: open } = await journal.query(
    `select 1 from ${logTable(day)} where at >= (select closed_until from request_log_state) limit 1`,
  );
  if ((open ?? 0) > 0) return false;
  const { rows: last } = await journal.query<{ untilMs: number }>(
    `select max(until_at) as "untilMs" from request_segments where from_at >= $1 and from_at < $2`,
    [startOfDay(day), startOfDay(day + 1)],
  );
  const { rows } = await journal.query<{ key: string }>(
    `select distinct key from ${keysTable(day)} where kind = 'o'`,
  );
  const organizations = rows.map(({ key }) => key);
  const ended = endedBefore(last[0]?.untilMs ?? 0, organizations, await since(new Set(organizations)));
  return ended.length === organizations.length;
}

/** By the start of the segment. */
async function organizationsIn(
  journal: pg.Client,
  segments: readonly RequestSegmentRow[],
): Promise<Map<number, readonly string[]>> {
  const { rows } = await journal.query<{ from_at: number; key: string }>(
    "select from_at, key from request_keys where from_at = any ($1::bigint[]) and kind = 'o'",
    [segments.map(({ from_at }) => from_at)],
  );
  return new Map(
    [...Map.groupBy(rows, ({ from_at }) => from_at)].map(([from, keys]) => [
      from,
      keys.map(({ key }) => key),
    ]),
  );
}

async function organizationDays(
  journal: pg.Client,
  ids: ReadonlySet<string>,
): Promise<readonly OrganizationDaysRow[]> {
  const { rows } = await journal.query<OrganizationDaysRow>(
    organizationDaysQuery("o.id = any ($1::text[])"),
    [[...ids]],
  );
  return rows;
}

const noRetention: RetentionRow = { stored: null, megabytes: null, shortest: null, longest: null };
